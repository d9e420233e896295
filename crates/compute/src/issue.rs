//! The schedulers: which warp issues, what keeps it, and what issuing does.

use upset_isa::program::STEP;
use upset_isa::trap::{Trap, TrapKind};
use upset_isa::warp::{
    Effect, Env, FlowEffect, addresses, bar_result, evaluate, flow, guarded, in_space,
    load_scratch, pred, rows,
};
use upset_isa::{CacheOp, Exec, FenceScope, Flow, MemKind, Sources, Target, Unit, WARP};
use upset_state::{Access as Touch, ArrayId, By, Event, Extent, Kind, Probe};

use crate::code::{Decoded, Op, Route, is_variable};
use crate::fetch::ibuf_row;
use crate::scheduler::Turns;
use crate::sm::{Cx, Sm, Todo, begin_write};
use crate::stats::Reason;
use crate::tell::tell_issued;
use crate::view::View;

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
        if P::GHOSTS && crate::haunt::wrong_code(self.id, slot, &warp.ibuf, cx.probe) {
            return Ok(Try::Haunted);
        }
        if P::ACTIVE {
            let row = ibuf_row(slot, warp.ibuf.capacity(), warp.ibuf.head_index());
            let array = ArrayId::data(Kind::Ibuf, self.id);
            cx.probe.event(Event::new(now, array, row, Touch::Read, Extent::Row));
        }
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

    /// Carries out an instruction. Where fetching must start anew (after a jump
    /// that somebody takes, and at a reconvergence point, which a warp reaches
    /// as if by a jump) it says how many cycles more than a plain branch it takes.
    fn issue<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        constants: crate::view::Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<Option<u64>, TrapKind> {
        let now = cx.now;
        let inst = &op.inst;
        let (s, _) = self.place(slot);
        if P::ACTIVE {
            self.tell_issue(slot, op, cx);
        }
        let warp = &mut self.warps[slot as usize];
        let active = warp.flow.active;
        self.counters.warp_insts += 1;
        self.counters.thread_insts += u64::from(active.count_ones());
        self.counters.inactive_lanes +=
            u64::from(warp.flow.live.count_ones()).saturating_sub(u64::from(active.count_ones()));
        let first = warp.first_row as usize;
        let rows = self.subs[s].rf.get(first..first + warp.rows as usize).unwrap_or_default();
        let view =
            View { rows, preds: &warp.preds, upreds: &warp.upreds, uregs: &warp.uregs, constants };
        let mask = guarded(&view, inst.guard, active);
        if P::ACTIVE && (!op.wide || mask == 0) {
            tell_issued((self.id, slot), warp, &self.ctas, (warp.flow.pc, inst, mask), &view, cx);
        }
        if cfg!(debug_assertions) {
            let early = warp.unwritten.reads(inst);
            self.counters.hazards += early;
        }
        let (raises_write, raises_read) = (inst.ctl.write_sb, inst.ctl.read_sb);
        let mut jump = None;
        match op.route {
            Route::Flow => {
                let Exec::Flow(f) = inst.exec else { return Ok(None) };
                let index = begin_write(&mut self.writes, slot, inst, mask, false);
                let wb = &mut self.writes[index];
                if P::ACTIVE {
                    wb.pc = warp.flow.pc;
                }
                let live = warp.flow.live;
                let before = warp.flow.active;
                let taken = mask & pred(&view, inst.psrc[0]) & pred(&view, inst.psrc[1]) != 0;
                let timing = &cx.config.timing;
                jump = match f {
                    Flow::Branch(t) | Flow::Call(t) | Flow::Ret(t) if taken => Some(match t {
                        Target::Relative(_) | Target::Absolute(_) => 0,
                        Target::RegRelative(_) | Target::RegAbsolute(_) => {
                            u64::from(timing.indirect)
                        }
                    }),
                    Flow::Bsync { .. } if mask != 0 => Some(u64::from(timing.join)),
                    // Those that met here have waited.
                    Flow::WarpSync { .. } if warp.flow.has_met() => None,
                    Flow::WarpSync { .. } if mask != 0 && before != live => {
                        Some(u64::from(timing.gather))
                    }
                    _ => None,
                };
                let kernel = cx.kernel;
                let effect = flow(
                    &view,
                    inst,
                    f,
                    mask,
                    &mut warp.flow,
                    &kernel.code.program,
                    &mut wb.results,
                );
                let effect = match effect {
                    Ok(effect) => effect,
                    Err(kind) => {
                        self.writes.put(index);
                        return Err(kind);
                    }
                };
                let again = warp.flow.take_again();
                if again.issues != 0 {
                    self.counters.warp_insts += u64::from(again.issues);
                    self.counters.thread_insts += u64::from(again.threads);
                    // Each time as long as the first; not measured.
                    let once = u64::from(cx.config.unit(Unit::Branch).latency) + jump.unwrap_or(0);
                    jump = Some(jump.unwrap_or(0) + u64::from(again.issues) * once);
                }
                match effect {
                    FlowEffect::Results => wb.writes = true,
                    FlowEffect::BarResult => {
                        bar_result(warp.bar_result, &mut wb.results);
                        wb.writes = true;
                    }
                    _ => {}
                }
                if matches!(f, Flow::Branch(_))
                    && warp.flow.active != before
                    && warp.flow.active != 0
                {
                    self.counters.diverged += 1;
                }
                let cta = warp.cta as usize;
                let id = warp.id as usize;
                let exited = warp.flow.live != live;
                if wb.writes || raises_write < 6 {
                    self.launch_write(index, op, now);
                } else {
                    self.writes.put(index);
                }
                self.raise_read(slot, raises_read, op, now);
                if let FlowEffect::Arrive { bar, who, count, reduce, .. } = effect {
                    if let Some(Some(c)) = self.ctas.get_mut(cta) {
                        c.barriers.arrive(bar, id, who, count, reduce);
                    }
                    self.settle(cta, cx);
                } else if exited {
                    self.settle(cta, cx);
                }
            }
            // Counters move although nothing is done: code counts on it (`DEPBAR.LE`).
            Route::Compute | Route::UniformConst | Route::Invalidate if mask == 0 => {
                warp.flow.advance(STEP);
                self.raise_both(slot, op, now);
            }
            Route::Compute if op.wide => {
                let index = begin_write(&mut self.writes, slot, inst, mask, true);
                let wb = &mut self.writes[index];
                if P::ACTIVE {
                    wb.pc = warp.flow.pc;
                }
                wb.constants = constants;
                wb.rest = op.latency.saturating_sub(cx.config.timing.wide_read).max(1);
                if P::GHOSTS {
                    self.haunt_result(index, op, constants, crate::haunt::unreachable_env, cx);
                }
                let warp = &mut self.warps[slot as usize];
                warp.flow.advance(STEP);
                warp.in_flight += 1;
                warp.raise(raises_write);
                if cfg!(debug_assertions) {
                    warp.unwritten.started(inst);
                }
                let at = now + u64::from(cx.config.timing.wide_read);
                self.todo.push(at, Todo::Compute(index));
                self.raise_read(slot, raises_read, op, now);
            }
            Route::Compute => {
                let index = begin_write(&mut self.writes, slot, inst, mask, true);
                let wb = &mut self.writes[index];
                if P::ACTIVE {
                    wb.pc = warp.flow.pc;
                }
                if let Exec::Mem(m) = inst.exec {
                    // Only `QSPC` comes this way.
                    let mut addrs = [0; WARP];
                    if let Err(kind) = addresses(&view, inst, &m, &mut addrs) {
                        self.writes.put(index);
                        return Err(kind);
                    }
                    if let MemKind::QuerySpace(space) = m.kind {
                        let hit = in_space(&addrs, mask, space, &cx.kernel.windows);
                        wb.results.p = [hit, 0];
                    }
                } else {
                    let cta = self.ctas.get(warp.cta as usize).and_then(Option::as_ref);
                    let kernel = cx.kernel;
                    let (tids, config, sm) = (cx.tids, cx.config, self.id);
                    let env = || Env {
                        tid: &tids[warp.id as usize % tids.len().max(1)],
                        ctaid: cta.map_or([0; 3], |c| c.id),
                        block: kernel.block,
                        windows: kernel.windows,
                        shared_bytes: kernel.shared_bytes,
                        sm,
                        warp_slot: slot,
                        clock: now,
                        global_timer: nanoseconds(now, config.core_khz),
                    };
                    match evaluate(&view, inst, mask, env, &mut self.scratch, &mut wb.results) {
                        Ok(Effect::Results) => {}
                        Ok(Effect::Predicates { value, select }) => {
                            wb.preds = Some((value, select));
                        }
                        Ok(Effect::Nothing) => wb.writes = false,
                        Err(kind) => {
                            self.writes.put(index);
                            return Err(kind);
                        }
                    }
                    if P::GHOSTS && wb.writes {
                        let (id, ctaid) = (warp.id, cta.map_or([0; 3], |c| c.id));
                        let env = || Env {
                            tid: &tids[id as usize % tids.len().max(1)],
                            ctaid,
                            block: kernel.block,
                            windows: kernel.windows,
                            shared_bytes: kernel.shared_bytes,
                            sm,
                            warp_slot: slot,
                            clock: now,
                            global_timer: nanoseconds(now, config.core_khz),
                        };
                        self.haunt_result(index, op, constants, env, cx);
                    }
                }
                let warp = &mut self.warps[slot as usize];
                let wb = &mut self.writes[index];
                warp.flow.advance(STEP);
                if wb.writes || raises_write < 6 {
                    self.launch_write(index, op, now);
                } else {
                    self.writes.put(index);
                }
                self.raise_read(slot, raises_read, op, now);
            }
            Route::UniformConst => self.issue_uniform_const(slot, op, mask, constants, cx)?,
            Route::Memory | Route::ConstLoad | Route::Texture => {
                self.issue_access(slot, op, mask, constants, cx)?;
            }
            Route::Invalidate => {
                warp.flow.advance(STEP);
                match inst.exec {
                    Exec::CacheControl(CacheOp::InvalidateL1) => {
                        self.l1d.invalidate_all(now, cx.out, cx.probe);
                    }
                    Exec::CacheControl(CacheOp::InvalidateConst) => {
                        self.l1c.invalidate_all(now, cx.out, cx.probe);
                    }
                    _ => {}
                }
                self.raise_both(slot, op, now);
            }
            Route::Fence | Route::DepBar => {
                warp.flow.advance(STEP);
                if let Exec::Fence(FenceScope::Gpu | FenceScope::Sys) = inst.exec {
                    // The stores are done; that they are still has to be told.
                    let (_, local) = self.place(slot);
                    let sched = &mut self.subs[s].sched[local];
                    sched.ready = sched.ready.max(now + u64::from(cx.config.way_back));
                }
                self.raise_both(slot, op, now);
            }
        }
        Ok(jump)
    }

    /// A wide multiply-add has its operands.
    pub(crate) fn compute_late<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if P::ACTIVE {
            let wb = &self.writes[index];
            self.tell_operands(wb.slot, &wb.inst, wb.mask, cx);
        }
        let Sm { id, writes, warps, subs, scratch, ctas, .. } = self;
        let wb = &mut writes[index];
        let warp = &warps[wb.slot as usize];
        let sub = &subs[wb.slot as usize % subs.len()];
        let first = warp.first_row as usize;
        let view = View {
            rows: sub.rf.get(first..first + warp.rows as usize).unwrap_or_default(),
            preds: &warp.preds,
            upreds: &warp.upreds,
            uregs: &warp.uregs,
            constants: wb.constants,
        };
        if P::ACTIVE {
            tell_issued((*id, wb.slot), warp, ctas, (wb.pc, &wb.inst, wb.mask), &view, cx);
        }
        if let Exec::Alu(f) = wb.inst.exec
            && load_scratch(&view, &wb.inst, scratch).is_ok()
        {
            let sources = Sources {
                r: rows(&view, &wb.inst, scratch),
                p: wb.inst.psrc.map(|p| pred(&view, p)),
                active: wb.mask,
            };
            f(wb.inst.mods, &sources, &mut wb.results);
        }
        let at = cx.now + u64::from(wb.rest);
        if P::GHOSTS {
            self.haunt_late(index, cx);
        }
        self.todo.push(at, Todo::Write(index));
    }

    /// Counters of an instruction without results: both fall after its latency.
    fn raise_both(&mut self, slot: u32, op: &Op, now: u64) {
        if op.inst.ctl.write_sb < 6 {
            let index = begin_write(&mut self.writes, slot, &op.inst, 0, false);
            self.launch_write(index, op, now);
        }
        self.raise_read(slot, op.inst.ctl.read_sb, op, now);
    }

    /// Sends a result on its way.
    pub(crate) fn launch_write(&mut self, index: u32, op: &Op, now: u64) {
        let slot = self.writes[index].slot;
        let warp = &mut self.warps[slot as usize];
        warp.in_flight += 1;
        warp.raise(op.inst.ctl.write_sb);
        if cfg!(debug_assertions) && self.writes[index].writes {
            warp.unwritten.started(&op.inst);
        }
        self.todo.push(now + u64::from(op.latency), Todo::Write(index));
    }

    /// Raises the counter that falls when operands have been read.
    pub(crate) fn raise_read(&mut self, slot: u32, counter: u8, op: &Op, now: u64) {
        if counter < 6 {
            self.warps[slot as usize].raise(counter);
            let at = now + u64::from(op.read);
            self.todo.push(at, Todo::Lower { slot: slot as u16, counter });
        }
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

/// Nanoseconds of a cycle count.
fn nanoseconds(cycles: u64, khz: u64) -> u64 {
    (u128::from(cycles) * 1_000_000 / u128::from(khz)) as u64
}
