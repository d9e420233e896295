//! Split-conformal thresholds: a bound on false alarms that needs no
//! distribution, only that the inputs met later are exchangeable with those of
//! the calibration.
//!
//! With calibration scores s1..sn and a fresh score s, an alarm is raised where
//! s is greater than the k-th largest of the n. Then s is among the k largest of
//! all n + 1, strictly; when all orders are equally likely, that has a
//! probability of at most k / (n + 1).

use serde::{Deserialize, Serialize};

/// A threshold and what is promised of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    /// Scores above it are alarms.
    pub value: f64,
    /// It is the `rank`-th largest calibration score.
    pub rank: u64,
    /// Calibration scores.
    pub inputs: u64,
}

impl Threshold {
    /// Probability of a false alarm at most.
    pub fn bound(&self) -> f64 {
        self.rank as f64 / (self.inputs + 1) as f64
    }
}

/// The rank k whose bound k / (n + 1) is just within `alpha`; 0 where no
/// threshold of so few inputs is.
pub fn rank(alpha: f64, inputs: u64) -> u64 {
    let k = (alpha * (inputs + 1) as f64).floor();
    // 0.001 x 1000 is 1, though not in binary fractions.
    let next = k + 1.0;
    let k = if next / (inputs + 1) as f64 <= alpha * (1.0 + 1e-12) { next } else { k };
    (k.max(0.0) as u64).min(inputs)
}

/// The fewest calibration inputs with which `alpha` can be promised.
pub fn needed(alpha: f64) -> u64 {
    let guess = ((1.0 / alpha).ceil() as u64).saturating_sub(2);
    (guess..).find(|&n| rank(alpha, n) > 0).unwrap_or(u64::MAX)
}

/// The threshold for `alpha`; none where there are too few scores.
pub fn threshold(scores: &[f64], alpha: f64) -> Option<Threshold> {
    let inputs = scores.len() as u64;
    let rank = rank(alpha, inputs);
    let mut sorted = scores.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let value = *sorted.get((rank as usize).checked_sub(1)?)?;
    Some(Threshold { value, rank, inputs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::robust::testing::Random;

    #[test]
    fn ranks_are_the_largest_within_alpha() {
        assert_eq!(rank(0.001, 999), 1);
        assert_eq!(rank(0.001, 998), 0);
        assert_eq!(rank(0.001, 1998), 1);
        assert_eq!(rank(0.001, 1999), 2);
        assert_eq!(rank(0.01, 99), 1);
        assert_eq!(rank(0.05, 99), 5);
        assert_eq!(rank(0.5, 9), 5);
        assert_eq!((rank(0.0, 50), rank(1.0, 3)), (0, 3));
    }

    #[test]
    fn as_many_inputs_are_needed_as_have_a_rank() {
        assert_eq!((needed(0.001), needed(0.01), needed(0.05), needed(0.5)), (999, 99, 19, 1));
        for alpha in [0.003, 0.0007, 0.1, 0.33] {
            let n = needed(alpha);
            assert!(rank(alpha, n) > 0 && (n == 0 || rank(alpha, n - 1) == 0), "{alpha}: {n}");
        }
    }

    #[test]
    fn the_threshold_is_the_kth_largest() {
        let scores: Vec<f64> = (0..99).map(|i| f64::from(i * 37 % 99)).collect();
        assert_eq!(threshold(&scores, 0.01).map(|t| (t.value, t.rank)), Some((98.0, 1)));
        assert_eq!(threshold(&scores, 0.05).map(|t| (t.value, t.rank)), Some((94.0, 5)));
        assert_eq!(threshold(&scores, 0.05).map(|t| t.bound()), Some(0.05));
        assert_eq!(threshold(&scores[..98], 0.01), None);
        assert_eq!(threshold(&[], 0.9), None);
    }

    /// 20,000 calibrations with 19 scores and a fresh one each: alarms are
    /// 5 % +- 0.46 % (three sigmas) for scores without ties, and fewer with ties.
    #[test]
    fn false_alarms_keep_to_the_bound() {
        let mut random = Random(7);
        let mut alarms = |draw: &dyn Fn(f64) -> f64| {
            let mut count = 0;
            for _ in 0..20_000 {
                let scores: Vec<f64> = (0..19).map(|_| draw(random.unit())).collect();
                let t = threshold(&scores, 0.05).expect("19 are enough");
                count += u32::from(draw(random.unit()) > t.value);
            }
            f64::from(count) / 20_000.0
        };
        let heavy = alarms(&|u| 1.0 / (1.0 - u));
        assert!((heavy - 0.05).abs() < 0.0046, "{heavy}");
        let tied = alarms(&|u| (4.0 * u).floor());
        assert!(tied < 0.05, "{tied}");
    }
}
