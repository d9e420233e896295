//! Looks at bits while a launch runs.

use std::mem;
use std::sync::{Arc, PoisonError};

use upset_state::Site;

use crate::core::Core;
use crate::look::{Look, Looks, Seen, SharedLooker};
use crate::machine::Machine;

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
            let goes_on = (*looker.lock().unwrap_or_else(PoisonError::into_inner))(look.id, seen);
            if goes_on.is_break() {
                // Left as they are: in a forked process, giving memory back would copy it first.
                return mem::forget(self.looks.take());
            }
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
