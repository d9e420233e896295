//! Control flow, convergence, and a warp's part in CTA barriers.

use super::{Operands, pred, value};
use crate::barrier::BARRIERS;
use crate::codes;
use crate::control::barriers::{Convergence, lanes};
use crate::control::stack::EntryKind;
use crate::program::{Layout, Program};
use crate::trap::TrapKind;
use crate::{BarOp, BarReduce, Flow, Inst, Mask, Results, Target, WARP};

/// What is left to do after [`flow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowEffect {
    /// Nothing.
    Done,
    /// [`write_back`](super::write_back) the results.
    Results,
    /// [`CtaBarriers::arrive`](crate::barrier::CtaBarriers::arrive). Threads
    /// that wait are parked already.
    Arrive {
        /// Barrier number, below 16.
        bar: u8,
        /// Who arrives.
        who: Mask,
        /// Threads the barrier waits for; all of the CTA when not given.
        count: Option<u32>,
        /// Reduction, and the predicate it is over.
        reduce: Option<(BarReduce, Mask)>,
        /// They wait for the others.
        wait: bool,
    },
    /// Put the last barrier reduction's result into the results with
    /// [`bar_result`] and write them back.
    BarResult,
    /// Another group of threads had its turn; the scheduler may prefer
    /// another warp.
    Yield,
}

/// The results of [`FlowEffect::BarResult`].
pub fn bar_result(value: u32, results: &mut Results) {
    results.d = [[value; WARP], [0; WARP]];
    results.p = [if value != 0 { u32::MAX } else { 0 }, 0];
}

/// Carries out control flow for the lanes in `mask`, the program counter
/// included. To be called even when `mask` is empty. A trap leaves the warp
/// where it was.
pub fn flow(
    ops: &impl Operands,
    inst: &Inst,
    flow: Flow,
    mask: Mask,
    warp: &mut Convergence,
    program: &Program,
    results: &mut Results,
) -> Result<FlowEffect, TrapKind> {
    let next = program.layout.after(warp.pc);
    // Conditions beyond the guard: branches only.
    let cond = || mask & pred(ops, inst.psrc[0]) & pred(ops, inst.psrc[1]) & coded(ops, inst);
    // A value for the warp as a whole; asked for with `mask` not empty.
    let first = |i: usize| value(ops, inst.src[i], mask.trailing_zeros() as usize % WARP);
    match flow {
        Flow::Branch(t) | Flow::Call(t) | Flow::Ret(t) => {
            jump(ops, inst, t, cond(), warp, program)?;
        }
        Flow::BranchIfGroup { target, converged, masked } => {
            let here = cond();
            let named = match masked {
                true => value(ops, inst.src[0], 0)? as u32 & warp.live,
                false => warp.live,
            };
            let together = here & named == named;
            let taken = match (together, converged) {
                (true, true) => here,
                (false, false) => warp.active,
                _ => 0,
            };
            jump(ops, inst, target, taken, warp, program)?;
        }
        Flow::ReadPc { plus } => {
            let at = program.base.wrapping_add(u64::from(warp.pc)).wrapping_add(plus as u64);
            results.d = [[at as u32; WARP], [(at >> 32) as u32; WARP]];
            pass(warp, inst, mask, next)?;
            return Ok(if mask != 0 { FlowEffect::Results } else { FlowEffect::Done });
        }
        Flow::Push { kind, target } => {
            if mask == 0 {
                warp.pc = next;
            } else {
                let address = resolve(ops, inst, target, 0, warp.pc, program)?;
                warp.push(kind, address, next);
            }
        }
        Flow::CallByStack(target) => {
            warp.count_jump();
            match cond() {
                0 => warp.pc = next,
                taken => {
                    let target = resolve(ops, inst, target, 0, warp.pc, program)?;
                    warp.call(taken, target, next);
                }
            }
        }
        Flow::LeaveFor(kind) => {
            warp.count_jump();
            warp.leave_for(kind, cond(), next);
        }
        Flow::Exit | Flow::Kill => warp.exit(cond(), next),
        Flow::Bssy { bar, .. } => {
            if mask != 0 {
                warp.open(bar);
            }
            warp.pc = next;
        }
        Flow::Bsync { bar } => {
            warp.pc = next;
            warp.sync(bar, cond(), next);
        }
        Flow::Break { bar } => {
            warp.pc = next;
            warp.leave(bar, cond());
        }
        Flow::BmovRead { bar, clear } => {
            warp.pc = next;
            if mask != 0 {
                let value = warp.barriers.get(usize::from(bar)).copied();
                results.d = [[value.unwrap_or(0); WARP], [0; WARP]];
                if clear && value.is_some() {
                    warp.set_barrier(bar, 0);
                }
                return Ok(FlowEffect::Results);
            }
        }
        Flow::BmovWrite { bar, .. } => {
            if mask != 0 && usize::from(bar) < warp.barriers.len() {
                warp.set_barrier(bar, first(0)? as u32);
            }
            warp.pc = next;
        }
        Flow::WarpSync { exclusive } => {
            let named = named_lanes(ops, inst, mask)?;
            let at = warp.pc;
            warp.pc = next;
            if mask != 0 {
                warp.warp_sync(mask, &named, exclusive, (at, next));
            }
        }
        Flow::Collective { target } => {
            let onward = resolve(ops, inst, target, 0, warp.pc, program)?;
            let named = named_lanes(ops, inst, mask)?;
            warp.pc = next;
            warp.gather(mask, &named, next, onward);
        }
        Flow::EndCollective => warp.disperse(cond(), next),
        Flow::Yield => {
            warp.pc = next;
            if mask != 0 {
                warp.yield_to_others();
                return Ok(FlowEffect::Yield);
            }
        }
        Flow::Bar { op, index, count, counted, packed } => {
            if mask == 0 {
                warp.pc = next;
                return Ok(FlowEffect::Done);
            }
            let bar = barrier_number(index, packed, first)?;
            let count = thread_count(count, counted, packed, first)?;
            let reduce = match op {
                BarOp::Reduce(r) => Some((r, pred(ops, inst.psrc[0]))),
                BarOp::Sync | BarOp::Arrive => None,
            };
            let wait = op != BarOp::Arrive;
            // With one program counter for all, all of a warp's threads count as there.
            let who = if warp.stack().is_some() { warp.live } else { mask };
            pass(warp, inst, mask, next)?;
            if wait {
                let (who, resume) = if inst.joins { (warp.active, warp.pc) } else { (mask, next) };
                warp.park_at_cta_barrier(who, bar, resume);
            }
            return Ok(FlowEffect::Arrive { bar, who, count, reduce, wait });
        }
        Flow::BarResult => {
            pass(warp, inst, mask, next)?;
            return Ok(if mask != 0 { FlowEffect::BarResult } else { FlowEffect::Done });
        }
        Flow::Trap => {
            if mask != 0 {
                return Err(TrapKind::TrapInstruction);
            }
            warp.pc = next;
        }
    }
    warp.check_stack()?;
    Ok(FlowEffect::Done)
}

/// Goes on with the next instruction, or joins where the instruction says so.
fn pass(warp: &mut Convergence, inst: &Inst, mask: Mask, next: u32) -> Result<(), TrapKind> {
    if !inst.joins {
        warp.pc = next;
        return Ok(());
    }
    warp.leave_for(EntryKind::Sync, mask, next);
    warp.check_stack()
}

/// Lanes whose condition codes are as the modifiers ask.
fn coded(ops: &impl Operands, inst: &Inst) -> Mask {
    match (inst.mods, ops.codes()) {
        (0, _) | (_, None) => Mask::MAX,
        (kept, Some(codes)) => codes::holds(codes, kept),
    }
}

/// The CTA barrier that an instruction names; `first` reads a source.
fn barrier_number(
    index: Option<u8>,
    packed: bool,
    first: impl Fn(usize) -> Result<u64, TrapKind>,
) -> Result<u8, TrapKind> {
    let bar = match index {
        Some(i) => u64::from(i),
        None if packed => first(0)? & 15,
        None => first(0)?,
    };
    match bar < BARRIERS as u64 {
        true => Ok(bar as u8),
        false => Err(TrapKind::BarrierMisuse("barrier number above 15")),
    }
}

/// Threads that a CTA barrier waits for; none for all of them.
fn thread_count(
    count: Option<u16>,
    counted: bool,
    packed: bool,
    first: impl Fn(usize) -> Result<u64, TrapKind>,
) -> Result<Option<u32>, TrapKind> {
    let count = match count {
        Some(c) => Some(u32::from(c)),
        None if counted => Some(first(1)? as u32),
        None if packed => Some(first(0)? as u32 >> 16 & 0xfff).filter(|&n| n != 0),
        None => None,
    };
    match count.is_some_and(|c| !c.is_multiple_of(WARP as u32) || c == 0) {
        true => Err(TrapKind::BarrierMisuse("thread count is no multiple of the warp size")),
        false => Ok(count),
    }
}

/// The lanes that each lane in `mask` waits for.
fn named_lanes(ops: &impl Operands, inst: &Inst, mask: Mask) -> Result<[Mask; WARP], TrapKind> {
    let mut named = [0; WARP];
    for lane in lanes(mask) {
        named[lane] = value(ops, inst.src[0], lane)? as u32;
    }
    Ok(named)
}

fn jump(
    ops: &impl Operands,
    inst: &Inst,
    t: Target,
    taken: Mask,
    warp: &mut Convergence,
    program: &Program,
) -> Result<(), TrapKind> {
    let next = program.layout.after(warp.pc);
    warp.count_jump();
    if taken == 0 {
        warp.pc = next;
        return Ok(());
    }
    match t {
        Target::Relative(_) | Target::Absolute(_) => {
            let target = resolve(ops, inst, t, 0, warp.pc, program)?;
            warp.branch(taken, target, next);
        }
        Target::RegRelative(_) | Target::RegAbsolute(_) => {
            let mut targets = [next; WARP];
            for l in lanes(taken) {
                targets[l] = resolve(ops, inst, t, l, warp.pc, program)?;
            }
            warp.branch_each(taken, &targets, next);
        }
    }
    Ok(())
}

/// The byte offset in the program that a target names for one lane.
fn resolve(
    ops: &impl Operands,
    inst: &Inst,
    t: Target,
    lane: usize,
    pc: u32,
    program: &Program,
) -> Result<u32, TrapKind> {
    let step = u64::from(program.layout.step());
    let next = program.base.wrapping_add(u64::from(pc)).wrapping_add(step);
    let a = || value(ops, inst.src[0], lane);
    let address = match t {
        Target::Relative(off) => next.wrapping_add(off as u64),
        Target::Absolute(at) => at as u64,
        Target::RegRelative(off) => next.wrapping_add(off as u64).wrapping_add(a()?),
        Target::RegAbsolute(off) => a()?.wrapping_add(off as u64),
    };
    // Code in groups knows 32 bits of addresses.
    let address = match program.layout {
        Layout::Wide => address,
        Layout::Grouped => {
            let offset = (address as u32).wrapping_sub(program.base as u32);
            program.base.wrapping_add(u64::from(offset))
        }
    };
    if address & (step - 1) != 0 {
        return Err(TrapKind::MisalignedPc(address));
    }
    let offset = address.wrapping_sub(program.base);
    if offset >= program.slots.len() as u64 * step {
        return Err(TrapKind::PcOutOfRange(address));
    }
    Ok(program.layout.settle(offset as u32))
}
