//! Program control.

use super::outcome::{Next, Outcome};
use super::reg::{Operands, Reg};
use super::value::scalar64;
use super::waits::Waits;
use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::row::B64;
use crate::sem::flow::{Condition, Flow};
use crate::trap::TrapKind;

/// Where MODE keeps how many forks are open.
const FORKS: u32 = 29;

/// Carries out program control. `next` is the address of the next instruction.
pub fn flow(
    ops: &impl Operands,
    inst: &Inst,
    flow: Flow,
    next: u64,
    out: &mut Outcome,
) -> Result<(), TrapKind> {
    let imm = match inst.detail {
        Detail::Imm(imm) => imm,
        _ => 0,
    };
    let target = next.wrapping_add((i64::from(imm as i16) * 4) as u64);
    out.next = match flow {
        Flow::End => Next::End,
        Flow::Kill if imm & 1 == 1 => Next::End,
        Flow::Branch(condition) if holds(ops, condition) => Next::Jump(target),
        Flow::Branch(_) | Flow::Kill | Flow::Message | Flow::Nothing => Next::Step,
        Flow::GetPc => {
            put_pc(inst.dst, next, out);
            Next::Step
        }
        Flow::SetPc => Next::Jump(scalar64(ops, inst.src[0], B64) & !3),
        Flow::SwapPc => {
            put_pc(inst.dst, next, out);
            Next::Jump(scalar64(ops, inst.src[0], B64) & !3)
        }
        Flow::Fork => {
            let (lanes, target) = match inst.src[1] {
                // The one with a constant.
                Operand::None => (inst.src[0], target),
                address => (inst.src[0], scalar64(ops, address, B64) & !3),
            };
            fork(ops, scalar64(ops, lanes, B64), (target, next), out)
        }
        Flow::Join => join(ops, inst, out),
        Flow::Barrier => Next::Barrier,
        Flow::Wait => Next::Wait(Waits::of(imm)),
        Flow::Nop => Next::Pause(u32::from(imm & 7)),
        Flow::Sleep => Next::Sleep(u32::from(imm & 7)),
        Flow::Priority => Next::Priority((imm & 3) as u8),
        Flow::Halt if imm & 1 == 0 => Next::Step,
        Flow::Halt | Flow::MessageHalt => Next::Halt,
        Flow::Trap => return Err(TrapKind::TrapInstruction(imm as u8)),
        Flow::InvalidateCode => Next::InvalidateCode,
    };
    Ok(())
}

fn holds(ops: &impl Operands, condition: Condition) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Scc(is) => ops.scc() == is,
        Condition::VccZero(is) => (ops.vcc() == 0) == is,
        Condition::ExecZero(is) => (ops.exec() == 0) == is,
        Condition::Debugger => false,
    }
}

fn put_pc(to: Operand, pc: u64, out: &mut Outcome) {
    for (n, word) in [pc as u32, (pc >> 32) as u32].into_iter().enumerate() {
        if let Some(reg) = Reg::of(to, n as u8) {
            out.scalars.push(reg, word);
        }
    }
}

/// Lanes that jump and lanes that do not part: the fewer go first, the others
/// are kept in four scalar registers, first their mask, then where they go
/// (AMD, Southern Islands manual, `S_CBRANCH_G_FORK`; CLRX says the order).
fn fork(ops: &impl Operands, jump: u64, (target, next): (u64, u64), out: &mut Outcome) -> Next {
    let exec = ops.exec();
    let (pass, fail) = (jump & exec, !jump & exec);
    if pass == exec {
        return Next::Jump(target);
    }
    if fail == exec {
        return Next::Step;
    }
    let mode = ops.mode().0;
    let open = mode >> FORKS;
    let first_fails = fail.count_ones() < pass.count_ones();
    let (now, later, address) = if first_fails { (fail, pass, target) } else { (pass, fail, next) };
    let kept = [later as u32, (later >> 32) as u32, address as u32, (address >> 32) as u32];
    for (reg, word) in kept_at(open).into_iter().zip(kept) {
        out.scalars.push(reg, word);
    }
    put_exec(now, out);
    out.scalars.push(Reg::Mode, mode.wrapping_add(1 << FORKS));
    if first_fails { Next::Step } else { Next::Jump(target) }
}

/// Lanes that parted meet, or the others have their turn.
fn join(ops: &impl Operands, inst: &Inst, out: &mut Outcome) -> Next {
    let mode = ops.mode().0;
    let outer = super::scalar32(ops, inst.src[0]) & 7;
    let open = mode >> FORKS;
    if open == outer {
        return Next::Step;
    }
    let [mask_lo, mask_hi, to_lo, to_hi] = kept_by_last(ops).map(|reg| u64::from(ops.scalar(reg)));
    put_exec(mask_lo | mask_hi << 32, out);
    out.scalars.push(Reg::Mode, mode.wrapping_sub(1 << FORKS));
    Next::Jump((to_lo | to_hi << 32) & !3)
}

/// Registers that the fork at this depth keeps the other lanes in.
fn kept_at(depth: u32) -> [Reg; 4] {
    let first = (depth & 7) as u8 * 4;
    [first, first + 1, first + 2, first + 3].map(Reg::Sgpr)
}

/// Registers that the next fork keeps the other lanes in.
pub fn kept_by_next(ops: &impl Operands) -> [Reg; 4] {
    kept_at(ops.mode().0 >> FORKS)
}

/// Registers that the last fork kept them in.
pub fn kept_by_last(ops: &impl Operands) -> [Reg; 4] {
    kept_at((ops.mode().0 >> FORKS).wrapping_sub(1))
}

fn put_exec(exec: u64, out: &mut Outcome) {
    out.scalars.push(Reg::Exec(0), exec as u32);
    out.scalars.push(Reg::Exec(1), (exec >> 32) as u32);
}
