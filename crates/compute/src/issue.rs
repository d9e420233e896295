//! The schedulers: which warp issues, and what keeps it.

use upset_isa::program::STEP;
use upset_isa::trap::Trap;
use upset_isa::{Exec, FenceScope, Unit};
use upset_state::{By, Probe};

use crate::code::{Decoded, Route, is_variable};
use crate::scheduler::Turns;
use crate::sm::{Cx, Sm};
use crate::stats::Reason;

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
        let idle = now - sub.idle_from.min(now);
        self.counters.stalls[sub.idle_why as usize] += idle;
        sub.idle_from = now;
        if sub.issue_free > now {
            sub.wake = sub.issue_free;
            sub.idle_why = Reason::Registers;
            return Ok(());
        }
        let mut wake = u64::MAX;
        let mut why = None;
        let mut turns = Turns::new(cx.config.policy, sub.order, sub.awake, sub.last);
        while let Some(w) = turns.next() {
            let ready = self.subs[s].sched[w].ready;
            if ready > now {
                wake = wake.min(ready);
                why = why.or(Some(Reason::Stall));
                continue;
            }
            match self.try_issue(s, w, cx)? {
                Try::Issued => {
                    let sub = &mut self.subs[s];
                    sub.last = w as u8;
                    sub.wake = now + 1;
                    sub.idle_from = now + 1;
                    sub.idle_why = Reason::Stall;
                    return Ok(());
                }
                Try::At(at, reason) => {
                    wake = wake.min(at.max(now + 1));
                    why = why.or(Some(reason));
                }
                Try::Blocked(reason) => {
                    let sub = &mut self.subs[s];
                    sub.awake &= !(1 << w);
                    sub.sched[w].why = reason;
                    why = why.or(Some(reason));
                }
                Try::Haunted => {
                    self.subs[s].wake = now;
                    return Ok(());
                }
            }
        }
        let sub = &mut self.subs[s];
        let some = sub.order.len() > 0;
        let oldest = some.then(|| sub.sched[usize::from(sub.order.at(0))].why);
        sub.idle_why = why.or(oldest).unwrap_or(Reason::NoWarp);
        sub.wake = wake;
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
        let warp = &mut self.warps[slot as usize];
        if warp.flow.active == 0 && !warp.flow.schedule() {
            if warp.flow.live == 0 {
                self.retire_if_done(slot, cx);
                return Ok(Try::Blocked(Reason::Drain));
            }
            return Ok(Try::Blocked(Reason::Barrier));
        }
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
        let index = (pc / STEP) as usize;
        let decoded;
        let entry = if code.program.words.get(index) == Some(&bits) {
            &code.ops[index]
        } else {
            decoded = code.decode(bits, cx.config);
            &decoded
        };
        let op = match entry {
            Decoded::Op(op) => op,
            Decoded::Trap(kind) => return Err(self.trap(slot, kind.clone())),
        };
        if op.inst.ctl.wait != 0 && !warp.counters_clear(op.inst.ctl.wait) {
            self.subs[s].sched[local].wait = op.inst.ctl.wait;
            return Ok(Try::Blocked(Reason::Scoreboard));
        }
        if let Exec::DepBar { counter, at_most, also_zero } = op.inst.exec {
            let open = warp.counters.get(usize::from(counter)).is_some_and(|&c| c > at_most);
            if open || !warp.counters_clear(also_zero) {
                self.subs[s].sched[local].wait = 0;
                return Ok(Try::Blocked(Reason::Scoreboard));
            }
        }
        let unit = usize::from(op.unit);
        let mut free =
            if op.shared_unit { self.unit_free[unit] } else { self.subs[s].unit_free[unit] };
        let lite = op.lite && self.subs[s].lite_free <= free;
        if lite {
            free = self.subs[s].lite_free;
        }
        if free > now {
            return Ok(Try::At(free, Reason::Unit));
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
        match (lite, op.shared_unit) {
            (true, _) => self.subs[s].lite_free = busy,
            (_, true) => self.unit_free[unit] = busy,
            _ => self.subs[s].unit_free[unit] = busy,
        }
        // Pipes with queues read their operands when the ports are free.
        let conflicts = match is_variable(&op.inst) {
            true => 0,
            false => self.subs[s].reuse.read(op, slot, cx.config),
        };
        let hold = u64::from(op.hold);
        self.subs[s].issue_free = now + 1 + hold + u64::from(conflicts);
        self.subs[s].sched[local].ready = now + hold + u64::from(op.pause);
        let jump = self.issue(slot, op, constants, cx).map_err(|kind| self.trap(slot, kind))?;
        self.after_issue(slot, jump, cx);
        Ok(Try::Issued)
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
        if warp.flow.active == 0 && !warp.flow.schedule() {
            return;
        }
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
