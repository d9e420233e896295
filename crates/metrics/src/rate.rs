//! A share with its interval.

use serde::{Deserialize, Serialize};

use crate::interval::{Interval, Method};
use crate::sequential;

/// How often something happened in `n` runs, and what that tells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Times it happened.
    pub k: u64,
    /// Runs that tell something.
    pub n: u64,
    /// Estimate of the share.
    pub value: f64,
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Rate {
    /// `k` of `n` where n was fixed beforehand. `None` without runs.
    pub fn fixed(k: u64, n: u64, method: Method, confidence: f64) -> Option<Rate> {
        if n == 0 || k > n {
            return None;
        }
        let Interval { low, high } = method.interval(k, n, confidence);
        Some(Rate { k, n, value: k as f64 / n as f64, low, high })
    }

    /// Stopped with the `k`-th failure, which was run number `n`.
    pub fn sequential(k: u64, n: u64, confidence: f64) -> Option<Rate> {
        if k == 0 || k > n {
            return None;
        }
        let Interval { low, high } = sequential::interval(k, n, confidence);
        Some(Rate { k, n, value: sequential::estimate(k, n), low, high })
    }

    /// Its interval.
    pub fn interval(self) -> Interval {
        Interval { low: self.low, high: self.high }
    }
}
