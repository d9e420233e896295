//! What performance counters noticed of a faulty run.

use serde::{Deserialize, Serialize};

/// What was noticed; empty lists where all counted as without a fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Noticed {
    /// Layers that raised an alarm, those that promise most first.
    pub layers: Vec<String>,
    /// Sets of counters each of which is enough to notice it.
    pub ways: Vec<Vec<String>>,
    /// The first alarm.
    pub first: Option<FirstAlarm>,
    /// Ratios of the published method that left their range.
    pub paper: Vec<String>,
    /// Largest distance from what was learned.
    pub score: f64,
}

/// The first alarm of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstAlarm {
    /// What stands behind it.
    pub layer: String,
    /// Law, counter or ratio.
    pub what: String,
    /// Cycle of the reading.
    pub cycle: u64,
    /// Launch.
    pub launch: u64,
    /// SM, where it is known.
    pub sm: Option<u32>,
    /// The reading came before the host could copy what the launch computed.
    pub before_output: bool,
}

impl Noticed {
    /// Whether there was an alarm.
    pub fn is_alarm(&self) -> bool {
        self.first.is_some()
    }
}
