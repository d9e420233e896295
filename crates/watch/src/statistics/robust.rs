//! Middle and spread that a few wrong values do not move.

/// The median; none of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}

/// A normal distribution's standard deviation in units of its median absolute
/// deviation: 1 / (normal quantile of 3/4).
const SIGMAS: f64 = 1.482_602_218_505_602;

/// How far each value is from the middle of all, in standard deviations as the
/// median absolute deviation estimates them. Spreads below `least` count as
/// `least`: values that agree exactly would make any other infinitely far.
pub fn distances(values: &[f64], least: f64) -> Vec<f64> {
    let Some(middle) = median(values) else { return Vec::new() };
    let deviations: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    let spread = median(&deviations).unwrap_or(0.0) * SIGMAS;
    deviations.iter().map(|d| d / spread.max(least)).collect()
}

/// Random numbers for tests.
#[cfg(test)]
pub(crate) mod testing {
    /// SplitMix64.
    pub(crate) struct Random(pub(crate) u64);

    impl Random {
        pub(crate) fn word(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        /// From 0 up to, but without, 1.
        pub(crate) fn unit(&mut self) -> f64 {
            (self.word() >> 11) as f64 / (1u64 << 53) as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::Random;
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
    }

    #[test]
    fn one_that_differs_from_others_that_agree_is_as_far_as_the_least_says() {
        let values = [100.0, 100.0, 131.0, 100.0];
        assert_eq!(distances(&values, 1.0), [0.0, 0.0, 31.0, 0.0]);
        assert_eq!(distances(&values, 2.0), [0.0, 0.0, 15.5, 0.0]);
        assert_eq!(distances(&[5.0], 1.0), [0.0]);
        assert_eq!(distances(&[], 1.0), [] as [f64; 0]);
    }

    /// Deviations 3, 2, 0, 1, 29 about 11: their median is 2.
    #[test]
    fn spread_is_the_median_deviation() {
        let z = distances(&[8.0, 9.0, 11.0, 12.0, 40.0], 0.1);
        assert!((z[4] - 29.0 / (2.0 * SIGMAS)).abs() < 1e-12, "{z:?}");
    }

    /// The unit is the standard deviation where values are normal.
    #[test]
    fn of_normal_values_the_unit_is_sigma() {
        let mut random = Random(11);
        let mut normal = || (0..48).map(|_| random.unit()).sum::<f64>() - 24.0;
        let values: Vec<f64> = (0..4001).map(|_| normal()).chain([20.0]).collect();
        // The sum of 48 has a standard deviation of 2.
        let z = distances(&values, 0.1)[4001];
        assert!((z - 10.0).abs() < 0.5, "{z}");
    }
}
