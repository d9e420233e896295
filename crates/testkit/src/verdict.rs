//! The model's answers judged by a real GPU's.

use std::ops::Range;

use crate::answers::{Answer, Model, ModelError};
use crate::probe::Case;

/// What came of comparing one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All lanes of the compared runs are equal.
    Equal,
    /// The GPU and the model both reject the instruction.
    Rejected,
    /// The model says that it does not implement the instruction, and why.
    Lacking(String),
    /// They disagree, and how.
    Differs(String),
}

/// Compares the model with the GPU on some runs of a case.
pub fn judge(model: &Model, case: &Case, answer: &Answer, runs: Range<usize>) -> Verdict {
    let ours = model.digests(&case.words, case.set, runs.start, runs.len());
    match (answer.status, ours) {
        (_, Err(ModelError::Device(e))) if e.is_lacking() => Verdict::Lacking(e.to_string()),
        (0, Ok(ours)) => match answer.digests.get(runs.clone()) {
            Some(theirs) => match ours.iter().zip(theirs).filter(|(a, b)| a != b).count() {
                0 => Verdict::Equal,
                n => Verdict::Differs(format!("{n} of {} runs", runs.len())),
            },
            None => Verdict::Differs(format!("no runs {runs:?} were recorded")),
        },
        (0, Err(e)) => Verdict::Differs(format!("the GPU runs it, the model: {e}")),
        (status, Err(_)) if status > 0 => Verdict::Rejected,
        (status, _) => Verdict::Differs(format!("the GPU gives error {status}")),
    }
}
