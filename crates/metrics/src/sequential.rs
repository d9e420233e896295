//! Stopping at the r-th failure: the same relative precision whatever the rate.
//!
//! Inverse binomial sampling. The number of failures is fixed beforehand and
//! the number of runs is what chance decides, so that looking at the results
//! while they come in does not bend them. `docs/metrics.md` has the formulas.

use crate::dist::{beta_quantile, gamma_quantile};
use crate::interval::Interval;

/// Haldane's estimate of the rate (Biometrika 33, 1945): unbiased, as
/// failures / runs under this rule is not.
pub fn estimate(failures: u64, runs: u64) -> f64 {
    if failures <= 1 || runs <= 1 {
        // One failure: no unbiased estimate uses it; the likeliest value does.
        return failures as f64 / runs.max(1) as f64;
    }
    (failures - 1) as f64 / (runs - 1) as f64
}

/// Exact interval when run number `runs` was the failure that ended it.
///
/// "At most n runs until the r-th failure" is "at least r failures in n runs",
/// so both limits are quantiles of beta distributions, as Clopper and
/// Pearson's are; the upper one knows that the last run failed.
pub fn interval(failures: u64, runs: u64, confidence: f64) -> Interval {
    if failures == 0 || failures > runs {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (r, n) = (failures as f64, runs as f64);
    let tail = (1.0 - confidence) / 2.0;
    let high = if failures == runs { 1.0 } else { beta_quantile(1.0 - tail, r, n - r) };
    Interval { low: beta_quantile(tail, r, n - r + 1.0), high }
}

/// Half the interval's width over the estimate, after `r` failures, for a rate
/// near zero. Every larger rate gives less.
fn relative_half_width(r: u64, confidence: f64) -> f64 {
    let tail = (1.0 - confidence) / 2.0;
    let r = r as f64;
    (gamma_quantile(1.0 - tail, r) - gamma_quantile(tail, r)) / 2.0 / (r - 1.0)
}

/// Failures to stop at so that half the interval's width is within `relative`
/// of the estimate, whatever the rate: the smallest such number. `None` where
/// the question makes no sense or needs more than 10^9 failures.
pub fn failures_for_relative(relative: f64, confidence: f64) -> Option<u64> {
    const MOST: u64 = 1_000_000_000;
    let sensible = relative > 0.0 && relative.is_finite() && confidence > 0.0 && confidence < 1.0;
    if !sensible {
        return None;
    }
    let enough = |r: u64| relative_half_width(r, confidence) <= relative;
    let mut high = 2;
    while !enough(high) {
        high *= 2;
        if high > MOST {
            return None;
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if middle >= 2 && enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::clopper_pearson;

    #[test]
    fn a_little_more_than_z_over_relative_squared() {
        for (relative, confidence) in [(0.05, 0.95), (0.1, 0.95), (0.1, 0.99), (0.5, 0.9)] {
            let z = crate::dist::two_sided_z(confidence);
            let rough = (z / relative) * (z / relative);
            let r = failures_for_relative(relative, confidence).unwrap() as f64;
            assert!(r > rough && r < rough + 6.0, "{relative} {confidence}: {r} {rough}");
        }
        // With 40 digits: 0.100126 after 385 failures, 0.099996 after 386.
        assert_eq!(failures_for_relative(0.1, 0.95), Some(386));
    }

    #[test]
    fn the_promise_holds_at_every_rate() {
        for relative in [0.1, 0.3, 0.9] {
            let r = failures_for_relative(relative, 0.95).unwrap();
            for runs in (0..60).map(|i| (r as f64 * 1.3f64.powi(i)) as u64) {
                let half = interval(r, runs, 0.95).half_width();
                let share = half / estimate(r, runs);
                assert!(share <= relative * (1.0 + 1e-9), "{relative} {runs}: {share}");
            }
            // One fewer would break it, for rare failures.
            let half = interval(r - 1, 1_000_000_000, 0.95).half_width();
            assert!(half / estimate(r - 1, 1_000_000_000) > relative * (1.0 - 1e-6));
        }
    }

    /// Probability that exactly `n` runs are needed, from n to n+1 by its recurrence.
    #[test]
    fn covers_at_least_what_it_says_and_is_unbiased() {
        let (r, c) = (5u64, 0.9);
        for p in [0.05f64, 0.2, 0.5, 0.9] {
            let mut probability = p.powi(r as i32);
            let (mut covered, mut mean, mut all) = (0.0, 0.0, 0.0);
            let mut n = r;
            while all < 1.0 - 1e-10 && n < 5000 {
                all += probability;
                mean += probability * estimate(r, n);
                if interval(r, n, c).contains(p) {
                    covered += probability;
                }
                probability *= n as f64 / (n - r + 1) as f64 * (1.0 - p);
                n += 1;
            }
            assert!(covered >= c - 1e-9, "{p}: {covered}");
            assert!((mean - p).abs() < 1e-8, "{p}: {mean}");
        }
    }

    #[test]
    fn narrower_than_clopper_pearson_of_the_same_counts() {
        let (a, b) = (interval(10, 500, 0.95), clopper_pearson(10, 500, 0.95));
        assert_eq!(a.low, b.low);
        assert!(a.high < b.high);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(failures_for_relative(0.0, 0.95), None);
        assert_eq!(failures_for_relative(0.1, 1.0), None);
        assert_eq!(failures_for_relative(1e-9, 0.95), None);
        assert_eq!(interval(0, 10, 0.95), Interval { low: 0.0, high: 1.0 });
    }
}
