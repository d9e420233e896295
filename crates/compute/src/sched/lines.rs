//! The scheduler's lines: a ready line from every warp, and a select line to
//! every warp. They are looked at one by one only where some of them are broken,
//! and where a machine looks at everything in every cycle.

use upset_isa::trap::Trap;
use upset_state::{Kind, Probe, Use};

use super::attempt::{Gate, Try};
use super::line_names::{LINES, READY, SELECT};
use super::turns::Turns;
use crate::sm::{Cx, Sm};
use upset_machine::Reason;

impl Sm {
    /// What the lines of one sort are when the warps drive them with `values`.
    fn line<P: Probe>(&self, s: usize, which: u32, values: u64, cx: &mut Cx<'_, P>) -> u64 {
        let count = self.subs[s].sched.count as u32;
        let bit = |warp: u32| warp * LINES.len() as u32 + which;
        let mut words = [0u32; 4];
        for warp in (0..count).filter(|warp| values >> warp & 1 == 1) {
            words[bit(warp) as usize / 32 % 4] |= 1 << (bit(warp) % 32);
        }
        let used = (count as usize * LINES.len()).div_ceil(32).min(4);
        let of = Use::new(self.wires.array(Kind::Sched, s), 0, cx.now);
        cx.probe.drive(&of, &mut words[..used]);
        let is_high =
            |warp: &u32| words[bit(*warp) as usize / 32 % 4] >> (bit(*warp) % 32) & 1 == 1;
        (0..count).filter(is_high).fold(0, |lines, warp| lines | 1 << warp)
    }

    /// The warp that is selected where the scheduler has chosen one, or none: of
    /// several select lines that are high the lowest wins.
    pub(super) fn selected<P: Probe>(
        &self,
        s: usize,
        chosen: Option<usize>,
        cx: &mut Cx<'_, P>,
    ) -> Option<usize> {
        let lines = self.line(s, SELECT, chosen.map_or(0, |warp| 1 << warp), cx);
        (lines != 0).then(|| lines.trailing_zeros() as usize)
    }

    /// Warps that have a place in the scheduler.
    fn in_order(&self, s: usize) -> u64 {
        let order = &self.subs[s].sched.order;
        (0..order.len()).fold(0, |all, i| all | 1 << order.at(i))
    }

    /// A scheduler with broken lines: the first warp whose ready line is high is
    /// chosen, ready or not, and whose select line is high then issues what is
    /// there of it. Where that is nothing the turn is lost.
    pub(super) fn step_by_lines<P: Probe>(
        &mut self,
        s: usize,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        let here = self.in_order(s);
        let (low, high) = (self.line(s, READY, 0, cx) & here, self.line(s, READY, here, cx));
        let sched = &self.subs[s].sched;
        let awake = sched.awake & here | low;
        let mut turns = Turns::new(cx.config.policy, &sched.order, awake, sched.last);
        let (mut wake, mut why) = (u64::MAX, None);
        while let Some(w) = turns.next() {
            let (low, high) = (low >> w & 1 == 1, high >> w & 1 == 1);
            if !low && !high {
                continue;
            }
            let tried = self.try_ready(s, w, Gate::Lines { high }, cx)?;
            match tried {
                Try::Issued => {
                    return self.go_on(s, w, cx);
                }
                Try::Bubble => {
                    self.subs[s].sched.lose_turn(w, now);
                    return Ok(());
                }
                Try::Instead(another) => return self.force(s, another, cx),
                Try::Shut => continue,
                Try::At(at, reason) => {
                    wake = wake.min(at.max(now + 1));
                    why = why.or(Some(reason));
                    self.turn.refuse(s, reason);
                    self.subs[s].sched.polls(w, reason);
                }
                Try::Blocked(reason) => {
                    self.subs[s].sched.block(w, reason);
                    why = why.or(Some(reason));
                }
                // Who is followed has no broken lines.
                Try::Haunted => return Ok(()),
            }
            if low {
                return match self.selected(s, Some(w), cx) {
                    Some(one) => self.force(s, one, cx),
                    None => {
                        self.subs[s].sched.lose_turn(w, now);
                        Ok(())
                    }
                };
            }
        }
        if let Some(one) = self.selected(s, None, cx).filter(|one| here >> one & 1 == 1) {
            return self.force(s, one, cx);
        }
        if here != 0 && cx.probe.raises(self.wires.array(Kind::Sched, s)) {
            wake = now + 1;
        }
        self.subs[s].sched.idle(wake, why);
        Ok(())
    }

    /// An attempt of a warp that may not be ready.
    fn try_ready<P: Probe>(
        &mut self,
        s: usize,
        w: usize,
        gate: Gate,
        cx: &mut Cx<'_, P>,
    ) -> Result<Try, Trap> {
        let sched = &self.subs[s].sched;
        if sched.misses(w) {
            return Ok(Try::Blocked(sched.of(w).why));
        }
        match sched.of(w).ready {
            ready if ready > cx.now => Ok(Try::At(ready, Reason::Stall)),
            _ => self.try_issue(s, w, gate, cx),
        }
    }

    /// A warp is selected, ready or not.
    fn force<P: Probe>(&mut self, s: usize, w: usize, cx: &mut Cx<'_, P>) -> Result<(), Trap> {
        let there = self.in_order(s) >> w & 1 == 1 && !self.subs[s].sched.misses(w);
        if there {
            match self.try_issue(s, w, Gate::Forced, cx)? {
                Try::Issued => {
                    return self.go_on(s, w, cx);
                }
                Try::Blocked(why) => self.subs[s].sched.block(w, why),
                _ => {}
            }
        }
        self.subs[s].sched.lose_turn(w, cx.now);
        Ok(())
    }

    /// Looks at every warp in a cycle in which nobody need look. What is asked
    /// for at times of its own (lines on their way, fences) is left alone.
    /// Nothing issues, or it was wrong not to look.
    pub(crate) fn look_again<P: Probe>(
        &mut self,
        s: usize,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        if self.subs[s].sched.issue_free > now {
            return Ok(());
        }
        let here = self.in_order(s);
        let broken = cx.probe.drives(self.wires.array(Kind::Sched, s));
        let high = if broken { self.line(s, READY, here, cx) } else { here };
        let sched = &self.subs[s].sched;
        let mut turns = Turns::new(cx.config.policy, &sched.order, here & high, sched.last);
        while let Some(w) = turns.next() {
            let sched = &self.subs[s].sched;
            if sched.polling >> w & 1 == 1 || sched.misses(w) || sched.of(w).ready > now {
                continue;
            }
            let gate = if broken { Gate::Lines { high: true } } else { Gate::Again };
            match self.try_issue(s, w, gate, cx)? {
                Try::Issued => {
                    return self.go_on(s, w, cx);
                }
                Try::Instead(another) => return self.force(s, another, cx),
                _ => {}
            }
        }
        Ok(())
    }
}
