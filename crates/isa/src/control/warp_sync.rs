//! `WARPSYNC`: threads wait for those that a mask names.

use super::barriers::{Convergence, Wait, count, lanes};
use crate::{Mask, WARP};

impl Convergence {
    /// Whether the active group is one that met at the `WARPSYNC` it stands at,
    /// and issues it a second time.
    pub fn has_met(&self) -> bool {
        self.met & self.active != 0
    }

    /// `WARPSYNC` at `at` for the threads `who` of the active group: each waits
    /// for those that its own mask names, then goes on at `resume`. With
    /// `exclusive` threads of different masks go on apart, so that a vote
    /// counts only the threads named.
    pub fn warp_sync(
        &mut self,
        who: Mask,
        masks: &[Mask; WARP],
        exclusive: bool,
        (at, resume): (u32, u32),
    ) {
        // Threads that met here have done their waiting.
        let through = who & self.active & self.met;
        let who = who & self.active & !through;
        self.ran = self.active;
        self.events.sync_in += count(who);
        self.met &= !self.active;
        if through == self.active {
            self.pc = resume;
            return;
        }
        if through != 0 {
            // Only a fault puts others beside them.
            self.park(through, resume, Wait::Ready);
            self.active &= !through;
            if who == 0 {
                return;
            }
        }
        let first = masks[who.trailing_zeros() as usize % WARP];
        let alike = lanes(who).all(|l| masks[l] == first);
        let complete = lanes(who).all(|l| masks[l] & self.live & !who == 0);
        if who == self.active && complete && (alike && first & who == who || !exclusive) {
            self.events.sync_out += count(who);
            self.pc = resume;
            return;
        }
        let mut left = if exclusive { who } else { 0 };
        while left != 0 {
            let mask = masks[left.trailing_zeros() as usize % WARP];
            left = lanes(left).filter(|&l| masks[l] != mask).fold(0, |m, l| m | 1 << l);
            if left != 0 {
                self.again.count(left);
            }
        }
        let now = self.tick(who);
        for lane in lanes(who) {
            self.pcs[lane] = at;
            let (mask, onward) = (masks[lane], resume.wrapping_sub(at));
            self.set_wait(lane, Wait::WarpSync { mask, exclusive, onward });
            self.since[lane] = now;
        }
        self.active &= !who;
        self.settle_warp_sync();
    }

    pub(super) fn settle_warp_sync(&mut self) {
        let mut together = 0;
        for lane in lanes(self.parked(|w| matches!(w, Wait::WarpSync { .. }))) {
            let Wait::WarpSync { mask, exclusive, .. } = self.wait_of(lane) else { continue };
            // Everybody named must be parked with the same mask.
            let alike = |w| matches!(w, Wait::WarpSync { mask: m, exclusive: e, .. } if (m, e) == (mask, exclusive));
            let peers = self.parked(alike);
            if mask & self.live & !peers == 0 {
                if exclusive {
                    self.release_warp_sync(peers);
                } else {
                    together |= peers;
                }
            }
        }
        self.release_warp_sync(together);
    }

    /// Releases threads parked at `WARPSYNC`. Where several groups met at one
    /// place they stay there, to issue it as one; the others go on.
    fn release_warp_sync(&mut self, who: Mask) {
        let mut left = who;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let select = |of: &[u32; WARP]| {
                lanes(left).filter(|&l| of[l] == of[first]).fold(0, |m: Mask, l| m | 1 << l)
            };
            let here = select(&self.pcs);
            if here & !select(&self.since) != 0 {
                self.met |= here;
            } else {
                for lane in lanes(here) {
                    if let Wait::WarpSync { onward, .. } = self.wait_of(lane) {
                        self.pcs[lane] = self.pcs[lane].wrapping_add(onward);
                    }
                }
            }
            left &= !here;
        }
        self.events.sync_out += count(who);
        self.release(who);
    }
}
