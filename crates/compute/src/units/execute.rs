//! What issuing an instruction does: operands are read, results computed and
//! sent on their way, threads moved.

use upset_chip::TimingSpec;
use upset_isa::control::barriers::Convergence;
use upset_isa::control::stack::EntryKind;
use upset_isa::trap::TrapKind;
use upset_isa::warp::{
    Effect, Env, FlowEffect, NO_ROWS, addresses, bar_result, evaluate, flow, gather, guarded,
    in_space, load_scratch, pred, rows,
};
use upset_isa::{
    CacheOp, Exec, FenceScope, Flow, Inst, Mask, MemKind, Sources, Target, Unit, WARP,
};
use upset_machine::CoreCounters;
use upset_machine::pmu::Counter;
use upset_state::Probe;

use crate::code::{Op, Route};
use crate::pmu::add_again;
use crate::sm::{Cx, Sm};
use crate::tell::tell_issued;
use crate::todo::Todo;
use crate::units::result::{Flags, WriteBack, begin_write};
use crate::units::write_back::launch;
use crate::view::{Constants, View};
use crate::warp::Counted;

impl Sm {
    /// Carries out an instruction. Where fetching must start anew (after a jump
    /// that somebody takes, and at a reconvergence point, which a warp reaches
    /// as if by a jump) it says how many cycles more than a plain branch it takes.
    /// `pipe`: which it has, where its unit is one of several.
    pub(crate) fn issue<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        constants: &Constants,
        pipe: u8,
        cx: &mut Cx<'_, P>,
    ) -> Result<Option<u64>, TrapKind> {
        let mask = self.begin_issue(slot, op, constants, cx);
        match op.route {
            Route::Flow => return self.issue_flow(slot, op, mask, constants, cx),
            // Counters move although nothing is done: code counts on it (`DEPBAR.LE`).
            Route::Compute | Route::UniformConst | Route::Invalidate if mask == 0 => {
                self.issue_nothing(slot, op, cx.now);
            }
            Route::Compute if op.late => self.issue_late(slot, op, mask, constants, cx),
            Route::Compute => self.issue_compute(slot, op, mask, (constants, pipe), cx)?,
            Route::UniformConst => self.issue_uniform_const(slot, op, mask, constants, cx)?,
            Route::Memory | Route::ConstLoad | Route::Texture => {
                self.issue_access(slot, op, mask, constants, cx)?;
            }
            Route::Invalidate => self.issue_invalidate(slot, op, cx),
            Route::Fence | Route::DepBar => self.issue_fence(slot, op, cx),
        }
        if op.inst.joins {
            let threads = &mut self.warps[slot as usize].flow;
            threads.leave_for(EntryKind::Sync, mask, threads.pc);
            threads.check_stack()?;
        }
        Ok(None)
    }

    /// What an instruction computes from what it finds at issue, where nobody watches and
    /// nobody is followed: the short way for most instructions. False, and nothing is
    /// done, where that is not enough.
    #[inline(never)]
    pub(crate) fn issue_plain(
        &mut self,
        slot: u32,
        op: &Op,
        constants: &Constants,
        now: u64,
    ) -> bool {
        let inst = &op.inst;
        let Sm { warps, files, writes, counters, pmu, scratch, todo, .. } = self;
        let warp = &mut warps[slot as usize];
        let (active, threads) = (warp.flow.active, warp.threads());
        let view = View::of(files, warp, constants);
        let mask = guarded(&view, inst.guard, active);
        let p = if op.all_true { [Mask::MAX; 3] } else { inst.psrc.map(|p| pred(&view, p)) };
        let mut s = Sources { r: NO_ROWS, p, active: mask };
        if mask == 0 || gather(&view, inst, scratch, &mut s.r).is_err() {
            return false;
        }
        count(counters, threads);
        if let Some(pmu) = pmu {
            pmu.add(Counter::ThreadInsts, active.count_ones().into());
        }
        if cfg!(debug_assertions) {
            counters.hazards += warp.unwritten.reads(inst);
        }
        let index = writes.take();
        let wb = &mut writes[index];
        wb.begin(slot, inst, mask, true);
        match inst.exec {
            Exec::AluCodes { f, writes } => {
                let mut codes = view.codes.copied().unwrap_or_default();
                f(inst.mods, &s, &mut codes, &mut wb.results);
                if writes {
                    wb.flags = Flags::Codes(codes, [Mask::MAX; 4]);
                }
            }
            Exec::Alu(f) => f(inst.mods, &s, &mut wb.results),
            // Nothing else is plain.
            _ => wb.writes = false,
        }
        warp.flow.advance(op.next);
        launch(warp, wb, op);
        todo.push(now + u64::from(op.latency), Todo::Write(index));
        if inst.ctl.read_sb < 6 {
            self.raise_read(slot, inst.ctl.read_sb, op, now);
        }
        true
    }

    /// Counts an instruction and says which lanes execute it.
    #[inline]
    fn begin_issue<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Mask {
        let inst = &op.inst;
        if P::ACTIVE {
            self.tell_issue(slot, op, cx);
        }
        let warp = &mut self.warps[slot as usize];
        let active = warp.flow.active;
        count(&mut self.counters, warp.threads());
        let warp = &*warp;
        if let Some(pmu) = &mut self.pmu {
            pmu.add(Counter::ThreadInsts, active.count_ones().into());
        }
        let view = View::of(&self.files, warp, constants);
        let mask = guarded(&view, inst.guard, active);
        if P::ACTIVE && (!op.late || mask == 0) {
            tell_issued((self.id, slot), warp, &self.ctas, (warp.flow.pc, inst, mask), &view, cx);
        }
        if cfg!(debug_assertions) {
            self.counters.hazards += warp.unwritten.reads(inst);
        }
        mask
    }

    /// Nobody executes it, but its counters move.
    fn issue_nothing(&mut self, slot: u32, op: &Op, now: u64) {
        self.warps[slot as usize].flow.advance(op.next);
        self.raise_both(slot, op, now);
    }

    /// Jumps, reconvergence, barriers, exits.
    fn issue_flow<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<Option<u64>, TrapKind> {
        let inst = &op.inst;
        let Exec::Flow(f) = inst.exec else { return Ok(None) };
        let latched = self.latch_operands(slot, inst, constants, cx);
        let inst = latched.as_ref().map_or(inst, |l| &l.inst);
        let unit = self.broken_outputs(slot, cx);
        let index = begin_write(&mut self.writes, slot, inst, mask, false);
        let Sm { warps, files, writes, counters, pmu, .. } = self;
        let (warp, wb) = (&mut warps[slot as usize], &mut writes[index]);
        if P::ACTIVE {
            wb.pc = warp.flow.pc;
        }
        let (live, before) = (warp.flow.live, warp.flow.active);
        let (view, threads) = match &latched {
            Some(latched) => latched.and_flow(warp, constants),
            None => View::and_flow(files, warp, constants),
        };
        let (mut own, mut mask) = (None, mask);
        if let Some(unit) = &unit {
            let own = own.insert(*inst);
            mask = unit.mask(&view, own, f, mask, cx.probe);
        }
        let inst = own.as_ref().unwrap_or(inst);
        let was = unit.as_ref().map(|unit| unit.before(f, mask, threads));
        let taken = mask & pred(&view, inst.psrc[0]) & pred(&view, inst.psrc[1]) != 0;
        let mut jump = jump_of(f, mask, taken, threads, &cx.config.timing);
        let program = &cx.kernel.code.program;
        let effect = match flow(&view, inst, f, mask, threads, program, &mut wb.results) {
            Ok(effect) => effect,
            Err(kind) => {
                self.writes.put(index);
                return Err(kind);
            }
        };
        if let (Some(unit), Some(was)) = (&unit, &was) {
            unit.after(f, was, &mut warp.flow, cx.probe);
        }
        let again = warp.flow.take_again();
        if again.issues != 0 {
            counters.warp_insts += u64::from(again.issues);
            counters.thread_insts += u64::from(again.threads);
            if let Some(pmu) = pmu {
                add_again(pmu, again, inst.op.unit);
            }
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
        if matches!(f, Flow::Branch(_)) && warp.flow.active != before && warp.flow.active != 0 {
            counters.diverged += 1;
        }
        let (cta, id, exited) = (warp.cta as usize, warp.id as usize, warp.flow.live != live);
        self.end_issue(slot, index, op, cx.now);
        if let FlowEffect::Arrive { bar, who, count, reduce, .. } = effect {
            if let Some(Some(c)) = self.ctas.get_mut(cta) {
                c.barriers.arrive(bar, id, who, count, reduce);
            }
            self.settle(cta, cx);
        } else if exited {
            self.settle(cta, cx);
        }
        Ok(jump)
    }

    /// A wide multiply-add: its operands are read later.
    fn issue_late<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) {
        let inst = &op.inst;
        let index = begin_write(&mut self.writes, slot, inst, mask, true);
        let wb = &mut self.writes[index];
        if P::ACTIVE {
            wb.pc = self.warps[slot as usize].flow.pc;
        }
        wb.constants = *constants;
        wb.leaves(op);
        wb.rest = op.latency.saturating_sub(cx.config.timing.wide_read).max(1);
        if P::GHOSTS {
            self.haunt_result(index, op, constants, crate::haunt::unreachable_env, cx);
        }
        let warp = &mut self.warps[slot as usize];
        warp.flow.advance(op.next);
        warp.in_flight += 1;
        warp.awaits(op);
        if cfg!(debug_assertions) {
            warp.unwritten.started(inst);
        }
        self.todo.push(cx.now + u64::from(cx.config.timing.wide_read), Todo::Compute(index));
        self.raise_read(slot, inst.ctl.read_sb, op, cx.now);
    }

    /// An instruction that computes from what it finds at issue.
    // Kept apart: its rows would be on the stack of every other.
    #[inline(never)]
    fn issue_compute<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        mask: Mask,
        (constants, pipe): (&Constants, u8),
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let inst = &op.inst;
        let index = begin_write(&mut self.writes, slot, inst, mask, true);
        if P::ACTIVE {
            self.writes[index].pc = self.warps[slot as usize].flow.pc;
        }
        let computed = match inst.exec {
            // Only `QSPC` comes this way.
            Exec::Mem(_) => self.query_space(slot, index, inst, mask, constants, cx),
            _ => self.evaluate(slot, index, op, mask, constants, cx),
        };
        if let Err(kind) = computed {
            self.writes.put(index);
            return Err(kind);
        }
        self.latch_result(index, pipe, constants, cx);
        self.warps[slot as usize].flow.advance(op.next);
        self.end_issue(slot, index, op, cx.now);
        Ok(())
    }

    /// Which lanes' addresses are in a space.
    fn query_space<P: Probe>(
        &mut self,
        slot: u32,
        index: u32,
        inst: &Inst,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let Exec::Mem(m) = inst.exec else { return Ok(()) };
        let view = View::of(&self.files, &self.warps[slot as usize], constants);
        let mut addrs = [0; WARP];
        addresses(&view, inst, &m, &mut addrs)?;
        if let MemKind::QuerySpace(space) = m.kind {
            let hit = in_space(&addrs, mask, space, &cx.kernel.windows);
            self.writes[index].results.p = [hit, 0];
        }
        Ok(())
    }

    /// Computes a result, for ghosts too.
    #[inline]
    fn evaluate<P: Probe>(
        &mut self,
        slot: u32,
        index: u32,
        op: &Op,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let latched = self.latch_operands(slot, &op.inst, constants, cx);
        let Sm { warps, files, writes, ctas, scratch, .. } = self;
        let (warp, wb) = (&warps[slot as usize], &mut writes[index]);
        let cta = ctas.get(warp.cta as usize).and_then(Option::as_ref);
        let (id, ctaid) = (warp.id, cta.map_or([0; 3], |c| c.id));
        let (kernel, tids, config, sm, now) = (cx.kernel, cx.prepared, cx.config, self.id, cx.now);
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
        let (view, inst) = match &latched {
            Some(latched) => (latched.view(warp, constants), &latched.inst),
            None => (View::of(files, warp, constants), &op.inst),
        };
        match evaluate(&view, inst, mask, env, scratch, &mut wb.results)? {
            Effect::Results => {}
            Effect::Predicates { value, select } => wb.flags = Flags::Predicates(value, select),
            Effect::Codes { value, select } => wb.flags = Flags::Codes(value, select),
            Effect::Nothing => wb.writes = false,
        }
        if P::GHOSTS && wb.writes {
            self.haunt_result(index, op, constants, env, cx);
        }
        Ok(())
    }

    /// First-level caches forget what they hold.
    fn issue_invalidate<P: Probe>(&mut self, slot: u32, op: &Op, cx: &mut Cx<'_, P>) {
        self.warps[slot as usize].flow.advance(op.next);
        match op.inst.exec {
            Exec::CacheControl(CacheOp::InvalidateL1) => {
                self.l1d.invalidate_all(cx.now, cx.out, cx.probe);
            }
            Exec::CacheControl(CacheOp::InvalidateConst) => {
                self.l1c.invalidate_all(cx.now, cx.out, cx.probe);
            }
            _ => {}
        }
        self.raise_both(slot, op, cx.now);
    }

    /// A fence whose stores are done, or a wait for counters that is over.
    fn issue_fence<P: Probe>(&mut self, slot: u32, op: &Op, cx: &mut Cx<'_, P>) {
        self.warps[slot as usize].flow.advance(op.next);
        if let Exec::Fence(FenceScope::Gpu | FenceScope::Sys) = op.inst.exec {
            // The stores are done; that they are still has to be told.
            let (s, local) = self.place(slot);
            let sched = &mut self.subs[s].sched;
            let ready = sched.of(local).ready;
            sched.pause(local, ready.max(cx.now + u64::from(cx.config.way_back)));
        }
        self.raise_both(slot, op, cx.now);
    }

    /// Sends what an instruction has written on its way, if that is anything.
    #[inline]
    fn end_issue(&mut self, slot: u32, index: u32, op: &Op, now: u64) {
        if self.writes[index].writes || op.inst.ctl.write_sb < 6 {
            self.launch_write(index, op, now);
        } else {
            self.writes.put(index);
        }
        self.raise_read(slot, op.inst.ctl.read_sb, op, now);
    }

    /// A wide multiply-add has its operands.
    pub(crate) fn compute_late<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if P::ACTIVE {
            let wb = &self.writes[index];
            self.tell_operands(wb.slot, &wb.inst, wb.mask, cx);
        }
        let latched = match P::ACTIVE {
            true => {
                let WriteBack { slot, inst, constants, .. } = self.writes[index];
                self.latch_operands(slot, &inst, &constants, cx)
            }
            false => None,
        };
        let Sm { id, writes, warps, files, scratch, ctas, .. } = self;
        let wb = &mut writes[index];
        let warp = &warps[wb.slot as usize];
        let (view, inst) = match &latched {
            Some(latched) => (latched.view(warp, &wb.constants), &latched.inst),
            None => (View::of(files, warp, &wb.constants), &wb.inst),
        };
        if P::ACTIVE {
            tell_issued((*id, wb.slot), warp, ctas, (wb.pc, &wb.inst, wb.mask), &view, cx);
        }
        if let Exec::Alu(f) = inst.exec
            && load_scratch(&view, inst, scratch).is_ok()
        {
            let sources = Sources {
                r: rows(&view, inst, scratch),
                p: inst.psrc.map(|p| pred(&view, p)),
                active: wb.mask,
            };
            f(inst.mods, &sources, &mut wb.results);
        }
        let (at, constants) = (cx.now + u64::from(wb.rest), wb.constants);
        // Of several FP32 pipes the one that multiplies integers.
        self.latch_result(index, 0, &constants, cx);
        if P::GHOSTS {
            self.haunt_late(index, cx);
        }
        self.todo.push(at, Todo::Write(index));
    }
}

/// Counts an instruction of a warp's threads.
#[inline]
fn count(counters: &mut CoreCounters, threads: Counted) {
    counters.warp_insts += 1;
    counters.thread_insts += u64::from(threads.active);
    counters.inactive_lanes += u64::from(threads.inactive);
}

/// How many cycles more than a plain branch it takes until fetching starts
/// anew; none where it goes on.
fn jump_of(
    f: Flow,
    mask: Mask,
    taken: bool,
    threads: &Convergence,
    timing: &TimingSpec,
) -> Option<u64> {
    let more = match f {
        Flow::Branch(t) | Flow::Call(t) | Flow::Ret(t) if taken => Some(match t {
            Target::Relative(_) | Target::Absolute(_) => 0,
            Target::RegRelative(_) | Target::RegAbsolute(_) => timing.indirect,
        }),
        Flow::Bsync { .. } if mask != 0 => Some(timing.join),
        // Those that met here have waited.
        Flow::WarpSync { .. } if threads.has_met() => None,
        Flow::WarpSync { .. } if mask != 0 && threads.active != threads.live => Some(timing.gather),
        // Not measured: as long as it takes others to gather.
        Flow::Collective { .. } if mask != 0 => Some(timing.gather),
        Flow::EndCollective if mask != 0 => Some(0),
        _ => None,
    };
    more.map(u64::from)
}

/// Nanoseconds of a cycle count.
fn nanoseconds(cycles: u64, khz: u64) -> u64 {
    (u128::from(cycles) * 1_000_000 / u128::from(khz)) as u64
}
