//! Scores and alarms.

use super::types::Regions;
use crate::alarm::Alarm;
use crate::run::Launched;
use crate::statistics::conformal::Threshold;

/// An alarm needs a distance of half the threshold more than the threshold, and
/// of this much in any case. The bound holds without; with it the rate stays
/// well below the bound also where the calibration happened to be tame.
const GUARD: f64 = 1.5;
const LEAST: f64 = 0.1;

impl Regions {
    /// The score of a run.
    pub fn score(&self, run: &[Launched]) -> f64 {
        self.distances(run, 0.0).iter().map(|d| d.units).fold(0.0, f64::max)
    }

    /// Values of a run that are farther away than the threshold allows.
    pub fn judge(&self, run: &[Launched], threshold: &Threshold) -> Vec<Alarm> {
        let limit = limit(threshold);
        self.distances(run, limit).into_iter().map(|d| d.alarm(limit)).collect()
    }
}

/// The distance above which there is an alarm.
pub fn limit(threshold: &Threshold) -> f64 {
    GUARD * threshold.value.max(LEAST)
}
