//! What chosen bits belong to at chosen cycles, in a run that goes on as if
//! nobody had looked.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use upset_state::Site;

use crate::core::Core;
use crate::machine::Machine;

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

/// Who is told what was seen, by the number of the look.
pub type SharedLooker = Arc<Mutex<dyn FnMut(u64, Seen) + Send>>;

/// Looks to come, and who wants to know.
#[derive(Clone)]
pub(crate) struct Looks {
    /// Soonest last.
    waiting: Vec<Look>,
    looker: SharedLooker,
}

impl Looks {
    /// The cycle of the next look.
    pub(crate) fn next(&self) -> u64 {
        self.waiting.last().map_or(u64::MAX, |l| l.cycle)
    }
}

impl<C: Core> Machine<C> {
    /// Tells `looker` what bits belong to at their cycles. Changes nothing.
    pub fn look(&mut self, mut looks: Vec<Look>, looker: SharedLooker) {
        looks.sort_by_key(|l| std::cmp::Reverse((l.cycle, l.id)));
        self.looks = Some(Looks { waiting: looks, looker });
    }

    /// Looks at what is due.
    pub(crate) fn look_due(&mut self) {
        let now = self.now;
        while let Some(looks) = self.looks.as_mut().filter(|l| l.next() <= now) {
            let Some(look) = looks.waiting.pop() else { return };
            let looker = Arc::clone(&looks.looker);
            let seen = self.see(look.site);
            (*looker.lock().unwrap_or_else(PoisonError::into_inner))(look.id, seen);
        }
    }

    fn see(&self, site: Site) -> Seen {
        let owner = self.owner(site);
        // Warps that are still there when nothing runs are of the last launch.
        let base = self.begun().last().map(|b| b.base);
        let at = |pc: u32| base.map(|base| base + u64::from(pc));
        Seen {
            allocated: owner.is_allocated(),
            holds: owner.instruction.and_then(|(_, pc)| at(pc)),
            line: owner.line.filter(|l| l.valid).map(|l| l.address),
            stands_at: owner.warp.as_ref().and_then(|w| at(w.pc)),
            launch: owner.launch,
            kernel: owner.kernel,
            register: owner.register,
        }
    }
}
