//! Weighted sums of rates, with intervals.
//!
//! The AVF of a kernel, the weighted AVF and the FIT of a chip are sums of
//! independent rates times known weights.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;
use crate::rate::Rate;

/// One rate in a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it counts for; not negative.
    pub weight: f64,
    /// The rate.
    pub rate: Rate,
}

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Best guess; `None` where there are limits alone.
    pub value: Option<f64>,
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Estimate {
    /// Nothing, and sure of it.
    pub const ZERO: Estimate = Estimate { value: Some(0.0), low: 0.0, high: 0.0 };

    /// All three times a factor that is not negative.
    pub fn scaled(self, factor: f64) -> Estimate {
        let value = self.value.map(|v| v * factor);
        Estimate { value, low: self.low * factor, high: self.high * factor }
    }

    /// Its interval.
    pub fn interval(self) -> Interval {
        Interval { low: self.low, high: self.high }
    }
}

impl From<Rate> for Estimate {
    fn from(r: Rate) -> Estimate {
        Estimate { value: r.value, low: r.low, high: r.high }
    }
}

/// Sum of weight x rate.
///
/// What is chance in the parts: half widths add up as standard deviations do.
/// The middle of an interval lies off its estimate because the estimate is
/// skewed: by z²/2 times third over second cumulant. Cumulants add up, so the
/// offset of the sum is the mean of the parts' offsets, each weighted with its
/// variance (`docs/metrics.md`). A single part keeps its own interval; parts that
/// never failed still add to the upper limit; no sum is known better than any of
/// its parts.
///
/// What is not chance adds up as it is: the limits of parts without a value, and
/// what runs without a result add to the limits of others. With a part that has
/// no value the sum has none.
pub fn weighted_sum<I: IntoIterator<Item = Part>>(parts: I) -> Estimate {
    let (mut value, mut most, mut unknown) = (0.0, 0.0, false);
    let (mut variance, mut skew) = (0.0, 0.0);
    let (mut below, mut above) = (0.0f64, 0.0f64);
    // Limits of what has no value, and room for what has no result.
    let (mut least, mut greatest) = (0.0, 0.0);
    for Part { weight, rate } in parts {
        most += weight;
        let Some(estimate) = rate.value else {
            unknown = true;
            least += weight * rate.low;
            greatest += weight * rate.high;
            continue;
        };
        value += weight * estimate;
        least -= weight * (rate.chance.low - rate.low).max(0.0);
        greatest += weight * (rate.high - rate.chance.high).max(0.0);
        let (down, up) =
            (weight * (estimate - rate.chance.low), weight * (rate.chance.high - estimate));
        let half = (down + up) / 2.0;
        variance += half * half;
        skew += half * half * (up - down) / 2.0;
        below = below.max(down);
        above = above.max(up);
    }
    let offset = if variance > 0.0 { skew / variance } else { 0.0 };
    let half = variance.sqrt();
    Estimate {
        value: (!unknown).then_some(value),
        low: (value - below.max(half - offset) + least).max(0.0),
        high: (value + above.max(half + offset) + greatest).min(most),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval::Method;
    use crate::rate::End;

    fn part(weight: f64, k: u64, n: u64) -> Part {
        Part { weight, rate: Rate::fixed(k, n, Method::ClopperPearson, 0.95).unwrap() }
    }

    #[test]
    fn one_part_keeps_its_interval() {
        let p = part(0.25, 17, 300);
        let sum = weighted_sum([p]);
        assert!((sum.low - 0.25 * p.rate.low).abs() < 1e-15);
        assert!((sum.high - 0.25 * p.rate.high).abs() < 1e-15);
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(weighted_sum([]), Estimate::ZERO);
    }

    /// Large counts: the textbook variance of a stratified sample.
    #[test]
    fn agrees_with_the_normal_formula() {
        let parts: Vec<Part> = [(0.5, 20_000u64), (0.3, 30_000), (0.2, 50_000)]
            .map(|(w, k)| {
                let rate = Rate::fixed(k, 100_000, Method::Wilson, 0.95).unwrap();
                Part { weight: w, rate }
            })
            .to_vec();
        let sum = weighted_sum(parts.iter().copied());
        let variance: f64 = parts
            .iter()
            .map(|p| (p.weight.powi(2), p.rate.value.unwrap()))
            .map(|(weight, p)| weight * p * (1.0 - p) / 100_000.0)
            .sum();
        let half = 1.959964 * variance.sqrt();
        assert!((sum.interval().half_width() / half - 1.0).abs() < 1e-3);
    }

    /// Share of samples whose interval covers the sum, from a generator that
    /// is written out here so that the test is the same everywhere.
    fn coverage(strata: &[(f64, f64, u64)], method: Method, times: u32) -> f64 {
        let mut state = 1u64;
        let mut unit = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
        };
        let truth: f64 = strata.iter().map(|(w, p, _)| w * p).sum();
        let covered = (0..times).filter(|_| {
            let sum = weighted_sum(strata.iter().map(|&(weight, p, n)| {
                let k = (0..n).filter(|_| unit() < p).count() as u64;
                Part { weight, rate: Rate::fixed(k, n, method, 0.95).unwrap() }
            }));
            sum.interval().contains(truth)
        });
        covered.count() as f64 / f64::from(times)
    }

    /// Many strata, few failures in each. Adding up the distances of the lower
    /// limits on their own, and of the upper ones, covers 88 % of the first.
    #[test]
    fn rare_failures_in_many_strata_are_covered() {
        let equal = [(1.0 / 12.0, 0.002, 300); 12];
        let mixed = [(0.3, 0.01, 300), (0.1, 0.002, 300), (0.2, 0.03, 100), (0.4, 0.001, 500)];
        // About one failure in all, and half of one.
        let few = [(0.6, 0.0005, 1000), (0.3, 0.0002, 1000), (0.1, 0.001, 400)];
        let fewer = [(0.5, 0.001, 400), (0.5, 0.0002, 400)];
        for strata in [&equal[..], &mixed[..], &few[..], &fewer[..]] {
            let share = coverage(strata, Method::default(), 2000);
            assert!(share >= 0.94, "{share} of {strata:?}");
        }
    }

    /// Failures that are not rare: close to what it says, from above and below.
    #[test]
    fn common_failures_are_covered_as_often_as_said() {
        let strata = [(0.5, 0.2, 200), (0.3, 0.05, 200), (0.2, 0.4, 100)];
        let share = coverage(&strata, Method::Wilson, 2000);
        assert!((share - 0.95).abs() < 0.015, "{share}");
    }

    /// What is missing does not average out: the limits of two such parts add up.
    #[test]
    fn limits_without_a_value_add_up() {
        let bounds = |low, high| Rate { low, high, ..Rate::unknown() };
        let known = part(0.2, 10, 100);
        let (a, b) = (bounds(0.1, 0.9), bounds(0.0, 0.5));
        let sum =
            weighted_sum([known, Part { weight: 0.3, rate: a }, Part { weight: 0.5, rate: b }]);
        assert_eq!(sum.value, None);
        assert!((sum.low - (0.2 * known.rate.low + 0.03)).abs() < 1e-12);
        assert!((sum.high - (0.2 * known.rate.high + 0.27 + 0.25)).abs() < 1e-12);
    }

    /// Ten parts with a tenth of their runs lost: the losses add up, chance does not.
    #[test]
    fn runs_without_a_result_add_up() {
        let end = |k, n| End { k, n, stopped: false };
        let method = Method::ClopperPearson;
        let lost = Rate::between(end(9, 90), true, (end(9, 100), end(19, 100)), method, 0.95);
        let parts = |rate| weighted_sum([Part { weight: 0.1, rate }; 10]);
        let with = parts(lost);
        let without = parts(Rate::fixed(9, 90, method, 0.95).unwrap());
        assert_eq!(with.value, without.value);
        assert!((without.low - with.low - (lost.chance.low - lost.low)).abs() < 1e-12);
        assert!((with.high - without.high - (lost.high - lost.chance.high)).abs() < 1e-12);
    }

    proptest! {
        /// Nothing ever failed: what could still be the case at this confidence
        /// is at most that one part alone carries all of it.
        #[test]
        fn all_zero_is_conservative(parts in prop::collection::vec((0.01f64..1.0, 1u64..5000), 1..6)) {
            let sum = weighted_sum(parts.iter().map(|&(w, n)| part(w, 0, n)));
            let worst = parts
                .iter()
                .map(|&(w, n)| w * (1.0 - 0.025f64.powf(1.0 / n as f64)))
                .fold(0.0, f64::max);
            prop_assert_eq!(sum.value, Some(0.0));
            prop_assert_eq!(sum.low, 0.0);
            prop_assert!(sum.high >= worst * (1.0 - 1e-9));
        }

        #[test]
        fn contains_its_value(parts in prop::collection::vec((0.0f64..1.0, 0u64..50, 50u64..900), 1..6)) {
            let sum = weighted_sum(parts.iter().map(|&(w, k, n)| part(w, k, n)));
            let value = sum.value.unwrap();
            prop_assert!(sum.low <= value && value <= sum.high);
        }

        /// Another stratum never makes the sum better known.
        #[test]
        fn no_sum_is_known_better_than_its_parts(
            parts in prop::collection::vec((0.01f64..1.0, 0u64..50, 50u64..900), 1..6),
        ) {
            let sum = weighted_sum(parts.iter().map(|&(w, k, n)| part(w, k, n)));
            let most: f64 = parts.iter().map(|p| p.0).sum();
            for &(w, k, n) in &parts {
                let one = part(w, k, n).rate;
                let (all, own) = (sum.value.unwrap(), one.value.unwrap());
                let up = (all + w * (one.high - own)).min(most);
                prop_assert!(sum.high >= up - 1e-12);
                prop_assert!(sum.low <= (all - w * (own - one.low)).max(0.0) + 1e-12);
            }
        }
    }
}
