//! The schedulers: which warp issues, and what keeps it.

use upset_isa::program::Layout;
use upset_isa::trap::Trap;
use upset_isa::{Exec, FenceScope, Unit};
use upset_state::{By, Kind, Probe};

use super::attempt::{Gate, Look, Try};
use super::turns::Turns;
use super::{Sched, Scheduler};
use crate::code::{Decoded, Op, Route};
use crate::sm::{Cx, Sm};
use crate::subcore::SubCore;
use crate::units::Need;
use crate::view::Constants;
use upset_machine::Reason;

/// Those of an instruction that names none.
static NO_CONSTANTS: Constants = Constants::NONE;

impl Sm {
    /// Lets the scheduler of sub-core `s` issue. `SLOW`: it remembers who asks again.
    pub(crate) fn step_subcore<P: Probe, const SLOW: bool>(
        &mut self,
        s: usize,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        let sub = &mut self.subs[s];
        let (why, idle) = sub.sched.take_idle(now);
        self.counters.stalls[why as usize] += idle;
        if sub.sched.issue_free > now {
            if sub.sched.owed != 0 {
                return self.resume(s, cx);
            }
            sub.sched.wake = sub.sched.issue_free;
            sub.sched.idle_why = Reason::Registers;
            return Ok(());
        }
        if cx.probe.breaks() && cx.probe.drives(self.wires.array(Kind::Sched, s)) {
            return self.step_by_lines(s, cx);
        }
        let (policy, sched) = (cx.config.policy, &mut sub.sched);
        let (awake, last) = (sched.awake, sched.last);
        // Who may not issue yet need not be asked in turn.
        let (due, later) = match P::ACTIVE || SLOW {
            true => sched.due::<true>(now),
            false => sched.due::<false>(now),
        };
        // Where schedulers share units it matters whether anybody who comes before the one
        // that issues would ask for a unit and be refused.
        let shared = !P::ACTIVE && !SLOW && self.turn.is_shared();
        let mut outbid = if shared { sched.outbid & awake & !due } else { 0 };
        // Nobody asks for a unit that is known to be taken.
        let (units, groups) = (&self.units, &self.groups);
        let (taken, free) = match !P::ACTIVE && !P::GHOSTS && !SLOW {
            true => sched.needs.taken(due, now, |need| sub.units.free_for(units, groups, need)),
            false => (0, u64::MAX),
        };
        outbid |= if shared { taken } else { 0 };
        let mut look = Look { wake: free, why: None };
        let mut left = due & !taken;
        let mut next = Turns::first(policy, &sched.order, left, last);
        while let Some(w) = next {
            if outbid != 0 {
                let order = &self.subs[s].sched.order;
                if Turns::first(policy, order, outbid | 1 << w, last) != Some(w) {
                    self.turn.refuse(s, Reason::Unit);
                    outbid = 0;
                }
            }
            let slot = self.slot_of(s, w);
            if self.warps[slot as usize].is_leaving() {
                self.refuse_all(s, taken, now);
                return self.go_on_in_turn::<P, SLOW>(s, w, awake, look, cx);
            }
            let known = if P::ACTIVE || SLOW { None } else { self.known_refusal(s, w, now) };
            let tried = match known {
                Some(tried) => tried,
                // The short way for most.
                None if !SLOW && !P::ACTIVE && self.warps[slot as usize].runs() => {
                    self.attempt(s, w, slot, Gate::Open, cx)?
                }
                None => self.try_issue(s, w, Gate::Open, cx)?,
            };
            if matches!(tried, Try::Issued) {
                return self.go_on(s, w, cx);
            }
            if !self.note::<P, SLOW>(s, w, tried, &mut look, cx) {
                return Ok(());
            }
            // Of those that are left the first is who comes next.
            left &= !(1 << w);
            next = Turns::first(policy, &self.subs[s].sched.order, left, last);
        }
        if outbid != 0 {
            self.turn.refuse(s, Reason::Unit);
        }
        let sched = &mut self.subs[s].sched;
        if taken != 0
            && Turns::first(policy, &sched.order, due, last).is_some_and(|w| taken >> w & 1 == 1)
        {
            look.why = Some(Reason::Unit);
        }
        if awake != due {
            // What keeps the first of all is told.
            look.why = match Turns::first(policy, &sched.order, awake, last) {
                Some(w) if due >> w & 1 == 1 => look.why,
                Some(w) => Some(sched.keeps(w, now)),
                None => Some(Reason::Stall),
            };
        }
        sched.idle(later.min(look.wake), look.why);
        Ok(())
    }

    /// How a warp is refused now, if that is known without a try.
    #[inline(always)]
    fn known_refusal(&mut self, s: usize, w: usize, now: u64) -> Option<Try> {
        let sub = &mut self.subs[s];
        let Sched { refused, refused_why, .. } = *sub.sched.of(w);
        (refused > now).then(|| {
            sub.sched.refuse(w, refused, refused_why);
            Try::At(refused, refused_why)
        })
    }

    /// Warps whose unit is taken are refused it, as if each had been tried.
    #[cold]
    fn refuse_all(&mut self, s: usize, mut warps: u64, now: u64) {
        let SubCore { sched, units, .. } = &mut self.subs[s];
        while warps != 0 {
            let warp = warps & warps.wrapping_neg();
            warps &= !warp;
            let free = |need| units.free_for(&self.units, &self.groups, need);
            let (_, until) = sched.needs.taken(warp, now, free);
            sched.refuse(warp.trailing_zeros() as usize, until, Reason::Unit);
        }
    }

    /// Issues the next instruction of a warp where something may stand between.
    pub(super) fn try_issue<P: Probe>(
        &mut self,
        s: usize,
        local: usize,
        gate: Gate,
        cx: &mut Cx<'_, P>,
    ) -> Result<Try, Trap> {
        let slot = self.slot_of(s, local);
        if (P::ACTIVE || !self.warps[slot as usize].runs())
            && let Some(tried) = self.begin_attempt(slot, gate, cx)
        {
            return Ok(tried);
        }
        self.attempt(s, local, slot, gate, cx)
    }

    /// The same for a warp, in slot `slot`, that has threads that go on.
    // Inlined, because the hottest caller's gate is open, which leaves nothing of it.
    #[inline(always)]
    fn attempt<P: Probe>(
        &mut self,
        s: usize,
        local: usize,
        slot: u32,
        gate: Gate,
        cx: &mut Cx<'_, P>,
    ) -> Result<Try, Trap> {
        let now = cx.now;
        let (sub, warp) = (&mut self.subs[s], &mut self.warps[slot as usize]);
        let pc = warp.flow.pc;
        cx.probe.acting(By::Warp { sm: self.id, slot, pc });
        let bits = match warp.ibuf.head() {
            Some(e) if e.pc == pc => {
                if e.ready > now {
                    return Ok(refused::<P>(&mut sub.sched, local, e.ready, Reason::Fetch));
                }
                e.bits
            }
            _ => return self.fetch_head(slot, gate, cx),
        };
        let code = &*cx.kernel.code;
        if P::GHOSTS
            && crate::haunt::wrong_code((slot, warp), &mut self.shadows, code, cx.config, cx.probe)
        {
            return Ok(Try::Haunted);
        }
        warp.ibuf.tell_decoded(now, cx.probe);
        let decoded;
        let entry = match code.at(pc) {
            Some(at) if at.bits == bits => at.op,
            _ => {
                decoded = code.decode_boxed(bits, pc, cx.config);
                &*decoded
            }
        };
        let Decoded::Op(op) = entry else {
            return self.meet(slot, entry, code.program.layout, now);
        };
        let patient = gate != Gate::Forced;
        if patient && op.inst.ctl.wait != 0 && !warp.is_clear_for(op) {
            sub.sched.of_mut(local).wait = op.inst.ctl.wait;
            warp.refuse(op);
            return Ok(Try::Blocked(Reason::Scoreboard));
        }
        if patient && op.route == Route::DepBar && !self.counters_are_low(s, local, op) {
            return Ok(Try::Blocked(Reason::Scoreboard));
        }
        let sub = &mut self.subs[s];
        let in_groups = op.shared_unit && op.groups != 0;
        let unit = match in_groups {
            false => sub.units.pick(&self.units, op),
            true => self.groups.pick(op, now),
        };
        if patient && unit.free > now {
            if !P::ACTIVE && !P::GHOSTS {
                sub.sched.needs.add(local, Need::of(op));
            }
            return Ok(refused::<P>(&mut sub.sched, local, unit.free, Reason::Unit));
        }
        if patient && op.route == Route::Memory && sub.queued >= cx.config.memory_queue {
            return Ok(Try::Blocked(Reason::MemoryQueue));
        }
        let far = op.route == Route::Fence
            && matches!(op.inst.exec, Exec::Fence(FenceScope::Gpu | FenceScope::Sys));
        if patient && far && cx.mem.outstanding_writes(self.id as u16, now) > 0 {
            return Ok(Try::At(now + u64::from(cx.config.timing.fence_poll), Reason::Fence));
        }
        let found;
        let constants = match op.const_count == 0 && !P::GHOSTS {
            true => &NO_CONSTANTS,
            false => match self.constants(slot, op, cx) {
                Ok(Ok(c)) => {
                    found = c;
                    &found
                }
                Ok(Err(Some(at))) => return Ok(Try::At(at, Reason::Constant)),
                Ok(Err(None)) => return Ok(Try::Blocked(Reason::Constant)),
                Err(kind) => return Err(self.trap(slot, kind)),
            },
        };
        if P::GHOSTS && self.haunts(slot, op, constants, cx) {
            return Ok(Try::Haunted);
        }
        if let Gate::Lines { high } = gate {
            match if high { self.selected(s, Some(local), cx) } else { return Ok(Try::Shut) } {
                Some(one) if one == local => {}
                Some(another) => return Ok(Try::Instead(another)),
                None => return Ok(Try::Bubble),
            }
        }
        // Decided: from here on the instruction issues.
        let busy = now + u64::from(op.interval);
        let sub = &mut self.subs[s];
        match in_groups {
            false => sub.units.take(&mut self.units, op, unit, busy),
            true => self.groups.take(op, unit, busy),
        }
        // Pipes with queues read their operands when the ports are free.
        let conflicts = if op.variable { 0 } else { sub.reuse.read(op, slot, cx.config) };
        let hold = u64::from(op.hold);
        sub.sched.issue_free = now + 1 + hold + u64::from(conflicts);
        sub.sched.pause(local, now + hold + u64::from(op.pause));
        if self.pmu.is_some() {
            self.count_issue(slot, op);
        }
        let plain = op.plain && !P::ACTIVE && !P::GHOSTS;
        let jump = match plain && self.issue_plain(slot, op, constants, now) {
            true => None,
            false => match self.issue(slot, op, constants, unit.pipe, cx) {
                Ok(jump) => jump,
                Err(kind) => return Err(self.trap(slot, kind)),
            },
        };
        self.pass_port(slot, cx);
        self.hold_control(cx);
        self.after_issue(s, local, slot, jump, cx);
        Ok(Try::Issued)
    }

    /// What comes before an attempt of a warp that does not simply run on; an outcome
    /// where it ends with that.
    #[inline(never)]
    fn begin_attempt<P: Probe>(
        &mut self,
        slot: u32,
        gate: Gate,
        cx: &mut Cx<'_, P>,
    ) -> Option<Try> {
        if gate != Gate::Again {
            self.pass_port(slot, cx);
        }
        if self.has_turn(slot, cx) || self.passes_barrier(slot, cx) {
            return None;
        }
        if P::ACTIVE && self.is_held_back(slot) {
            return Some(Try::At(cx.now + 1, Reason::Barrier));
        }
        Some(Try::Blocked(self.rest(slot, cx)))
    }

    /// The next instruction of a warp is not in its buffer.
    #[inline(never)]
    fn fetch_head<P: Probe>(
        &mut self,
        slot: u32,
        gate: Gate,
        cx: &mut Cx<'_, P>,
    ) -> Result<Try, Trap> {
        let warp = &mut self.warps[slot as usize];
        let pc = warp.flow.pc;
        if warp.ibuf.held() > 0 || warp.ibuf.fetch_pc != pc {
            warp.ibuf.restart(pc);
        }
        if gate == Gate::Forced && warp.ibuf.waiting {
            return Ok(Try::Blocked(Reason::Fetch));
        }
        match self.fetch(slot, cx.now, cx) {
            Ok(Some(ready)) => Ok(Try::At(ready, Reason::Fetch)),
            Ok(None) => Ok(Try::Blocked(Reason::Fetch)),
            Err(kind) => Err(self.trap(slot, kind)),
        }
    }

    /// A warp comes to what is no instruction.
    #[cold]
    fn meet(&mut self, slot: u32, entry: &Decoded, layout: Layout, now: u64) -> Result<Try, Trap> {
        if let Decoded::Trap(kind) = entry {
            return Err(self.trap(slot, kind.clone()));
        }
        // Only a fault leads here: elsewhere control words are stepped over.
        let flow = &mut self.warps[slot as usize].flow;
        flow.pc = layout.settle(flow.pc);
        Ok(Try::At(now + 1, Reason::Fetch))
    }

    /// Whether the counters are as low as an instruction waits for them to be.
    #[inline(never)]
    fn counters_are_low(&mut self, s: usize, local: usize, op: &Op) -> bool {
        let Exec::DepBar { counter, at_most, also_zero } = op.inst.exec else { return true };
        let warp = &mut self.warps[local * self.subs.len() + s];
        let open = warp.counters.exceeds(counter, at_most);
        if open || !warp.counters.are_clear(also_zero) {
            self.subs[s].sched.of_mut(local).wait = 0;
            warp.refuse(op);
            return false;
        }
        true
    }

    /// Lets threads of a warp go on where none is active; false when none can.
    #[inline]
    fn has_turn<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) -> bool {
        let warp = &mut self.warps[slot as usize];
        if !warp.may_run() {
            return false;
        }
        if warp.flow.active != 0 {
            return true;
        }
        let some = warp.flow.schedule();
        if P::ACTIVE {
            if some {
                self.pass_port(slot, cx);
            }
            // Nobody else's state has changed: others need not look.
            self.put_back(cx, |_, _| {});
            return self.warps[slot as usize].flow.active != 0;
        }
        some
    }

    /// Threads of the warp could run, and stuck bits alone keep them: no event
    /// tells when those let them go, or have moved them elsewhere.
    fn is_held_back(&self, slot: u32) -> bool {
        let warp = &self.warps[slot as usize];
        warp.may_run() && warp.flow.active == 0 && warp.flow.others_ready()
    }

    /// Threads at a CTA barrier whose warp's state does not say that it waits go
    /// on; false when there are none.
    fn passes_barrier<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) -> bool {
        let warp = &mut self.warps[slot as usize];
        if warp.waiting || warp.flow.active != 0 || !warp.flow.is_at_cta_barrier() {
            return false;
        }
        warp.flow.pass_cta_barriers();
        self.has_turn(slot, cx)
    }

    /// A warp of which no thread can run: what it waits for.
    fn rest<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) -> Reason {
        let warp = &self.warps[slot as usize];
        if warp.flow.live == 0 || warp.finished {
            self.retire_if_done(slot, cx);
            return Reason::Drain;
        }
        Reason::Barrier
    }

    /// Fetching goes on, at another place after a jump.
    // Has one caller, the hottest there is.
    #[inline(always)]
    fn after_issue<P: Probe>(
        &mut self,
        s: usize,
        local: usize,
        slot: u32,
        jump: Option<u64>,
        cx: &mut Cx<'_, P>,
    ) {
        let warp = &self.warps[slot as usize];
        match !P::ACTIVE && warp.runs() && warp.flow.live != 0 {
            true => self.fetch_on::<P, true>(s, local, slot, jump, cx),
            false => self.fetch_on_if_it_stays(s, local, slot, jump, cx),
        }
    }

    /// The same for a warp that may have left, or has nobody left who goes on.
    #[inline(never)]
    fn fetch_on_if_it_stays<P: Probe>(
        &mut self,
        s: usize,
        local: usize,
        slot: u32,
        jump: Option<u64>,
        cx: &mut Cx<'_, P>,
    ) {
        self.warps[slot as usize].ibuf.pop();
        if self.stays(slot, cx) {
            self.fetch_on::<P, false>(s, local, slot, jump, cx);
        }
    }

    /// `POP`: what has issued is still in the buffer.
    #[inline(always)]
    fn fetch_on<P: Probe, const POP: bool>(
        &mut self,
        s: usize,
        local: usize,
        slot: u32,
        jump: Option<u64>,
        cx: &mut Cx<'_, P>,
    ) {
        let Sm { warps, subs, .. } = self;
        let warp = &mut warps[slot as usize];
        if POP {
            warp.ibuf.pop();
        }
        let pc = warp.flow.pc;
        let next = warp.ibuf.next_pc();
        let mut from = cx.now;
        if next != pc || jump.is_some() {
            warp.ibuf.restart(pc);
            from += u64::from(cx.config.unit(Unit::Branch).latency) + jump.unwrap_or(0);
        }
        if warp.ibuf.held() + 1 < cx.config.buffer as usize && !warp.ibuf.waiting {
            return self.fetch_more(s, local, slot, from, cx);
        }
        if !P::ACTIVE
            && let Some(ready) = warp.ibuf.head_ready()
        {
            subs[s].sched.comes(local, ready);
        }
    }

    /// There is room in the buffer of a warp that has issued.
    // Hands on what it was given: its caller is long enough.
    #[inline(never)]
    fn fetch_more<P: Probe>(
        &mut self,
        s: usize,
        local: usize,
        slot: u32,
        from: u64,
        cx: &mut Cx<'_, P>,
    ) {
        // What cannot be fetched is reported when it is to issue.
        let _ = self.fetch(slot, from, cx);
        if !P::ACTIVE
            && let Some(ready) = self.warps[slot as usize].ibuf.head_ready()
        {
            self.subs[s].sched.comes(local, ready);
        }
    }

    /// Whether a warp that has issued has threads that go on.
    fn stays<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) -> bool {
        let warp = &mut self.warps[slot as usize];
        if !warp.resident {
            return false;
        }
        if warp.flow.live == 0 {
            self.retire_if_done(slot, cx);
            return false;
        }
        if !self.has_turn(slot, cx) {
            let warp = &mut self.warps[slot as usize];
            warp.waiting |= warp.flow.active == 0 && warp.flow.is_at_cta_barrier();
            self.hold_control(cx);
            return false;
        }
        true
    }
}

/// A warp cannot issue before a cycle, whatever happens to others until then, and
/// nothing comes of trying it sooner. (A line that has to be fetched is asked for
/// at every try.)
#[inline]
fn refused<P: Probe>(sched: &mut Scheduler, warp: usize, until: u64, why: Reason) -> Try {
    if !P::ACTIVE {
        sched.refuse(warp, until, why);
    }
    Try::At(until, why)
}
