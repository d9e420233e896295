//! A scheduler's look at its warps, one after the other.

use upset_isa::trap::Trap;
use upset_state::Probe;

use super::attempt::{Gate, Look, Try};
use super::turns::Turns;
use crate::sm::{Cx, Sm};
use upset_machine::Reason;

impl Sm {
    /// A warp was tried and has not issued; false when the look is over.
    // Inlined: where the outcome is told, it need not be asked for again.
    #[inline(always)]
    pub(super) fn note<P: Probe, const SLOW: bool>(
        &mut self,
        s: usize,
        w: usize,
        tried: Try,
        look: &mut Look,
        cx: &Cx<'_, P>,
    ) -> bool {
        match tried {
            Try::At(at, reason) => {
                look.wake = look.wake.min(at.max(cx.now + 1));
                look.why = look.why.or(Some(reason));
                self.turn.refuse(s, reason);
                if SLOW {
                    self.subs[s].sched.polls(w, reason);
                }
            }
            Try::Blocked(reason) => {
                self.subs[s].sched.block(w, reason);
                look.why = look.why.or(Some(reason));
            }
            Try::Haunted => {
                self.subs[s].sched.wake = cx.now;
                return false;
            }
            // Only where lines are broken.
            Try::Issued | Try::Shut | Try::Bubble | Try::Instead(_) => {}
        }
        true
    }

    /// The slot of a scheduler's warp.
    #[inline]
    pub(super) fn slot_of(&self, s: usize, w: usize) -> u32 {
        (w * self.subs.len() + s) as u32
    }

    /// Goes on with a look at warp `from`, from one to the next as each finds what
    /// those before it have left. Those that may issue and come before it have
    /// been tried, or are known to be refused.
    #[cold]
    pub(super) fn go_on_in_turn<P: Probe, const SLOW: bool>(
        &mut self,
        s: usize,
        from: usize,
        awake: u64,
        before: Look,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        let sched = &self.subs[s].sched;
        let mut turns = Turns::new(cx.config.policy, &sched.order, awake, sched.last);
        let mut look = Look { wake: before.wake, why: None };
        let mut tries = false;
        while let Some(w) = turns.next() {
            tries |= w == from;
            let ready = self.subs[s].sched.of(w).ready;
            if ready > now {
                look.wake = look.wake.min(ready);
                look.why = look.why.or(Some(Reason::Stall));
                continue;
            }
            if !tries {
                let sched = &self.subs[s].sched;
                let known = (!P::ACTIVE && !SLOW).then(|| sched.of(w).refused);
                let why = match known.filter(|&until| until > now) {
                    Some(until) => {
                        look.wake = look.wake.min(until);
                        Some(sched.keeps(w, now))
                    }
                    None => before.why,
                };
                look.why = look.why.or(why);
                continue;
            }
            let tried = self.try_issue(s, w, Gate::Open, cx)?;
            if matches!(tried, Try::Issued) {
                return self.go_on(s, w, cx);
            }
            if !self.note::<P, SLOW>(s, w, tried, &mut look, cx) {
                return Ok(());
            }
        }
        self.subs[s].sched.idle(look.wake, look.why);
        Ok(())
    }
}
