//! The instruction loop of a warp.

use upset_isa::convergence::lanes;
use upset_isa::{
    BarOp, Exec, Flow, Inst, Lanes, Mask, PT, PredDst, Results, Sources, SpecialReg, Target, WARP,
};

use crate::cta::{BARRIERS, Cta};
use crate::grid::{Counts, Grid, Limits};
use crate::memory::GlobalMemory;
use crate::program::{STEP, Slot};
use crate::trap::{Trap, TrapKind};
use crate::warp::{Scratch, Warp};

/// Instructions a divergent group may run before its siblings get a turn.
const GROUP_TURN: u64 = 1 << 12;

/// Runs warps of one launch.
pub struct Engine<'a> {
    /// The launch.
    pub grid: &'a Grid<'a>,
    /// Global memory.
    pub memory: &'a mut GlobalMemory,
    /// What was executed so far.
    pub counts: Counts,
    limits: Limits,
    scratch: Box<Scratch>,
    results: Box<Results>,
}

impl<'a> Engine<'a> {
    /// An engine for `grid`.
    pub fn new(grid: &'a Grid<'a>, memory: &'a mut GlobalMemory, limits: Limits) -> Engine<'a> {
        Engine {
            grid,
            memory,
            counts: Counts::default(),
            limits,
            scratch: Box::new([[0; WARP]; 6]),
            results: Box::default(),
        }
    }

    /// Runs a warp until it blocks, exits or has had its turn.
    pub fn run_warp(&mut self, cta: &mut Cta, w: &mut Warp, turn: u64) -> Result<(), Trap> {
        self.steps(cta, w, turn).map_err(|kind| Trap {
            kind,
            pc: w.flow.pc,
            cta: cta.id,
            warp: w.id,
        })
    }

    fn steps(&mut self, cta: &mut Cta, w: &mut Warp, turn: u64) -> Result<(), TrapKind> {
        let end = self.counts.warp_insts.saturating_add(turn);
        if self.counts.warp_insts > self.limits.warp_insts {
            return Err(TrapKind::InstructionLimit(self.limits.warp_insts));
        }
        let mut group_end = self.counts.warp_insts + GROUP_TURN;
        let slots: &[Slot] = &self.grid.program.slots;
        while w.flow.active != 0 || w.flow.schedule() {
            let pc = w.flow.pc;
            let inst = match slots.get((pc / STEP) as usize) {
                Some(Slot::Inst(inst)) => inst,
                Some(Slot::Trap(kind)) => return Err(kind.clone()),
                None => return Err(TrapKind::PcOutOfRange(u64::from(pc))),
            };
            self.counts.warp_insts += 1;
            self.counts.thread_insts += u64::from(w.flow.active.count_ones());
            let mask = w.guarded(inst.guard);
            if let Exec::Flow(flow) = inst.exec {
                self.flow(cta, w, inst, flow, mask)?;
                if self.counts.warp_insts >= group_end {
                    if w.flow.active != w.flow.live {
                        w.flow.yield_to_others();
                    }
                    group_end = self.counts.warp_insts + GROUP_TURN;
                    if self.counts.warp_insts >= end {
                        return Ok(());
                    }
                }
                continue;
            }
            if mask != 0 {
                self.execute(cta, w, inst, mask)?;
            }
            w.flow.advance(STEP);
        }
        Ok(())
    }

    #[inline]
    fn execute(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        mask: Mask,
    ) -> Result<(), TrapKind> {
        match inst.exec {
            Exec::Alu(f) => {
                w.load_scratch(inst, self.grid.banks, &mut self.scratch)?;
                let s = Sources {
                    r: w.rows(inst, &self.scratch),
                    p: inst.psrc.map(|p| w.pred(p)),
                    active: mask,
                };
                f(inst.mods, &s, &mut self.results);
                w.write_back(inst, mask, &self.results);
            }
            Exec::Mem(m) => self.access(cta, w, inst, &m, mask)?,
            Exec::Tex(t) => self.texture(w, inst, &t, mask)?,
            Exec::Special(sr) => self.special(cta, w, inst, sr, mask),
            Exec::ReadPreds { shift, cc } => {
                w.load_scratch(inst, self.grid.banks, &mut self.scratch)?;
                let rows = w.rows(inst, &self.scratch);
                let mut out = [0; WARP];
                let preds = if inst.uniform { &w.upreds } else { &w.preds };
                for (l, o) in out.iter_mut().enumerate() {
                    let mut bits = 0;
                    for (i, p) in preds[..usize::from(PT)].iter().enumerate() {
                        bits |= (p >> l & 1) << i;
                    }
                    let bits = if cc { 0 } else { bits };
                    let select = rows[2][l] & 0xff;
                    *o = rows[0][l] & !(select << shift) | (bits & select) << shift;
                }
                self.results.d[0] = out;
                w.write_back(inst, mask, &self.results);
            }
            Exec::WritePreds { shift, cc } => {
                w.load_scratch(inst, self.grid.banks, &mut self.scratch)?;
                let rows = w.rows(inst, &self.scratch);
                let (mut value, mut select) = ([0; 7], [0; 7]);
                for l in 0..WARP {
                    for i in 0..usize::from(PT) {
                        value[i] |= (rows[0][l] >> shift >> i & 1) << l;
                        select[i] |= (rows[2][l] >> i & 1) << l;
                    }
                }
                if !cc {
                    for i in 0..usize::from(PT) {
                        let dst = PredDst { pred: i as u8, uniform: inst.uniform };
                        w.write_pred(dst, mask & select[i], value[i]);
                    }
                }
            }
            Exec::ToUniform => {
                w.load_scratch(inst, self.grid.banks, &mut self.scratch)?;
                let rows = w.rows(inst, &self.scratch);
                self.results.d = [*rows[0], *rows[1]];
                w.write_back(inst, mask, &self.results);
            }
            Exec::Nop => {}
            Exec::Unimplemented => {
                return Err(TrapKind::Unimplemented(inst.op.name.to_string()));
            }
            Exec::Flow(_) => unreachable!("control flow is handled by the loop"),
        }
        Ok(())
    }

    fn special(&mut self, cta: &Cta, w: &mut Warp, inst: &Inst, sr: SpecialReg, mask: Mask) {
        let all = |v: u32| [v; WARP];
        let lane = |f: fn(u32) -> u32| -> Lanes { std::array::from_fn(|l| f(l as u32)) };
        let [bx, by, bz] = self.grid.block;
        // Without timing, one cycle is one warp instruction.
        let clock = self.counts.warp_insts;
        self.results.d[1] = all(0);
        self.results.d[0] = match sr {
            SpecialReg::LaneId => lane(|l| l),
            SpecialReg::TidX => w.tid[0],
            SpecialReg::TidY => w.tid[1],
            SpecialReg::TidZ => w.tid[2],
            SpecialReg::Tid => {
                std::array::from_fn(|l| w.tid[0][l] | w.tid[1][l] << 16 | w.tid[2][l] << 26)
            }
            SpecialReg::CtaidX => all(cta.id[0]),
            SpecialReg::CtaidY => all(cta.id[1]),
            SpecialReg::CtaidZ => all(cta.id[2]),
            SpecialReg::Ntid => all(bx | by << 16 | bz << 26),
            SpecialReg::EqMask => lane(|l| 1 << l),
            SpecialReg::LtMask => lane(|l| (1 << l) - 1),
            SpecialReg::LeMask => lane(|l| u32::MAX >> (31 - l)),
            SpecialReg::GtMask => lane(|l| !(u32::MAX >> (31 - l))),
            SpecialReg::GeMask => lane(|l| !((1 << l) - 1)),
            SpecialReg::VirtId => all(w.id << 8),
            SpecialReg::VirtCfg => all(0),
            SpecialReg::SharedWindowLo => all(self.grid.windows.shared as u32),
            SpecialReg::SharedWindowHi => all((self.grid.windows.shared >> 32) as u32),
            SpecialReg::LocalWindowLo => all(self.grid.windows.local as u32),
            SpecialReg::LocalWindowHi => all((self.grid.windows.local >> 32) as u32),
            SpecialReg::SharedSize => all(self.grid.shared_bytes),
            SpecialReg::ClockLo => {
                self.results.d[1] = all((clock >> 32) as u32);
                all(clock as u32)
            }
            SpecialReg::ClockHi => all((clock >> 32) as u32),
            SpecialReg::GlobalTimerLo => {
                self.results.d[1] = all((clock >> 32) as u32);
                all(clock as u32)
            }
            SpecialReg::GlobalTimerHi => all((clock >> 32) as u32),
            SpecialReg::Zero | SpecialReg::Other(_) => all(0),
        };
        w.write_back(inst, mask, &self.results);
    }

    fn flow(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        flow: Flow,
        mask: Mask,
    ) -> Result<(), TrapKind> {
        let next = w.flow.pc.wrapping_add(STEP);
        // Conditions beyond the guard: branches only.
        let cond = || mask & w.pred(inst.psrc[0]) & w.pred(inst.psrc[1]);
        match flow {
            Flow::Branch(t) | Flow::Call(t) | Flow::Ret(t) => {
                let taken = cond();
                self.jump(w, inst, t, taken, next)?;
            }
            Flow::BranchIfGroup { target, converged, masked } => {
                let taken = cond();
                let named = if masked && taken != 0 {
                    let lane = taken.trailing_zeros() as usize;
                    w.value(inst.src[0], lane, self.grid.banks)? as u32 & w.flow.live
                } else {
                    w.flow.live
                };
                let jumps = (w.flow.active & named == named) == converged;
                self.jump(w, inst, target, if jumps { taken } else { 0 }, next)?;
            }
            Flow::ReadPc => {
                let at = self.grid.program.base.wrapping_add(u64::from(w.flow.pc));
                self.results.d = [[at as u32; WARP], [(at >> 32) as u32; WARP]];
                w.write_back(inst, mask, &self.results);
                w.flow.pc = next;
            }
            Flow::Exit | Flow::Kill => {
                let who = cond();
                w.flow.exit(who, next);
            }
            Flow::Bssy { bar, .. } => {
                if mask != 0 {
                    w.flow.open(bar);
                }
                w.flow.pc = next;
            }
            Flow::Bsync { bar } => {
                let who = cond();
                if who == w.flow.active {
                    w.flow.sync(bar, who, next);
                } else {
                    w.flow.pc = next;
                    w.flow.sync(bar, who, next);
                }
            }
            Flow::Break { bar } => {
                let who = cond();
                w.flow.pc = next;
                w.flow.leave(bar, who);
            }
            Flow::BmovRead { bar, clear } => {
                if mask != 0 {
                    let i = usize::from(bar);
                    let value = w.flow.barriers.get(i).copied().unwrap_or(0);
                    self.results.d = [[value; WARP], [0; WARP]];
                    w.write_back(inst, mask, &self.results);
                    if clear && i < w.flow.barriers.len() {
                        w.flow.set_barrier(bar, 0);
                    }
                }
                w.flow.pc = next;
            }
            Flow::BmovWrite { bar, .. } => {
                w.flow.pc = next;
                if mask != 0 && usize::from(bar) < w.flow.barriers.len() {
                    let lane = mask.trailing_zeros() as usize;
                    let value = w.value(inst.src[0], lane, self.grid.banks)?;
                    w.flow.set_barrier(bar, value as u32);
                }
            }
            Flow::WarpSync { target } => {
                let resume = match target {
                    Some(t) => self.resolve(w, inst, t, 0)?,
                    None => next,
                };
                if mask == 0 {
                    w.flow.pc = next;
                } else {
                    let lane = mask.trailing_zeros() as usize;
                    let named = w.value(inst.src[0], lane, self.grid.banks)? as u32;
                    w.flow.pc = next;
                    w.flow.warp_sync(mask, named, resume);
                }
            }
            Flow::Yield => {
                w.flow.pc = next;
                if mask != 0 {
                    w.flow.yield_to_others();
                }
            }
            Flow::Bar { op, index, count, counted, packed } => {
                w.flow.pc = next;
                if mask != 0 {
                    let lane = mask.trailing_zeros() as usize;
                    let banks = self.grid.banks;
                    let bar = match index {
                        Some(i) => u64::from(i),
                        None if packed => w.value(inst.src[0], lane, banks)? & 15,
                        None => w.value(inst.src[0], lane, banks)?,
                    };
                    if bar >= BARRIERS as u64 {
                        return Err(TrapKind::BarrierMisuse("barrier number above 15"));
                    }
                    let count = match count {
                        Some(c) => Some(u32::from(c)),
                        None if counted => Some(w.value(inst.src[1], lane, banks)? as u32),
                        None if packed => {
                            let n = w.value(inst.src[0], lane, banks)? as u32 >> 16 & 0xfff;
                            (n != 0).then_some(n)
                        }
                        None => None,
                    };
                    if count.is_some_and(|c| !c.is_multiple_of(WARP as u32) || c == 0) {
                        return Err(TrapKind::BarrierMisuse(
                            "thread count is no multiple of the warp size",
                        ));
                    }
                    let reduce = match op {
                        BarOp::Reduce(r) => Some((r, w.pred(inst.psrc[0]))),
                        BarOp::Sync | BarOp::Arrive => None,
                    };
                    cta.arrive(bar as u8, w.id, mask, count, reduce);
                    if op != BarOp::Arrive {
                        w.flow.park_at_cta_barrier(mask, bar as u8, next);
                    }
                }
            }
            Flow::BarResult => {
                if mask != 0 {
                    self.results.d = [[w.bar_result; WARP], [0; WARP]];
                    self.results.p = [if w.bar_result != 0 { u32::MAX } else { 0 }, 0];
                    w.write_back(inst, mask, &self.results);
                }
                w.flow.pc = next;
            }
            Flow::Trap => {
                if mask != 0 {
                    return Err(TrapKind::TrapInstruction);
                }
                w.flow.pc = next;
            }
        }
        Ok(())
    }

    fn jump(
        &self,
        w: &mut Warp,
        inst: &Inst,
        t: Target,
        taken: Mask,
        next: u32,
    ) -> Result<(), TrapKind> {
        if taken == 0 {
            w.flow.pc = next;
            return Ok(());
        }
        match t {
            Target::Relative(_) | Target::Absolute(_) => {
                let target = self.resolve(w, inst, t, 0)?;
                w.flow.branch(taken, target, next);
            }
            Target::RegRelative(_) | Target::RegAbsolute(_) => {
                let mut targets = [next; WARP];
                for l in lanes(taken) {
                    targets[l] = self.resolve(w, inst, t, l)?;
                }
                w.flow.branch_each(taken, &targets, next);
            }
        }
        Ok(())
    }

    /// The byte offset in the program that a target names for one lane.
    fn resolve(&self, w: &Warp, inst: &Inst, t: Target, lane: usize) -> Result<u32, TrapKind> {
        let base = self.grid.program.base;
        let next = base.wrapping_add(u64::from(w.flow.pc)).wrapping_add(u64::from(STEP));
        let a = || w.value(inst.src[0], lane, self.grid.banks);
        let address = match t {
            Target::Relative(off) => next.wrapping_add(off as u64),
            Target::Absolute(at) => at as u64,
            Target::RegRelative(off) => next.wrapping_add(off as u64).wrapping_add(a()?),
            Target::RegAbsolute(off) => a()?.wrapping_add(off as u64),
        };
        if !address.is_multiple_of(u64::from(STEP)) {
            return Err(TrapKind::MisalignedPc(address));
        }
        let offset = address.wrapping_sub(base);
        if offset >= self.grid.program.slots.len() as u64 * u64::from(STEP) {
            return Err(TrapKind::PcOutOfRange(address));
        }
        Ok(offset as u32)
    }
}
