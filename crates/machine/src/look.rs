//! What chosen bits belong to at chosen cycles, in a run that goes on as if
//! nobody had looked.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use upset_state::Site;

/// A bit to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Whoever asks knows it by this number.
    pub id: u64,
    /// When: before anything else in this cycle.
    pub cycle: u64,
    /// The bit.
    pub site: Site,
}

/// What a bit belonged to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Whether it belonged to a warp, a CTA or a valid line.
    pub allocated: bool,
    /// Number of the launch that ran.
    pub launch: Option<u64>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// What programs call the row.
    pub register: Option<String>,
    /// Address of the instruction that an instruction buffer's entry holds.
    pub holds: Option<u64>,
    /// Address that a valid line's byte answers for.
    pub line: Option<u64>,
    /// Address of the instruction at which the owner's warp stands.
    pub stands_at: Option<u64>,
}

/// Who is told what was seen, by the number of the look, and says whether to look on:
/// a run that has left the one whose bits were to be looked at does not, since every
/// look keeps cores from running ahead of each other.
pub type SharedLooker = Arc<Mutex<dyn FnMut(u64, Seen) -> ControlFlow<()> + Send>>;

/// Looks to come, and who wants to know.
#[derive(Clone)]
pub(crate) struct Looks {
    /// Soonest last.
    pub(crate) waiting: Vec<Look>,
    pub(crate) looker: SharedLooker,
}

impl Looks {
    /// The cycle of the next look.
    pub(crate) fn next(&self) -> u64 {
        self.waiting.last().map_or(u64::MAX, |l| l.cycle)
    }
}
