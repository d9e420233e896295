//! What a profile says of a run.

use upset_machine::pmu::Reading;

use crate::alarm::{Verdict, in_order};
use crate::profile::{Method, Profile};
use crate::run::launches;
use crate::{constants, laws};

impl Profile {
    /// Judges a run by all that is known.
    pub fn judge(&self, run: &[Reading]) -> Verdict {
        let launched = launches(run);
        let paper = self.paper.judge(&launched);
        let mut verdict = Verdict { paper, ..Verdict::default() };
        if self.method == Method::Paper {
            verdict.alarms = verdict.paper.clone();
            return verdict;
        }
        verdict.score = self.regions.score(&launched);
        verdict.alarms = laws::judge(run);
        verdict.alarms.extend(constants::judge(&self.constants, &launched));
        if let Some(threshold) = &self.threshold {
            verdict.alarms.extend(self.regions.judge(&launched, threshold));
        }
        in_order(&mut verdict.alarms);
        verdict
    }
}
