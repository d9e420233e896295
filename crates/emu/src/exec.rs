//! The instruction loop of a warp.

use upset_isa::control::stack::EntryKind;
use upset_isa::program::{Layout, Slot};
use upset_isa::warp::{
    Effect, FlowEffect, Scratch, bar_result, evaluate, flow, guarded, write_back, write_codes,
    write_preds,
};
use upset_isa::{Exec, Flow, Inst, Mask, Results, Trap, TrapKind, WARP};

use crate::cta::Cta;
use crate::launch::{Counts, Grid, Limits, Tally};
use crate::memory::GlobalMemory;
use crate::warp::Warp;

/// Instructions a warp runs before a `YIELD` hands over to the next warp.
const SHORTEST_TURN: u64 = 256;

/// Runs warps of one launch.
pub struct Engine<'a> {
    /// The launch.
    pub grid: &'a Grid<'a>,
    /// Global memory.
    pub memory: &'a mut GlobalMemory,
    /// What was executed so far.
    pub counts: Counts,
    /// More of it, if somebody wants to know.
    pub tally: Option<Box<Tally>>,
    limits: Limits,
    scratch: Box<Scratch>,
    pub(crate) results: Box<Results>,
}

impl<'a> Engine<'a> {
    /// An engine for `grid`.
    pub fn new(grid: &'a Grid<'a>, memory: &'a mut GlobalMemory, limits: Limits) -> Engine<'a> {
        Engine {
            grid,
            memory,
            counts: Counts::default(),
            tally: None,
            limits,
            scratch: Box::new([[0; WARP]; 6]),
            results: Box::default(),
        }
    }

    /// Runs a warp until it blocks, exits, yields or has had its turn. True when
    /// it only waits for others, as far as it says so itself.
    pub fn run_warp(&mut self, cta: &mut Cta, w: &mut Warp, turn: u64) -> Result<bool, Trap> {
        // The loop that all instructions go round knows how far apart they are.
        let ran = match self.grid.program.layout {
            Layout::Wide => self.steps::<16>(cta, w, turn),
            Layout::Grouped => self.steps::<8>(cta, w, turn),
        };
        ran.map_err(|kind| Trap { kind, pc: w.flow.pc, cta: cta.id, warp: w.id })
    }

    fn steps<const STEP: u32>(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        turn: u64,
    ) -> Result<bool, TrapKind> {
        let end = self.counts.warp_insts.saturating_add(turn);
        // Loops with atomics yield each time round; a few rounds at once are cheaper.
        let may_yield = self.counts.warp_insts.saturating_add(SHORTEST_TURN);
        if self.counts.warp_insts > self.limits.warp_insts {
            return Err(TrapKind::InstructionLimit(self.limits.warp_insts));
        }
        let slots: &[Slot] = &self.grid.program.slots;
        while w.flow.active != 0 || w.flow.schedule() {
            let pc = w.flow.pc;
            let inst = match slots.get((pc / STEP) as usize) {
                Some(Slot::Inst(inst)) => inst,
                Some(Slot::Trap(kind)) => return Err(kind.clone()),
                Some(Slot::Control) => {
                    w.flow.advance(STEP);
                    continue;
                }
                None => return Err(TrapKind::PcOutOfRange(u64::from(pc))),
            };
            self.counts.warp_insts += 1;
            self.counts.thread_insts += u64::from(w.flow.active.count_ones());
            if let Some(tally) = &mut self.tally {
                tally.warp_insts += 1;
                tally.thread_insts += u64::from(w.flow.active.count_ones());
                tally.inactive += u64::from(w.flow.active.count_zeros());
                tally.classes[inst.op.unit as usize] += 1;
            }
            let mask =
                guarded(&w.regs.with(self.grid.banks, self.memory), inst.guard, w.flow.active);
            if let Exec::Flow(flow) = inst.exec {
                let yields = self.flow(cta, w, inst, flow, mask)?;
                let again = w.flow.take_again();
                self.counts.warp_insts += u64::from(again.issues);
                self.counts.thread_insts += u64::from(again.threads);
                if let Some(tally) = &mut self.tally {
                    let (issues, threads) = (u64::from(again.issues), u64::from(again.threads));
                    tally.warp_insts += issues;
                    tally.thread_insts += threads;
                    tally.inactive += (WARP as u64 * issues).saturating_sub(threads);
                    tally.classes[inst.op.unit as usize] += issues;
                }
                if yields && self.counts.warp_insts >= may_yield {
                    return Ok(true);
                }
                if self.counts.warp_insts >= end {
                    return Ok(false);
                }
                continue;
            }
            if mask != 0 {
                self.execute(cta, w, inst, mask)?;
            }
            if STEP == Layout::Grouped.step() && inst.joins {
                w.flow.leave_for(EntryKind::Sync, mask, pc.wrapping_add(STEP));
                w.flow.check_stack()?;
            } else {
                w.flow.advance(STEP);
            }
        }
        Ok(true)
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
            Exec::Mem(m) => return self.access(cta, w, inst, &m, mask),
            Exec::Tex(t) => return self.texture(w, inst, &t, mask),
            Exec::Surface(s) => return self.surface(cta, w, inst, &s, mask),
            _ => {}
        }
        let ops = w.regs.with(self.grid.banks, self.memory);
        // Without timing, one cycle is one warp instruction.
        let env = || w.env(self.grid, cta, self.counts.warp_insts);
        match evaluate(&ops, inst, mask, env, &mut self.scratch, &mut self.results)? {
            Effect::Results => write_back(&mut w.regs, inst, mask, &self.results),
            Effect::Predicates { value, select } => {
                write_preds(&mut w.regs, inst, mask, &value, &select);
            }
            Effect::Codes { value, select } => {
                write_back(&mut w.regs, inst, mask, &self.results);
                write_codes(&mut w.regs, mask, &value, &select);
            }
            Effect::Nothing => {}
        }
        Ok(())
    }

    fn flow(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        op: Flow,
        mask: Mask,
    ) -> Result<bool, TrapKind> {
        let ops = w.regs.with(self.grid.banks, self.memory);
        let program = self.grid.program;
        match flow(&ops, inst, op, mask, &mut w.flow, program, &mut self.results)? {
            FlowEffect::Done => {}
            FlowEffect::Yield => return Ok(true),
            FlowEffect::Results => write_back(&mut w.regs, inst, mask, &self.results),
            FlowEffect::Arrive { bar, who, count, reduce, wait: _ } => {
                cta.barriers.arrive(bar, w.id as usize, who, count, reduce);
            }
            FlowEffect::BarResult => {
                bar_result(w.bar_result, &mut self.results);
                write_back(&mut w.regs, inst, mask, &self.results);
            }
        }
        Ok(false)
    }
}
