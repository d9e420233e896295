//! Whether checked inputs still look like those of the calibration.
//!
//! The bound on false alarms holds while inputs are exchangeable with the
//! calibration's. When a workload changes, scores move long before single ones
//! cross the threshold. The rank-sum test (Wilcoxon 1945, Mann and Whitney 1947)
//! compares all checked scores with all of the calibration; under
//! exchangeability its distribution is known whatever the scores' is.

use upset_metrics::dist::normal_cdf;

/// Scores below which the normal approximation says nothing.
pub const LEAST: usize = 8;

/// What the rank-sum test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Standard deviations by which checked scores rank too high.
    pub z: f64,
    /// Probability of that much or more without drift.
    pub p: f64,
}

/// Compares checked scores with the calibration's; none where there are fewer
/// than [`LEAST`] of either.
pub fn rank_sum(calibration: &[f64], checked: &[f64]) -> Option<Drift> {
    if calibration.len() < LEAST || checked.len() < LEAST {
        return None;
    }
    let mut all: Vec<(f64, bool)> = calibration.iter().map(|&s| (s, false)).collect();
    all.extend(checked.iter().map(|&s| (s, true)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (m, n) = (checked.len() as f64, calibration.len() as f64);
    let (mut ranks, mut ties, mut before) = (0.0, 0.0, 0.0);
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let t = group.len() as f64;
        // Those that are equal share the mean of their ranks.
        let middle = before + (t + 1.0) / 2.0;
        ranks += middle * group.iter().filter(|(_, c)| *c).count() as f64;
        ties += t * t * t - t;
        before += t;
    }
    let total = m + n;
    let expected = m * (total + 1.0) / 2.0;
    let variance = m * n / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        // All are equal: nothing has moved.
        return Some(Drift { z: 0.0, p: 0.5 });
    }
    let z = (ranks - expected) / variance.sqrt();
    Some(Drift { z, p: normal_cdf(-z) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::robust::testing::Random;

    /// Eight of eight above: ranks 9..16, sum 100, expected 68, variance 8 x 8 x 17 / 12.
    #[test]
    fn all_above_is_as_far_as_can_be() {
        let low: Vec<f64> = (0..8).map(f64::from).collect();
        let high: Vec<f64> = (8..16).map(f64::from).collect();
        let d = rank_sum(&low, &high).expect("enough");
        assert!((d.z - 32.0 / (64.0f64 * 17.0 / 12.0).sqrt()).abs() < 1e-12, "{d:?}");
        assert!(d.p < 0.001);
        let other = rank_sum(&high, &low).expect("enough");
        assert_eq!(other.z, -d.z);
        assert_eq!(rank_sum(&low[..7], &high), None);
        assert_eq!(rank_sum(&[0.0; 9], &[0.0; 9]).map(|d| d.z), Some(0.0));
    }

    /// 4 of the calibration and 4 checked at each of 0 and 1: ties halve ranks,
    /// 1..8 have 4.5 each and 9..16 have 12.5; the sum is what is expected.
    #[test]
    fn ties_share_their_ranks() {
        let half = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(rank_sum(&half, &half).map(|d| d.z), Some(0.0));
    }

    /// 4,000 times without drift: 5 % +- 1 % have p below 0.05. With a shift of
    /// half the range nearly all do.
    #[test]
    fn without_drift_p_is_what_it_says() {
        let mut random = Random(5);
        let mut share = |shift: f64| {
            let mut low = 0;
            for _ in 0..4000 {
                let a: Vec<f64> = (0..40).map(|_| random.unit()).collect();
                let b: Vec<f64> = (0..20).map(|_| random.unit() + shift).collect();
                low += u32::from(rank_sum(&a, &b).expect("enough").p < 0.05);
            }
            f64::from(low) / 4000.0
        };
        let (without, with) = (share(0.0), share(0.5));
        assert!((without - 0.05).abs() < 0.01, "{without}");
        assert!(with > 0.99, "{with}");
    }
}
