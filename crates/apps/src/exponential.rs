//! e^x from additions and multiplications alone. The system's `exp` differs
//! between C libraries in the last bit, and inputs must not.

/// e^x for |x| up to about 700, right to a few parts in 10^15.
pub(crate) fn exp(x: f64) -> f64 {
    // e^x = (e^(x/1024))^1024; the series converges fast on the small argument.
    let small = x.abs() / 1024.0;
    let mut term = 1.0;
    let mut less_one = 0.0;
    for n in 1..12 {
        term = term * small / f64::from(n);
        less_one += term;
    }
    // Squaring 1 + d as d (2 + d) keeps the digits that 1 + d would lose.
    for _ in 0..10 {
        less_one = less_one * (2.0 + less_one);
    }
    let value = 1.0 + less_one;
    if x < 0.0 { 1.0 / value } else { value }
}

/// The logistic function.
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_system() {
        for i in -200..=200 {
            let x = f64::from(i) / 10.0;
            let ratio = exp(x) / x.exp();
            assert!((ratio - 1.0).abs() < 1e-13, "exp({x}): ratio {ratio}");
        }
    }

    #[test]
    fn sigmoid_is_symmetric() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert!((sigmoid(2.0) + sigmoid(-2.0) - 1.0).abs() < 1e-15);
    }
}
