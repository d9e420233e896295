//! What a comparison holds.

use serde::Serialize;
use upset_metrics::Estimate;
use upset_metrics::paired::Pairs;

use crate::panel::Variant;
use crate::raw_fit::RawFits;

/// Two sides compared, figure by figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Versus {
    /// The first side.
    pub a: Side,
    /// The second side.
    pub b: Side,
    /// What is not the same in both.
    pub differs: Vec<Differing>,
    /// Applications on chips that have a partner.
    pub matches: Vec<Match>,
    /// Tests that were made: p-values in `matches`.
    pub tests: u64,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// How intervals of single rates are made.
    pub interval: &'static str,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Its stores.
    pub stores: Vec<String>,
    /// Experiments in them.
    pub experiments: u64,
    /// Raw FIT per bit, if one was given.
    pub raw_fit: Option<RawFits>,
    /// What has no partner on the other side.
    pub only: Vec<String>,
}

/// Something that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differing {
    /// What.
    pub what: String,
    /// What it is on the first side; `None`: it is not there.
    pub a: Option<String>,
    /// What it is on the second side.
    pub b: Option<String>,
}

/// An application on a chip under one kind of fault, and its partner.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Match {
    /// On the first side.
    pub a: Name,
    /// On the second side.
    pub b: Name,
    /// Whether all of it is of the same faults.
    pub paired: bool,
    /// Structures under kernels, then sums.
    pub lines: Vec<Line>,
}

/// What a match is about, on one side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Name {
    /// Application.
    pub app: String,
    /// Size of its input.
    pub scale: String,
    /// Chip.
    pub chip: String,
    /// Kind of fault.
    #[serde(flatten)]
    pub variant: Variant,
}

impl Name {
    /// `hs (paper) on rtx2060, single bit`.
    pub fn text(&self) -> String {
        let scale = match self.scale.as_str() {
            "" => String::new(),
            scale => format!(" ({scale})"),
        };
        format!("{}{scale} on {}, {}", self.app, self.chip, self.variant.label())
    }
}

/// What figures are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A structure under a kernel, or in the whole run.
    Row,
    /// A kernel over its structures.
    Kernel,
    /// A structure over the kernels.
    Structure,
    /// All structures over the kernels.
    Chip,
}

/// Figures of one thing, on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What it is.
    pub level: Level,
    /// Kernel as in the binary; `None`: the whole run, or all of them.
    pub kernel: Option<String>,
    /// Kernel as people read it.
    pub kernel_name: String,
    /// Part of it, where it is less than all.
    pub window: String,
    /// Structure; `None`: all that both have.
    pub structure: Option<String>,
    /// Runs that tell something, first side.
    pub n_a: u64,
    /// The same, second side.
    pub n_b: u64,
    /// Whether nothing is left to run on either side.
    pub complete: bool,
    /// AVF, SDC, DUE, and FIT where both have a raw FIT.
    pub figures: Vec<Figure>,
}

/// One figure on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// `avf`, `sdc`, `due`, `fit`.
    pub figure: &'static str,
    /// First side.
    pub a: Estimate,
    /// Second side.
    pub b: Estimate,
    /// First minus second.
    pub difference: Estimate,
    /// First over second; an upper limit of infinity (`null`): the second may be 0.
    pub ratio: Estimate,
    /// How the same faults went on both sides, where they are the same.
    pub pairs: Option<Pairs>,
    /// `exact`, `mcnemar`, `interval`; `None`: nothing to test, or not yet.
    pub test: Option<&'static str>,
    /// Probability of a difference as large as this if there is none.
    pub p: Option<f64>,
    /// The same, corrected for all tests that were made.
    pub p_holm: Option<f64>,
}
