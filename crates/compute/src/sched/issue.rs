//! The schedulers: which warp issues, and what keeps it.

use upset_isa::trap::Trap;
use upset_isa::{Exec, FenceScope, Unit};
use upset_state::{By, Probe};

use super::turns::Turns;
use crate::code::{Decoded, Route, is_variable};
use crate::sm::{Cx, Sm};
use upset_machine::Reason;

/// Outcome of an attempt to issue.
enum Try {
    Issued,
    /// Not before this cycle.
    At(u64, Reason),
    /// Not before an event.
    Blocked(Reason),
    /// Not before a ghost has left.
    Haunted,
}

impl Sm {
    /// Lets the scheduler of sub-core `s` issue.
    pub(crate) fn step_subcore<P: Probe>(
        &mut self,
        s: usize,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        let sub = &mut self.subs[s];
        let (why, idle) = sub.sched.take_idle(now);
        self.counters.stalls[why as usize] += idle;
        if sub.sched.issue_free > now {
            sub.sched.wake = sub.sched.issue_free;
            sub.sched.idle_why = Reason::Registers;
            return Ok(());
        }
        let mut wake = u64::MAX;
        let mut why = None;
        let mut turns =
            Turns::new(cx.config.policy, sub.sched.order, sub.sched.awake, sub.sched.last);
        while let Some(w) = turns.next() {
            let ready = self.subs[s].sched.warps[w].ready;
            if ready > now {
                wake = wake.min(ready);
                why = why.or(Some(Reason::Stall));
                continue;
            }
            match self.try_issue(s, w, cx)? {
                Try::Issued => {
                    let sub = &mut self.subs[s];
                    sub.sched.last = w as u8;
                    sub.sched.wake = now + 1;
                    sub.sched.idle_from = now + 1;
                    sub.sched.idle_why = Reason::Stall;
                    return Ok(());
                }
                Try::At(at, reason) => {
                    wake = wake.min(at.max(now + 1));
                    why = why.or(Some(reason));
                }
                Try::Blocked(reason) => {
                    self.subs[s].sched.block(w, reason);
                    why = why.or(Some(reason));
                }
                Try::Haunted => {
                    self.subs[s].sched.wake = now;
                    return Ok(());
                }
            }
        }
        let sub = &mut self.subs[s];
        let some = sub.sched.order.len() > 0;
        let oldest = some.then(|| sub.sched.warps[usize::from(sub.sched.order.at(0))].why);
        sub.sched.idle_why = why.or(oldest).unwrap_or(Reason::NoWarp);
        sub.sched.wake = wake;
        Ok(())
    }

    fn try_issue<P: Probe>(
        &mut self,
        s: usize,
        local: usize,
        cx: &mut Cx<'_, P>,
    ) -> Result<Try, Trap> {
        let now = cx.now;
        let slot = (local * self.subs.len() + s) as u32;
        if !self.has_turn(slot, cx) {
            if self.warps[slot as usize].flow.live == 0 {
                self.retire_if_done(slot, cx);
                return Ok(Try::Blocked(Reason::Drain));
            }
            return Ok(Try::Blocked(Reason::Barrier));
        }
        let warp = &mut self.warps[slot as usize];
        let pc = warp.flow.pc;
        cx.probe.acting(By::Warp { sm: self.id, slot, pc });
        match warp.ibuf.head() {
            Some(e) if e.pc == pc => {
                if e.ready > now {
                    return Ok(Try::At(e.ready, Reason::Fetch));
                }
            }
            _ => {
                if warp.ibuf.head().is_some() || warp.ibuf.fetch_pc != pc {
                    warp.ibuf.restart(pc);
                }
                return match self.fetch(slot, now, cx) {
                    Ok(Some(ready)) => Ok(Try::At(ready, Reason::Fetch)),
                    Ok(None) => Ok(Try::Blocked(Reason::Fetch)),
                    Err(kind) => Err(self.trap(slot, kind)),
                };
            }
        }
        let bits = warp.ibuf.head().map_or(0, |e| e.bits);
        if P::GHOSTS && crate::haunt::wrong_code(&warp.ibuf, cx.probe) {
            return Ok(Try::Haunted);
        }
        warp.ibuf.tell_decoded(now, cx.probe);
        let code = &*cx.kernel.code;
        let decoded;
        let entry = match code.at(pc).filter(|at| at.bits == bits) {
            Some(at) => at.op,
            None => {
                decoded = code.decode(bits, cx.config);
                &decoded
            }
        };
        let op = match entry {
            Decoded::Op(op) => op,
            Decoded::Trap(kind) => return Err(self.trap(slot, kind.clone())),
        };
        if op.inst.ctl.wait != 0 && !warp.counters.are_clear(op.inst.ctl.wait) {
            self.subs[s].sched.warps[local].wait = op.inst.ctl.wait;
            return Ok(Try::Blocked(Reason::Scoreboard));
        }
        if let Exec::DepBar { counter, at_most, also_zero } = op.inst.exec {
            let open = warp.counters.exceeds(counter, at_most);
            if open || !warp.counters.are_clear(also_zero) {
                self.subs[s].sched.warps[local].wait = 0;
                return Ok(Try::Blocked(Reason::Scoreboard));
            }
        }
        let unit = self.subs[s].units.pick(&self.units, op);
        if unit.free > now {
            return Ok(Try::At(unit.free, Reason::Unit));
        }
        if op.route == Route::Memory && self.subs[s].queued >= cx.config.memory_queue {
            return Ok(Try::Blocked(Reason::MemoryQueue));
        }
        let far = matches!(op.inst.exec, Exec::Fence(FenceScope::Gpu | FenceScope::Sys));
        if far && cx.mem.outstanding_writes(self.id as u16) > 0 {
            return Ok(Try::At(now + u64::from(cx.config.timing.fence_poll), Reason::Fence));
        }
        let constants = match self.constants(slot, op, cx) {
            Ok(Ok(c)) => c,
            Ok(Err(wait)) => {
                return Ok(match wait {
                    Some(at) => Try::At(at, Reason::Constant),
                    None => Try::Blocked(Reason::Constant),
                });
            }
            Err(kind) => return Err(self.trap(slot, kind)),
        };
        if P::GHOSTS && self.haunts(slot, op, constants, cx) {
            return Ok(Try::Haunted);
        }
        // Decided: from here on the instruction issues.
        let busy = now + u64::from(op.interval);
        self.subs[s].units.take(&mut self.units, op, unit, busy);
        // Pipes with queues read their operands when the ports are free.
        let conflicts = match is_variable(&op.inst) {
            true => 0,
            false => self.subs[s].file.reuse.read(op, slot, cx.config),
        };
        let hold = u64::from(op.hold);
        self.subs[s].sched.issue_free = now + 1 + hold + u64::from(conflicts);
        self.subs[s].sched.warps[local].ready = now + hold + u64::from(op.pause);
        let jump = self.issue(slot, op, constants, cx).map_err(|kind| self.trap(slot, kind))?;
        self.hold_control(cx);
        self.after_issue(slot, jump, cx);
        Ok(Try::Issued)
    }

    /// Lets threads of a warp go on where none is active; false when none can.
    fn has_turn<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) -> bool {
        let flow = &mut self.warps[slot as usize].flow;
        if flow.active != 0 {
            return true;
        }
        let some = flow.schedule();
        if P::ACTIVE {
            self.hold_control(cx);
            return self.warps[slot as usize].flow.active != 0;
        }
        some
    }

    /// Fetching goes on, at another place after a jump.
    fn after_issue<P: Probe>(&mut self, slot: u32, jump: Option<u64>, cx: &mut Cx<'_, P>) {
        let warp = &mut self.warps[slot as usize];
        warp.ibuf.pop();
        if !warp.resident {
            return;
        }
        if warp.flow.live == 0 {
            self.retire_if_done(slot, cx);
            return;
        }
        if !self.has_turn(slot, cx) {
            return;
        }
        let warp = &mut self.warps[slot as usize];
        let pc = warp.flow.pc;
        let next = warp.ibuf.head().map_or(warp.ibuf.fetch_pc, |e| e.pc);
        let mut from = cx.now;
        if next != pc || jump.is_some() {
            warp.ibuf.restart(pc);
            from += u64::from(cx.config.unit(Unit::Branch).latency) + jump.unwrap_or(0);
        }
        if warp.ibuf.held() + 1 < cx.config.buffer as usize && !warp.ibuf.waiting {
            // What cannot be fetched is reported when it is to issue.
            let _ = self.fetch(slot, from, cx);
        }
    }
}
