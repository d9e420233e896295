//! One experiment, explained: what was hit, what happened to the bit, and what
//! came of it.

mod json;
mod text;
mod words;

use serde::Serialize;
use upset_chip::Words;
use upset_trial::{Outcome, Story};

/// An experiment that was carried out.
pub struct Explained {
    /// Application or program.
    pub subject: String,
    /// Size of its input, where it has one.
    pub scale: Option<String>,
    /// Seed of its input, likewise.
    pub seed: Option<u64>,
    /// The chip.
    pub chip: String,
    /// What its parts are called.
    pub words: Words,
    /// The fault's canonical name.
    pub fault: String,
    /// Cycles of the fault-free run.
    pub golden_cycles: u64,
    /// Cycle at which the run was given up.
    pub limit: u64,
    /// What was hit, and what happened to it.
    pub story: Story,
    /// Whether accesses to every array that was hit are told.
    pub observed: bool,
    /// What came of it.
    pub outcome: Outcome,
    /// The first wrong element.
    pub first_wrong: Option<FirstWrong>,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstWrong {
    /// The output it is in.
    pub output: String,
    /// Its index there.
    pub index: u64,
    /// What the run gave.
    pub found: Option<f64>,
    /// What the fault-free run gave.
    pub right: f64,
    /// Both are 32-bit floats.
    #[serde(skip)]
    pub single: bool,
}
