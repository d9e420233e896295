//! The numbers of a page, as data. `/api/snapshot.json` is this; docs/live.md
//! describes it. Fields may be added, not renamed.

use std::collections::BTreeMap;

use serde::Serialize;
use upset_metrics::Counts;

use super::pace::Left;

/// Everything at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Snapshot {
    /// Campaigns, those that run first.
    pub campaigns: Vec<Campaign>,
    /// Files that cannot be shown, and why.
    pub problems: BTreeMap<String, String>,
}

/// One campaign: a specification with its seed, in one store or several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Campaign {
    /// Names it in addresses: the same for the same specification and seed.
    pub id: String,
    /// `hs on rtx2060`.
    pub title: String,
    /// Whether it goes on.
    pub state: State,
    /// Seed of its samples.
    pub seed: u64,
    /// Experiments whose class is known.
    pub done: u64,
    /// Experiments that are to come. An upper limit where a plan may end early.
    pub missing: u64,
    /// Runs by class.
    pub counts: Counts,
    /// SDC, crashes and timeouts.
    pub failures: u64,
    /// Confidence of the limits.
    pub confidence: f64,
    /// Experiments per second of late, while it runs.
    pub per_second: Option<f64>,
    /// Seconds that are left, at least and at most, by the pace so far.
    pub left: Option<Left>,
    /// Applications on chips.
    pub panels: Vec<Panel>,
    /// The failures that were found last, newest first.
    pub recent: Vec<Failed>,
    /// Its stores.
    pub stores: Vec<StoreState>,
    /// Shards that no store is there for: `3/8`.
    pub missing_shards: Vec<String>,
}

/// Whether a campaign goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Somebody writes one of its stores.
    Running,
    /// Runs are missing, and nobody is at it.
    Stopped,
    /// Nothing is left to run.
    Complete,
}

impl State {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            State::Running => "running",
            State::Stopped => "stopped",
            State::Complete => "complete",
        }
    }
}

/// An application on a chip under one kind of fault.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// `hs (paper) on rtx2060`.
    pub title: String,
    /// `single bit`.
    pub faults: String,
    /// Application.
    pub app: String,
    /// Size of its input.
    pub scale: String,
    /// Chip.
    pub chip: String,
    /// Structures under kernels.
    pub rows: Vec<Row>,
}

/// A structure under a kernel. The limits are those of `upset report`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Kernel.
    pub kernel: String,
    /// What of it, where it is less than all.
    pub window: String,
    /// Structure.
    pub structure: String,
    /// Bits per experiment.
    pub bits: u32,
    /// Fault model.
    pub model: String,
    /// Experiments whose class is known.
    pub done: u64,
    /// Experiments that are to come.
    pub missing: u64,
    /// Runs by class.
    pub counts: Counts,
    /// AVF; `None` while runs are missing.
    pub avf: Option<f64>,
    /// Lower limit of the AVF, whatever the missing runs bring.
    pub avf_low: f64,
    /// Upper limit of the AVF, whatever the missing runs bring.
    pub avf_high: f64,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failed {
    /// Its class.
    pub class: &'static str,
    /// Its fault.
    pub fault: String,
    /// Application on chip, kernel, structure.
    pub place: String,
    /// Why it crashed or did not end, how much is wrong.
    pub cause: String,
    /// The command that replays it.
    pub replay: String,
    /// When it was seen to arrive, in milliseconds since 1970; `None`: it was
    /// there when looking began.
    pub seen_ms: Option<u64>,
}

/// A store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoreState {
    /// Its path.
    pub file: String,
    /// Number and count of its shard, where it is one.
    pub shard: Option<(u32, u32)>,
    /// Whether its own part goes on.
    pub state: State,
    /// Experiments in it.
    pub done: u64,
    /// Experiments it is meant to hold, as far as is known.
    pub planned: u64,
    /// The process that writes it, where it is of this machine.
    pub process: Option<u32>,
    /// Its worker processes.
    pub workers: u32,
}
