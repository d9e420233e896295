//! What becomes of a bit.

use serde::{Deserialize, Serialize};

/// What happened first to a bit, from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// Nothing until the end.
    Untouched,
    /// It was overwritten, or dropped with its line.
    Overwritten {
        /// When.
        cycle: u64,
    },
    /// Its value was used: read, written back, copied to the host.
    Used {
        /// When.
        cycle: u64,
    },
    /// Its uses are not observed: tags, state, control.
    Unknown,
}

impl Fate {
    /// Whether a flip there is known to change nothing.
    pub fn is_dead(self) -> bool {
        matches!(self, Fate::Untouched | Fate::Overwritten { .. })
    }
}
