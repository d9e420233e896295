//! A share or rate with its interval.

use serde::{Deserialize, Serialize};
use upset_metrics::{Estimate, Interval, Part, Rate, weighted_sum};

/// Value, lower and upper limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Share(pub f64, pub f64, pub f64);

impl Share {
    /// One that is finished.
    pub fn of(e: Estimate) -> Option<Share> {
        Some(Share(e.value?, e.low, e.high))
    }

    /// Six digits: what the repository keeps.
    pub fn short(self) -> Share {
        Share(short(self.0), short(self.1), short(self.2))
    }

    pub fn estimate(self) -> Estimate {
        Estimate { value: Some(self.0), low: self.1, high: self.2 }
    }

    pub fn scaled(self, by: f64) -> Share {
        Share(self.0 * by, self.1 * by, self.2 * by)
    }

    /// In percent, with its interval.
    pub fn percent(self) -> String {
        format!("{} [{}, {}]", percent(self.0), percent(self.1), percent(self.2))
    }
}

/// Sum of weights times shares that were sampled apart from each other.
pub fn sum(parts: impl IntoIterator<Item = (f64, Share)>) -> Share {
    let parts = parts.into_iter().map(|(weight, Share(value, low, high))| {
        let chance = Interval { low, high };
        Part { weight, rate: Rate { k: 0, n: 0, value: Some(value), low, high, chance } }
    });
    Share::of(weighted_sum(parts)).unwrap_or_default()
}

/// A share in percent, with as many places as the thesis.
pub fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// Six digits of a number.
pub fn short(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// Three digits.
pub fn three(x: f64) -> String {
    if (0.01..1e4).contains(&x) {
        let digits = (2 - x.log10().floor() as i32).max(0) as usize;
        return format!("{x:.digits$}");
    }
    if x == 0.0 { "0".into() } else { format!("{x:.2e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_weighted_and_know_their_limits() {
        let one = Share(0.02, 0.01, 0.04);
        // One part keeps its own.
        let Share(value, low, high) = sum([(0.5, one)]);
        assert!((value - 0.01).abs() < 1e-12 && (low - 0.005).abs() < 1e-12);
        assert!((high - 0.02).abs() < 1e-12);
        let two = sum([(0.5, one), (0.5, Share(0.0, 0.0, 0.0))]);
        assert_eq!(two.0, 0.01);
        assert_eq!(Share(0.012345678, 0.0, 1.0).short().0, 0.0123457);
        assert_eq!(one.percent(), "2.00 [1.00, 4.00]");
        assert_eq!([0.0, 1.234, 56.78, 12345.0].map(three), ["0", "1.23", "56.8", "1.23e4"]);
    }
}
