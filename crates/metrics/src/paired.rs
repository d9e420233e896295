//! The same faults twice: what the pairs tell.
//!
//! Two campaigns that broke the same bits in the same cycles differ only where a
//! fault failed in one of them and not in the other.

use serde::Serialize;

use crate::dist::beta_cdf;

/// Runs of the same faults under two conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pairs {
    /// It happened under both.
    pub both: u64,
    /// Under the first alone.
    pub first: u64,
    /// Under the second alone.
    pub second: u64,
    /// Under neither.
    pub neither: u64,
    /// Pairs of which one run or both have no result.
    pub unknown: u64,
}

impl Pairs {
    /// Counts one pair; `None`: no result.
    pub fn add(&mut self, first: Option<bool>, second: Option<bool>) {
        let count = match (first, second) {
            (Some(true), Some(true)) => &mut self.both,
            (Some(true), Some(false)) => &mut self.first,
            (Some(false), Some(true)) => &mut self.second,
            (Some(false), Some(false)) => &mut self.neither,
            (None, _) | (_, None) => &mut self.unknown,
        };
        *count += 1;
    }

    /// Pairs with two results.
    pub fn n(&self) -> u64 {
        self.both + self.first + self.second + self.neither
    }

    /// McNemar's exact test, two-sided: of the pairs that differ, each way is as
    /// probable as the other if nothing has changed (Psychometrika 12, 1947, 153).
    /// Pairs without a result count for whatever makes p largest.
    pub fn mcnemar(&self) -> f64 {
        let (fewer, more) = (self.first.min(self.second), self.first.max(self.second));
        let fewer = (fewer + self.unknown).min(more);
        if fewer == more {
            return 1.0;
        }
        // At most `fewer` of them, each with probability 1/2.
        (2.0 * beta_cdf(0.5, more as f64, fewer as f64 + 1.0)).min(1.0)
    }

    /// Variances of both shares and their covariance, that with Newcombe's
    /// correction for whole numbers where it is positive (1/2n less). Where pairs have
    /// no result it counts for nothing: what makes limits wider then is no chance, and
    /// need not be the same in both.
    fn moments(&self) -> Option<[f64; 3]> {
        let n = self.n() as f64;
        if n == 0.0 {
            return None;
        }
        let of = |k: u64| k as f64 / n;
        let (p, q) = (of(self.both + self.first), of(self.both + self.second));
        let together = of(self.both) - p * q;
        let corrected = match (together > 0.0, self.unknown) {
            (true, 0) => (together - 0.5 / n).max(0.0),
            (true, _) => 0.0,
            (false, _) => together,
        };
        Some([p * (1.0 - p) / n, q * (1.0 - q) / n, corrected / n])
    }
}

/// Correlation of two weighted sums of shares of the same runs: weights in the
/// first and in the second sum, and the pairs of each part. 0 where one of the sums
/// does not vary.
pub fn correlation(parts: impl IntoIterator<Item = (f64, f64, Pairs)>) -> f64 {
    let mut sums = [0.0; 3];
    for (v, w, pairs) in parts {
        let Some([first, second, both]) = pairs.moments() else { continue };
        for (sum, part) in sums.iter_mut().zip([v * v * first, w * w * second, v * w * both]) {
            *sum += part;
        }
    }
    let [first, second, both] = sums;
    match first > 0.0 && second > 0.0 {
        true => (both / (first * second).sqrt()).clamp(-1.0, 1.0),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests;
