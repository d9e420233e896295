//! Several dispatch slots: a scheduler issues more than one instruction of a
//! warp in one cycle where the code says so (a pause of none, sm_35).
//!
//! Order within a cycle: schedulers take turns ([`Turn`](super::Turn)); each chooses a warp by its policy,
//! issues its instruction, and then that warp's next ones, as many as it has
//! slots. An instruction that cannot issue at once (its unit is taken, operands
//! are on their way, it is not in the buffer) ends the cycle for its scheduler:
//! no other warp gets the slot.

use upset_isa::trap::Trap;
use upset_state::Probe;

use super::attempt::{Gate, Try};
use crate::sm::{Cx, Sm};

impl Sm {
    /// A warp has issued: its scheduler's cycle was of use, and what of it may follow
    /// in the same cycle does.
    #[inline(always)]
    pub(super) fn go_on<P: Probe>(
        &mut self,
        s: usize,
        warp: usize,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let sched = &mut self.subs[s].sched;
        sched.issued(warp, cx.now);
        let is_over = sched.of(warp).ready > cx.now;
        if self.pmu.is_some() {
            self.count_cycle();
        }
        if !is_over {
            self.issue_more(s, warp, cx.config.issue_width.saturating_sub(1), cx)?;
        }
        if !P::ACTIVE && !P::GHOSTS && !cx.slow {
            let (shared, sched) = (self.turn.is_shared(), &mut self.subs[s].sched);
            sched.spare_look(cx.now + 1, cx.config.policy, shared);
        }
        Ok(())
    }

    /// Goes on where a ghost had to leave between two instructions of one cycle.
    pub(super) fn resume<P: Probe>(&mut self, s: usize, cx: &mut Cx<'_, P>) -> Result<(), Trap> {
        let sched = &mut self.subs[s].sched;
        let (warp, slots) = (usize::from(sched.last), u32::from(std::mem::take(&mut sched.owed)));
        // This cycle was of use.
        sched.idle_from = cx.now + 1;
        self.issue_more(s, warp, slots, cx)
    }

    /// Issues up to `slots` instructions of the warp that has issued in this cycle.
    #[inline(never)]
    fn issue_more<P: Probe>(
        &mut self,
        s: usize,
        warp: usize,
        slots: u32,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        for left in (1..=slots).rev() {
            if self.subs[s].sched.of(warp).ready > now || self.subs[s].sched.sleeps(warp) {
                break;
            }
            let busy = self.subs[s].sched.issue_free;
            match self.try_issue(s, warp, Gate::Open, cx)? {
                Try::Issued => {
                    // The port is as long busy as the slowest of them keeps it.
                    let sched = &mut self.subs[s].sched;
                    sched.issue_free = sched.issue_free.max(busy);
                    sched.polling &= !(1 << warp);
                    continue;
                }
                Try::Haunted => {
                    let sched = &mut self.subs[s].sched;
                    (sched.owed, sched.wake) = (left as u8, now);
                    return Ok(());
                }
                Try::Blocked(reason) => self.subs[s].sched.block(warp, reason),
                Try::At(_, reason) => {
                    self.turn.refuse(s, reason);
                    if cx.slow {
                        self.subs[s].sched.polls(warp, reason);
                    }
                }
                // Only where lines are broken.
                Try::Shut | Try::Bubble | Try::Instead(_) => {}
            }
            break;
        }
        self.subs[s].sched.wake = now + 1;
        Ok(())
    }
}
