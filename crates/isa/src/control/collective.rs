//! `WARPSYNC.COLLECTIVE` and `ENDCOLLECTIVE`: threads that come to an operation
//! of the whole warp by different ways do it together.
//!
//! The compiler writes the operation once for every way, with the same
//! registers: `WARPSYNC.COLLECTIVE mask, onward; SHFL …; ENDCOLLECTIVE; onward:`.
//! A thread waits there for all that its mask names, wherever they wait. When
//! the last has come, all of them run the operation where it stands, and go on
//! where each came from. What the hardware does is known from this code alone;
//! whether it shows in counters was not measured.

use super::barriers::{Convergence, Wait, count, lanes};
use crate::{Mask, WARP};

impl Convergence {
    /// `WARPSYNC.COLLECTIVE` of the threads `who` of the active group; the
    /// operation begins at `begin`, and they go on at `onward`.
    pub fn gather(&mut self, who: Mask, masks: &[Mask; WARP], begin: u32, onward: u32) {
        let who = who & self.active;
        self.ran = self.active;
        self.events.sync_in += count(who);
        let now = self.tick(who);
        for lane in lanes(who) {
            self.pcs[lane] = begin;
            self.set_wait(lane, Wait::Collective { mask: masks[lane], onward });
            self.since[lane] = now;
        }
        self.active &= !who;
        self.settle_collective();
    }

    /// `ENDCOLLECTIVE` of the threads `who` of the active group: those that ran
    /// an operation together part again. Others go on at `next`.
    pub fn disperse(&mut self, who: Mask, next: u32) {
        let group = self.active;
        let parts = group & who & self.collective;
        self.collective &= !parts;
        if parts == 0 {
            self.pc = next;
            return;
        }
        self.ran = group;
        self.park(group, next, Wait::Ready);
        for lane in lanes(parts) {
            self.pcs[lane] = self.onward[lane];
        }
        self.active = 0;
        self.pick_from(group);
    }

    /// Lets threads begin that have waited for each other, where the last of
    /// them stands. Threads that exit are not waited for.
    pub(super) fn settle_collective(&mut self) {
        let waiting = self.parked(|w| matches!(w, Wait::Collective { .. }));
        let mut left = waiting;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            let Wait::Collective { mask, .. } = self.wait_of(lane) else { return };
            let alike = |w| matches!(w, Wait::Collective { mask: m, .. } if m == mask);
            let group = self.parked(alike) & (mask | 1 << lane);
            if mask & self.live & !group == 0 {
                self.begin(group);
            }
            left &= !(group | 1 << lane);
        }
    }

    fn begin(&mut self, group: Mask) {
        let last = lanes(group).max_by_key(|l| self.since[*l]);
        let place = last.map_or(self.pc, |l| self.pcs[l]);
        for lane in lanes(group) {
            if let Wait::Collective { onward, .. } = self.wait_of(lane) {
                self.onward[lane] = onward;
            }
            self.pcs[lane] = place;
        }
        self.collective |= group;
        self.events.sync_out += count(group);
        self.release(group);
    }
}
