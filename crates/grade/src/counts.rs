//! How many faults came to what.

use serde::Serialize;
use upset_metrics::{Interval, Method};

use crate::{Grade, Nearness};

/// Confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// Faults of a list in one test.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Counts {
    /// All of them.
    pub faults: u64,
    /// Wrong results.
    pub wrong: u64,
    /// Of these, located exactly.
    pub exact: u64,
    /// To the sub-core only.
    pub sub_core: u64,
    /// To the SM only.
    pub sm: u64,
    /// To another place, or none.
    pub elsewhere: u64,
    /// Hangs.
    pub hangs: u64,
    /// Traps.
    pub traps: u64,
    /// Nothing wrong, but no pass.
    pub no_verdict: u64,
    /// Passed although the fault could act.
    pub masked: u64,
    /// Passed: the fault never acts in the test.
    pub unused: u64,
    /// Seconds from the start of the test to the first wrong result, ascending.
    #[serde(skip)]
    pub seconds: Vec<f64>,
}

impl Counts {
    /// Counts grades.
    pub fn of<'g>(grades: impl Iterator<Item = &'g Grade>) -> Counts {
        let mut all = Counts::default();
        grades.for_each(|grade| all.add(grade));
        all.seconds.sort_by(f64::total_cmp);
        all
    }

    fn add(&mut self, grade: &Grade) {
        self.faults += 1;
        match grade {
            Grade::Detected { near, seconds } => {
                self.wrong += 1;
                self.seconds.push(*seconds);
                match near {
                    Some(Nearness::Exact) => self.exact += 1,
                    Some(Nearness::SubCore) => self.sub_core += 1,
                    Some(Nearness::Sm) => self.sm += 1,
                    Some(Nearness::Wrong) | None => self.elsewhere += 1,
                }
            }
            Grade::Hang => self.hangs += 1,
            Grade::Trap { .. } => self.traps += 1,
            Grade::NoVerdict { .. } => self.no_verdict += 1,
            Grade::Masked => self.masked += 1,
            Grade::Unused => self.unused += 1,
        }
    }

    /// Faults that the test calls a defect: wrong results, hangs and traps.
    pub fn detected(&self) -> u64 {
        self.wrong + self.hangs + self.traps
    }

    /// The share that is detected, and its interval (Clopper and Pearson, 95 %).
    pub fn share(&self) -> Option<(f64, Interval)> {
        share(self.detected(), self.faults)
    }

    /// The share of detected faults whose place is told exactly.
    pub fn located(&self) -> Option<(f64, Interval)> {
        share(self.exact, self.detected())
    }

    /// Seconds to the first wrong result by which a share of those that have one
    /// have it.
    pub fn seconds_of(&self, share: f64) -> Option<f64> {
        let last = self.seconds.len().checked_sub(1)?;
        let at = (share.clamp(0.0, 1.0) * self.seconds.len() as f64).ceil() as usize;
        Some(self.seconds[at.saturating_sub(1).min(last)])
    }
}

/// `k` of `n` with its interval; `None` of nothing.
pub fn share(k: u64, n: u64) -> Option<(f64, Interval)> {
    (n > 0).then(|| (k as f64 / n as f64, Method::ClopperPearson.interval(k, n, CONFIDENCE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_counted_once() {
        let detected = |near, seconds| Grade::Detected { near, seconds };
        let grades = [
            detected(Some(Nearness::Exact), 3e-6),
            detected(Some(Nearness::Exact), 1e-6),
            detected(Some(Nearness::SubCore), 2e-6),
            detected(Some(Nearness::Sm), 9e-6),
            detected(Some(Nearness::Wrong), 5e-6),
            Grade::Hang,
            Grade::Trap { what: String::new() },
            Grade::NoVerdict { what: String::new() },
            Grade::Masked,
            Grade::Unused,
        ];
        let c = Counts::of(grades.iter());
        let parts = [c.wrong, c.hangs, c.traps, c.no_verdict, c.masked, c.unused];
        assert_eq!((c.faults, parts.iter().sum::<u64>()), (10, 10));
        assert_eq!([c.exact, c.sub_core, c.sm, c.elsewhere], [2, 1, 1, 1]);
        assert_eq!(c.detected(), 7);
        let (share, interval) = c.share().expect("a share");
        assert_eq!(share, 0.7);
        assert!(interval.low > 0.34 && interval.high < 0.94, "{interval:?}");
        assert_eq!((c.seconds_of(0.5), c.seconds_of(1.0)), (Some(3e-6), Some(9e-6)));
        assert_eq!((Counts::default().share(), Counts::default().seconds_of(0.5)), (None, None));
        let noticed = grades.iter().filter(|g| g.is_noticed()).count();
        let told = grades.iter().filter(|g| g.is_detected()).count();
        assert_eq!((noticed, told), (8, 7));
    }
}
