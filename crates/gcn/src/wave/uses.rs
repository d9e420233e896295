//! What an instruction reads and writes, for hazards and observers.
//!
//! The walks take the wave's registers as they are before the instruction:
//! some numbers depend on M0 or MODE. A register may come more than once, and
//! numbers beyond what the wave was given are not left out. What an
//! instruction writes depends on more than that (on EXEC, say): the walks name
//! all that it may write, the [`Outcome`](super::Outcome) what it did.

use super::reg::{Operands, Reg};
use super::{flow, hwreg, lane};
use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::row::{Specials, Unit};
use crate::sem::Does;
use crate::sem::flow::Flow;

/// Number of the source that vector memory takes its data from, later than
/// the others.
pub const DATA: usize = 3;
/// What [`each_vgpr_source`] calls the old value of the result.
pub const OLD: usize = 4;

/// Vector registers that it reads: the first of some, and how many.
#[inline]
pub fn each_vgpr_read(ops: &impl Operands, inst: &Inst, mut f: impl FnMut(u32, u8)) {
    each_vgpr_source(ops, inst, |_, first, count| f(first, count));
}

/// As [`each_vgpr_read`], with the number of the source.
#[inline]
pub fn each_vgpr_source(ops: &impl Operands, inst: &Inst, mut f: impl FnMut(usize, u32, u8)) {
    let by = raised(ops, inst, Side::Source);
    for (n, src) in inst.src.into_iter().enumerate() {
        if let Operand::Vgpr(first) = src {
            f(n, u32::from(first).wrapping_add(by), inst.slot(n).kind.dwords);
        }
    }
    // One lane takes the place of another; the others are not looked at.
    let reads_dst = inst.row.reads_dst && !matches!(inst.row.does, Does::WriteLane);
    if let (true, Operand::Vgpr(first)) = (reads_dst, inst.dst) {
        f(OLD, first.into(), inst.row.dst.kind.dwords);
    }
}

/// Vector registers that it may write: the first of some, and how many.
#[inline]
pub fn each_vgpr_written(ops: &impl Operands, inst: &Inst, mut f: impl FnMut(u32, u8)) {
    let to_lds = matches!(inst.detail, Detail::Buffer(buffer) if buffer.lds);
    if let (false, Operand::Vgpr(first)) = (to_lds, inst.dst) {
        let by = raised(ops, inst, Side::Result);
        f(u32::from(first).wrapping_add(by), inst.result_dwords());
    }
}

/// Scalar registers that it reads, named or not.
#[inline]
pub fn each_scalar_read(ops: &impl Operands, inst: &Inst, mut f: impl FnMut(Reg)) {
    let row = inst.row;
    let by = raised(ops, inst, Side::Source);
    for (n, src) in inst.src.into_iter().enumerate() {
        each_word(src, inst.slot(n).kind.dwords, by, Side::Source, &mut f);
    }
    if row.reads_dst {
        each_word(inst.dst, row.dst.kind.dwords, 0, Side::Result, &mut f);
    }
    each_special(row.reads, &mut f);
    if matches!(inst.detail, Detail::Buffer(buffer) if buffer.lds) {
        f(Reg::M0);
    }
    if reads_mode(inst) {
        f(Reg::Mode);
    }
    if let Does::Flow(Flow::Join) = row.does {
        flow::kept_by_last(ops).into_iter().for_each(f);
    }
}

/// Scalar registers that it may write, named or not.
#[inline]
pub fn each_scalar_written(ops: &impl Operands, inst: &Inst, mut f: impl FnMut(Reg)) {
    let row = inst.row;
    let by = raised(ops, inst, Side::Result);
    each_word(inst.dst, row.dst.kind.dwords, by, Side::Result, &mut f);
    each_word(inst.flag, row.flag.kind.dwords, 0, Side::Result, &mut f);
    each_special(row.writes, &mut f);
    match row.does {
        Does::SetReg if hwreg::is_mode(inst) => f(Reg::Mode),
        Does::SetVskip | Does::Flow(Flow::Join) => f(Reg::Mode),
        Does::Flow(Flow::Fork) => {
            f(Reg::Mode);
            flow::kept_by_next(ops).into_iter().for_each(f);
        }
        _ => {}
    }
}

/// Where an operand stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Source,
    Result,
}

/// What M0 adds to the numbers of registers on one side.
#[inline]
fn raised(ops: &impl Operands, inst: &Inst, side: Side) -> u32 {
    match (inst.row.does, side) {
        (Does::MoveRelative { source: true, .. }, Side::Source)
        | (Does::MoveRelative { result: true, .. }, Side::Result) => ops.scalar(Reg::M0),
        _ => 0,
    }
}

/// Does it depend on MODE? Vector instructions do, if only by whether they are
/// skipped.
#[inline]
fn reads_mode(inst: &Inst) -> bool {
    match inst.row.does {
        Does::GetReg | Does::SetReg => hwreg::is_mode(inst),
        Does::SetVskip | Does::Flow(Flow::Fork | Flow::Join) => true,
        _ => matches!(inst.row.unit, Unit::Valu | Unit::Vmem | Unit::Lds | Unit::Export),
    }
}

/// The registers of an operand of so many dwords.
#[inline]
fn each_word(operand: Operand, dwords: u8, by: u32, side: Side, f: &mut impl FnMut(Reg)) {
    match operand {
        Operand::None
        | Operand::Vgpr(_)
        | Operand::Int(_)
        | Operand::Float(_)
        | Operand::Literal(_) => {}
        Operand::Vccz => each_special(Specials::VCC, f),
        Operand::Execz => each_special(Specials::EXEC, f),
        Operand::Scc => each_special(Specials::SCC, f),
        Operand::LdsDirect => each_special(Specials::M0, f),
        register => {
            for n in 0..dwords {
                match lane::raise(register, n, by) {
                    Ok(Some(reg)) => f(reg),
                    Ok(None) if side == Side::Source => f(lane::instead(n)),
                    Ok(None) | Err(_) => {}
                }
            }
        }
    }
}

fn each_special(set: Specials, f: &mut impl FnMut(Reg)) {
    let all = [
        (Specials::SCC, Reg::Scc),
        (Specials::VCC, Reg::Vcc(0)),
        (Specials::VCC, Reg::Vcc(1)),
        (Specials::EXEC, Reg::Exec(0)),
        (Specials::EXEC, Reg::Exec(1)),
        (Specials::M0, Reg::M0),
    ];
    for (special, reg) in all {
        if set.has(special) {
            f(reg);
        }
    }
}
