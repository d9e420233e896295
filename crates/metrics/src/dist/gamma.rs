//! The gamma distribution with scale 1.

use super::numeric::{bisect, continued_fraction};

/// Regularised lower incomplete gamma function P(a, x), for a > 0.
///
/// Series and continued fraction: NIST Digital Library of Mathematical
/// Functions, 8.7.1 and 8.9.2.
pub fn gamma_cdf(x: f64, a: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        front * sum
    } else {
        let fraction = continued_fraction(x + 1.0 - a, |n| {
            let n = f64::from(n);
            (-n * (n - a), x + 2.0 * n + 1.0 - a)
        });
        1.0 - front / fraction
    }
}

/// The x with P(a, x) = `p`: half the chi-squared quantile with 2a degrees of freedom.
pub fn gamma_quantile(p: f64, a: f64) -> f64 {
    let mut high = a + 1.0;
    while gamma_cdf(high, a) < p && high < 1e300 {
        high *= 2.0;
    }
    bisect(0.0, high, p, |x| gamma_cdf(x, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(1, x) = 1 - exp(-x); P(a+1, x) = P(a, x) - x^a e^-x / a!.
    #[test]
    fn equals_the_poisson_tail() {
        for x in [0.1f64, 1.0, 3.5, 12.0, 40.0] {
            let mut tail = 1.0 - (-x).exp();
            let mut term = (-x).exp();
            for a in 1..60u32 {
                let got = gamma_cdf(x, f64::from(a));
                assert!((got - tail).abs() < 1e-12, "{a} {x}: {got} {tail}");
                term *= x / f64::from(a);
                tail -= term;
            }
        }
    }

    /// Chi-squared quantiles: NIST/SEMATECH e-Handbook, 1.3.6.7.4 (three digits).
    #[test]
    fn published_chi_squared() {
        for (dof, p, x) in [(2.0, 0.95, 5.991), (10.0, 0.975, 20.483), (100.0, 0.025, 74.222)] {
            let got = 2.0 * gamma_quantile(p, dof / 2.0);
            assert!((got - x).abs() < 1e-3, "{dof} {p}: {got}");
        }
    }
}
