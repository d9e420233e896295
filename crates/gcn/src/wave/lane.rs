//! Values that go from one lane to all, and the other way; registers that M0 names.

use upset_lanes::Mask;

use super::outcome::{Outcome, Rows};
use super::reg::{Operands, Reg};
use super::value::scalar32;
use crate::inst::Inst;
use crate::operand::Operand;

/// A lane of a vector register goes to a scalar register.
pub fn read_lane(ops: &impl Operands, inst: &Inst, lane: usize, out: &mut Outcome) {
    let value = match inst.src[0] {
        Operand::Vgpr(r) => ops.vgpr(u32::from(r), lane / 32)[lane % 32],
        other => scalar32(ops, other),
    };
    if let Some(reg) = Reg::of(inst.dst, 0) {
        out.scalars.push(reg, value);
    }
}

/// The lane that the second source names.
pub fn named_lane(ops: &impl Operands, inst: &Inst) -> usize {
    scalar32(ops, inst.src[1]) as usize % super::WAVE
}

/// The first active lane; lane 0 where there is none.
pub fn first_lane(ops: &impl Operands) -> usize {
    ops.exec().trailing_zeros() as usize % super::WAVE
}

/// A scalar goes to one lane, whatever EXEC says.
pub fn write_lane(ops: &impl Operands, inst: &Inst, out: &mut Outcome) {
    let lane = named_lane(ops, inst);
    let value = scalar32(ops, inst.src[0]);
    let Operand::Vgpr(first) = inst.dst else { return };
    let mut lanes: [Mask; 2] = [0; 2];
    lanes[lane / 32] = 1 << (lane % 32);
    out.vector[lane / 32].d[0][lane % 32] = value;
    out.rows = Rows { first: u32::from(first), count: 1, lanes };
}

/// A move between vector registers whose numbers M0 raises.
pub fn move_relative(
    ops: &impl Operands,
    inst: &Inst,
    (source, result): (bool, bool),
    out: &mut Outcome,
) {
    let m0 = ops.scalar(Reg::M0);
    match (inst.dst, inst.src[0]) {
        (Operand::Vgpr(to), from) => {
            let exec = ops.exec();
            for half in 0..2 {
                out.vector[half].d[0] = match from {
                    Operand::Vgpr(r) => {
                        let n = u32::from(r).wrapping_add(if source { m0 } else { 0 });
                        *ops.vgpr(n, half)
                    }
                    other => [scalar32(ops, other); 32],
                };
            }
            let first = u32::from(to).wrapping_add(if result { m0 } else { 0 });
            out.rows = Rows { first, count: 1, lanes: [exec as Mask, (exec >> 32) as Mask] };
        }
        (to, from) => {
            for n in 0..inst.row.dst.kind.dwords {
                let from = raise(from, n, if source { m0 } else { 0 });
                let value = match from {
                    Ok(reg) => ops.scalar(reg.unwrap_or(instead(n))),
                    // A constant; its upper half is its sign.
                    Err(operand) if n == 0 => scalar32(ops, operand),
                    Err(operand) => {
                        (super::scalar64(ops, operand, inst.row.src[0].kind) >> 32) as u32
                    }
                };
                if let Ok(Some(reg)) = raise(to, n, if result { m0 } else { 0 }) {
                    out.scalars.push(reg, value);
                }
            }
        }
    }
}

/// What is read for word `n` of a source beyond the last register: the first
/// registers (AMD, CDNA manual, "Out-of-Range Behavior"). Nothing is written there.
pub fn instead(n: u8) -> Reg {
    Reg::Sgpr(n)
}

/// The register of word `n` of an operand, its number raised; an operand that
/// is no register comes back.
pub fn raise(operand: Operand, n: u8, by: u32) -> Result<Option<Reg>, Operand> {
    match operand {
        Operand::Sgpr(r) => {
            let number = u32::from(r).wrapping_add(u32::from(n)).wrapping_add(by);
            Ok(u8::try_from(number).ok().filter(|r| *r < crate::operand::SGPRS).map(Reg::Sgpr))
        }
        other => Reg::of(other, n).map(Some).ok_or(other),
    }
}
