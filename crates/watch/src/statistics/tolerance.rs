//! What the range from the least to the largest of n values is worth.

/// Probability that one more value lies outside the range of `n` others: it is
/// the least or the largest of n + 1 that are equally likely to be so.
pub fn outside_range(n: u64) -> f64 {
    (2.0 / (n + 1) as f64).min(1.0)
}

/// Probability that the range of `n` values holds at least a share `coverage`
/// of all (Wilks 1941): 1 - n p^(n-1) + (n - 1) p^n.
pub fn confidence(n: u64, coverage: f64) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let n = n as f64;
    1.0 - n * coverage.powf(n - 1.0) + (n - 1.0) * coverage.powf(n)
}

/// The fewest values whose range holds a share `coverage` with this confidence.
pub fn values_for(coverage: f64, wanted: f64) -> u64 {
    let mut high = 2;
    while confidence(high, coverage) < wanted && high < u64::MAX / 4 {
        high *= 2;
    }
    let mut low = high / 2;
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match confidence(middle, coverage) < wanted {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::robust::testing::Random;

    #[test]
    fn five_inputs_promise_a_third_and_1999_a_thousandth() {
        assert_eq!(outside_range(5), 1.0 / 3.0);
        assert_eq!(outside_range(1999), 0.001);
        assert_eq!(outside_range(0), 1.0);
    }

    #[test]
    fn wilks_numbers() {
        assert_eq!(values_for(0.99, 0.95), 473);
        assert_eq!(values_for(0.999, 0.95), 4742);
        assert_eq!(values_for(0.95, 0.95), 93);
        assert!((confidence(5, 0.9) - 0.08146).abs() < 1e-5);
        assert_eq!(confidence(1, 0.5), 0.0);
    }

    /// 30,000 times five values and a sixth: a third outside, +- 0.8 %.
    #[test]
    fn a_third_of_sixth_values_are_outside_the_range_of_five() {
        let mut random = Random(3);
        let mut out = 0;
        for _ in 0..30_000 {
            let five: Vec<f64> = (0..5).map(|_| random.unit()).collect();
            let x = random.unit();
            out += u32::from(five.iter().all(|&v| v < x) || five.iter().all(|&v| v > x));
        }
        let share = f64::from(out) / 30_000.0;
        assert!((share - 1.0 / 3.0).abs() < 0.0082, "{share}");
    }
}
