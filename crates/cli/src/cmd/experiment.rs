//! The experiment that a user names.

use upset_campaign::golden::Golden;
use upset_fault::Experiment;

use crate::failure::{self, Failure};

/// The experiment of a name.
pub fn experiment(fault: &str, golden: &Golden, subject: &str) -> Result<Experiment, Failure> {
    let bad = |text: String| Failure::new(failure::BAD_INPUT, text);
    let fault = upset_campaign::tables::in_fault(fault)?;
    let experiment = Experiment::parse(&fault, &golden.registry).map_err(|e| bad(e.to_string()))?;
    match experiment.first_cycle() > golden.cycles {
        true => Err(bad(format!(
            "the fault is never injected: it is at cycle {}, and {subject} ends after {} cycles",
            experiment.first_cycle(),
            golden.cycles
        ))),
        false => Ok(experiment),
    }
}

/// Whether accesses to all bits are told, or at least those to their lines.
pub fn is_told(experiment: &Experiment) -> bool {
    experiment.sites().all(|s| s.array.kind.about().observed)
}
