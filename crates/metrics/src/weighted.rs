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
    /// Best guess.
    pub value: f64,
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Estimate {
    /// Nothing, and sure of it.
    pub const ZERO: Estimate = Estimate { value: 0.0, low: 0.0, high: 0.0 };

    /// All three times a factor that is not negative.
    pub fn scaled(self, factor: f64) -> Estimate {
        Estimate { value: self.value * factor, low: self.low * factor, high: self.high * factor }
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

/// Sum of weight x rate. Its variance is the sum of weight² x variance, and
/// each rate's variance is taken from the distance of its own limits ("method
/// of variance estimates recovery": Zou, Huang & Zhang, Computational
/// Statistics & Data Analysis 53, 2009). A single part gives that part's own
/// interval; parts that never failed still add to the upper limit.
pub fn weighted_sum<I: IntoIterator<Item = Part>>(parts: I) -> Estimate {
    let (mut value, mut below, mut above) = (0.0, 0.0, 0.0);
    let mut most = 0.0;
    for Part { weight, rate } in parts {
        value += weight * rate.value;
        below += (weight * (rate.value - rate.low)).powi(2);
        above += (weight * (rate.high - rate.value)).powi(2);
        most += weight;
    }
    Estimate { value, low: (value - below.sqrt()).max(0.0), high: (value + above.sqrt()).min(most) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval::Method;

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
            .map(|p| p.weight.powi(2) * p.rate.value * (1.0 - p.rate.value) / 100_000.0)
            .sum();
        let half = 1.959964 * variance.sqrt();
        assert!((sum.interval().half_width() / half - 1.0).abs() < 1e-3);
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
            prop_assert_eq!(sum.value, 0.0);
            prop_assert_eq!(sum.low, 0.0);
            prop_assert!(sum.high >= worst * (1.0 - 1e-9));
        }

        #[test]
        fn contains_its_value(parts in prop::collection::vec((0.0f64..1.0, 0u64..50, 50u64..900), 1..6)) {
            let sum = weighted_sum(parts.iter().map(|&(w, k, n)| part(w, k, n)));
            prop_assert!(sum.low <= sum.value && sum.value <= sum.high);
        }
    }
}
