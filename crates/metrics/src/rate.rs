//! A share with its interval.

use serde::Serialize;

use crate::interval::{Interval, Method};
use crate::sequential;

/// How often something happened in `n` runs, and what that tells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Times it happened.
    pub k: u64,
    /// Runs that tell something.
    pub n: u64,
    /// Estimate of the share; `None` while runs are missing: those that are
    /// there are no random sample of all.
    pub value: Option<f64>,
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
    /// The part of the limits that is chance, around the value. What is outside
    /// of it is what runs without a result may have been: that does not average out.
    #[serde(skip)]
    pub chance: Interval,
}

/// How a sample ends: `k` of `n`, and by which rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Times it happened.
    pub k: u64,
    /// Runs.
    pub n: u64,
    /// Whether the k-th time ended it; else n was fixed beforehand.
    pub stopped: bool,
}

impl End {
    /// The interval of a sample that ends so.
    pub fn interval(self, method: Method, confidence: f64) -> Interval {
        match self.stopped {
            true => sequential::interval(self.k, self.n, confidence),
            false => method.interval(self.k, self.n, confidence),
        }
    }

    fn rate(self, method: Method, confidence: f64) -> Option<Rate> {
        match self.stopped {
            true => Rate::sequential(self.k, self.n, confidence),
            false => Rate::fixed(self.k, self.n, method, confidence),
        }
    }
}

impl Rate {
    /// `k` of `n` where n was fixed beforehand. `None` without runs.
    pub fn fixed(k: u64, n: u64, method: Method, confidence: f64) -> Option<Rate> {
        if n == 0 || k > n {
            return None;
        }
        let chance = method.interval(k, n, confidence);
        Some(Rate::sure(k, n, k as f64 / n as f64, chance))
    }

    /// Stopped with the `k`-th failure, which was run number `n`.
    pub fn sequential(k: u64, n: u64, confidence: f64) -> Option<Rate> {
        if k == 0 || k > n {
            return None;
        }
        let chance = sequential::interval(k, n, confidence);
        Some(Rate::sure(k, n, sequential::estimate(k, n), chance))
    }

    fn sure(k: u64, n: u64, value: f64, chance: Interval) -> Rate {
        Rate { k, n, value: Some(value), low: chance.low, high: chance.high, chance }
    }

    /// Some runs have no result, or not yet. `known` is what is there, `fewest`
    /// and `most` are the ends with all of the others masked and all of them
    /// failing: whatever becomes of them, the interval of the finished sample
    /// lies within these limits. There is a value when the sample has come to its
    /// end, and what it lacks are failures of ours alone.
    pub fn between(
        known: End,
        ended: bool,
        (fewest, most): (End, End),
        method: Method,
        confidence: f64,
    ) -> Rate {
        let of = |end: End| end.interval(method, confidence);
        let (mut low, mut high) = (of(fewest).low, of(most).high);
        if fewest.stopped != most.stopped {
            // Ends by the other rule lie between: each has its own formula.
            let other = |end: End| of(End { stopped: !end.stopped, ..end });
            (low, high) = (low.min(other(fewest).low), high.max(other(most).high));
        }
        match known.rate(method, confidence).filter(|_| ended) {
            Some(rate) => Rate { low: low.min(rate.low), high: high.max(rate.high), ..rate },
            None => Rate {
                k: known.k,
                n: known.n,
                value: None,
                low,
                high,
                chance: Interval { low, high },
            },
        }
    }

    /// Nothing is known.
    pub fn unknown() -> Rate {
        let chance = Interval { low: 0.0, high: 1.0 };
        Rate { k: 0, n: 0, value: None, low: 0.0, high: 1.0, chance }
    }

    /// Its interval.
    pub fn interval(self) -> Interval {
        Interval { low: self.low, high: self.high }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn end(k: u64, n: u64) -> End {
        End { k, n, stopped: false }
    }

    #[test]
    fn missing_runs_leave_limits_and_no_value() {
        let method = Method::ClopperPearson;
        let rate = Rate::between(end(4, 70), false, (end(4, 100), end(34, 100)), method, 0.95);
        assert_eq!(rate.value, None);
        assert_eq!(rate.low, method.interval(4, 100, 0.95).low);
        assert_eq!(rate.high, method.interval(34, 100, 0.95).high);
    }

    /// 5 of 99 and one failure of ours: 5 % or 6 %, and 5/99 is between.
    #[test]
    fn failures_of_ours_widen_the_limits_and_leave_the_value() {
        let method = Method::ClopperPearson;
        let rate = Rate::between(end(5, 99), true, (end(5, 100), end(6, 100)), method, 0.95);
        assert_eq!(rate.value, Some(5.0 / 99.0));
        assert_eq!(rate.low, method.interval(5, 100, 0.95).low);
        assert_eq!(rate.high, method.interval(6, 100, 0.95).high);
        assert_eq!(rate.chance, method.interval(5, 99, 0.95));
    }

    proptest! {
        /// Whatever the missing runs bring, the finished interval lies within.
        #[test]
        fn the_finished_interval_lies_within(
            n in 1u64..400, known in 0.0f64..=1.0, failing in 0.0f64..=1.0, then in 0.0f64..=1.0,
        ) {
            let there = (known * n as f64) as u64;
            let k = (failing * there as f64) as u64;
            let more = (then * (n - there) as f64) as u64;
            for method in [Method::Wilson, Method::ClopperPearson] {
                let ends = (end(k, n), end(k + n - there, n));
                let limits = Rate::between(end(k, there), there == n, ends, method, 0.95);
                let finished = Rate::fixed(k + more, n, method, 0.95).unwrap();
                prop_assert!(limits.low <= finished.low && finished.high <= limits.high);
            }
        }
    }
}
