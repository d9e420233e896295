//! Scalar operand values.

use crate::operand::Operand;
use crate::row::{Kind, Number};

use super::reg::{Operands, Reg};

/// A scalar operand of 32 bits; vector registers are none.
#[inline]
pub fn scalar32(ops: &impl Operands, operand: Operand) -> u32 {
    if let Some(reg) = Reg::of(operand, 0) {
        return ops.scalar(reg);
    }
    match operand {
        Operand::Int(i) => i as i32 as u32,
        Operand::Float(f) => f.value().to_bits(),
        Operand::Literal(value) => value,
        Operand::Vccz => u32::from(ops.vcc() == 0),
        Operand::Execz => u32::from(ops.exec() == 0),
        Operand::Scc => u32::from(ops.scc()),
        _ => 0,
    }
}

/// A scalar operand of 64 bits.
#[inline]
pub fn scalar64(ops: &impl Operands, operand: Operand, kind: Kind) -> u64 {
    if let (Some(low), Some(high)) = (Reg::of(operand, 0), Reg::of(operand, 1)) {
        // Single registers have nothing above them.
        let high = if low == high { 0 } else { ops.scalar(high) };
        return u64::from(ops.scalar(low)) | u64::from(high) << 32;
    }
    match operand {
        Operand::Int(i) => i64::from(i) as u64,
        Operand::Float(f) => f64::from(f.value()).to_bits(),
        // Of a double the word is the upper half.
        Operand::Literal(value) if kind.number == Number::Float => u64::from(value) << 32,
        other => u64::from(scalar32(ops, other)),
    }
}

/// A scalar operand as wide as its kind.
#[inline]
pub fn scalar(ops: &impl Operands, operand: Operand, kind: Kind) -> u64 {
    match kind.dwords {
        0 | 1 => u64::from(scalar32(ops, operand)),
        _ => scalar64(ops, operand, kind),
    }
}
