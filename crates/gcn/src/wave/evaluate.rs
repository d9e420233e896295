//! Instructions that need no memory.

use upset_lanes::Mask;

use super::fetch::{EMPTY, broadcast, lane_bits, modifiers, rows};
use super::modify::modify;
use super::outcome::{Outcome, Rows};
use super::reg::{Operands, Reg};
use super::value::scalar;
use super::{flow, hwreg, lane};
use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::row::{Number, Place, Slot, Specials};
use crate::sem::Does;
use crate::sem::scalar::{ScalarFn, Sources as ScalarSources};
use crate::sem::vector::{Sources, VectorFn};
use crate::trap::TrapKind;

/// Carries out what needs no memory; what does need some does nothing here.
/// `next` is the address of the next instruction.
#[inline]
pub fn evaluate(
    ops: &impl Operands,
    inst: &Inst,
    next: u64,
    out: &mut Outcome,
) -> Result<(), TrapKind> {
    out.begin();
    match inst.row.does {
        Does::Vector(f) => vector(ops, inst, f, out)?,
        Does::Scalar(f) => scalar_op(ops, inst, f, out),
        Does::Flow(f) => flow::flow(ops, inst, f, next, out)?,
        Does::ReadLane => lane::read_lane(ops, inst, lane::named_lane(ops, inst), out),
        Does::ReadFirstLane => lane::read_lane(ops, inst, lane::first_lane(ops), out),
        Does::WriteLane => lane::write_lane(ops, inst, out),
        Does::MoveRelative { source, result } => {
            lane::move_relative(ops, inst, (source, result), out);
        }
        Does::GetReg => hwreg::get(ops, inst, out),
        Does::SetReg => hwreg::set(ops, inst, out),
        Does::SetVskip => hwreg::set_vskip(ops, inst, out),
        Does::Absent => return Err(TrapKind::Unimplemented(inst.row.name.to_string())),
        Does::Nothing
        | Does::ScalarRead { .. }
        | Does::Time
        | Does::InvalidateScalar
        | Does::Share(_)
        | Does::Buffer(_) => {}
    }
    Ok(())
}

/// Vector arithmetic.
#[inline]
fn vector(
    ops: &impl Operands,
    inst: &Inst,
    f: VectorFn,
    out: &mut Outcome,
) -> Result<(), TrapKind> {
    if inst.src.contains(&Operand::LdsDirect) {
        return Err(TrapKind::Unimplemented(format!("{} with lds_direct", inst.row.name)));
    }
    let exec = ops.exec();
    let mode = ops.mode();
    let (mut scratch, mut changed) = (EMPTY, EMPTY);
    broadcast(ops, inst, &mut scratch);
    let (bits, modifiers) = (lane_bits(ops, inst), modifiers(inst));
    let mut flags = 0u64;
    for half in 0..2 {
        let active = (exec >> (32 * half)) as Mask;
        if active == 0 {
            continue;
        }
        let sources = Sources {
            r: rows(ops, inst, half, &scratch, &mut changed),
            bits: (bits >> (32 * half)) as Mask,
            active,
            mode,
            first: 32 * half as u32,
        };
        let results = &mut out.vector[half];
        f(&sources, results);
        if modifiers.omod != 0 || modifiers.clamp {
            modify(inst, modifiers, mode, active, results);
        }
        flags |= u64::from(results.bits & active) << (32 * half);
    }
    if let Operand::Vgpr(first) = inst.dst {
        let count = inst.row.dst.kind.dwords;
        let lanes = [exec as Mask, (exec >> 32) as Mask];
        out.rows = Rows { first: u32::from(first), count, lanes };
    }
    write_flags(inst, flags, out);
    Ok(())
}

/// A bit for each lane goes to a pair of scalar registers, and to EXEC where a
/// compare says so.
fn write_flags(inst: &Inst, flags: u64, out: &mut Outcome) {
    let slot = |s: Slot| s.place == Place::Carry;
    let to = match (slot(inst.row.dst), slot(inst.row.flag)) {
        (true, _) => inst.dst,
        (_, true) => inst.flag,
        _ => return,
    };
    put64(to, flags, out);
    if inst.row.writes.has(Specials::EXEC) {
        put64(Operand::ExecLo, flags, out);
    }
}

fn put64(to: Operand, value: u64, out: &mut Outcome) {
    for n in 0..2 {
        if let Some(reg) = Reg::of(to, n) {
            out.scalars.push(reg, (value >> (32 * n)) as u32);
        }
    }
}

/// Scalar arithmetic.
#[inline]
fn scalar_op(ops: &impl Operands, inst: &Inst, f: ScalarFn, out: &mut Outcome) {
    let row = inst.row;
    let source = |n: usize| match inst.src[n] {
        Operand::None => 0,
        operand => scalar(ops, operand, row.src[n].kind),
    };
    let sources = ScalarSources {
        a: source(0),
        b: source(1),
        old: if row.reads_dst { scalar(ops, inst.dst, row.dst.kind) } else { 0 },
        imm: match inst.detail {
            Detail::Imm(imm) => imm,
            _ => 0,
        },
        scc: row.reads.has(Specials::SCC) && ops.scc(),
        exec: if row.reads.has(Specials::EXEC) { ops.exec() } else { 0 },
    };
    let results = f(&sources);
    debug_assert!(row.dst.kind.number == Number::Bits);
    match row.dst.kind.dwords {
        0 => {}
        1 => {
            if let Some(reg) = Reg::of(inst.dst, 0) {
                out.scalars.push(reg, results.value as u32);
            }
        }
        _ => put64(inst.dst, results.value, out),
    }
    if row.writes.has(Specials::EXEC) {
        put64(Operand::ExecLo, results.exec, out);
    }
    if row.writes.has(Specials::SCC) {
        out.scalars.push(Reg::Scc, u32::from(results.scc));
    }
}
