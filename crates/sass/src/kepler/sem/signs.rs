//! Modifiers of floating-point operands.

use upset_isa::fp::warp::{BoolOp, mods};
use upset_isa::fp::{Cond, Rounding};

use crate::LowerError;
use crate::kepler::Fields;

/// Sign inversion and absolute value of operand `slot` (0 = A), at these bits.
pub(super) fn signs(f: &Fields, slot: u32, neg: u32, abs: Option<u32>) -> u32 {
    let neg = flag(f, neg, mods::NEG_A);
    let abs = abs.map_or(0, |bit| flag(f, bit, mods::ABS_A));
    (neg | abs) << (2 * slot)
}

/// A modifier bit if the encoded bit is set.
pub(super) fn flag(f: &Fields, bit: u32, modifier: u32) -> u32 {
    if f.bit(bit) { modifier } else { 0 }
}

/// Rounding in the two bits at `lo`.
pub(super) fn rounding(f: &Fields, lo: u32) -> u32 {
    mods::rounding(Rounding::from_bits(f.bits(lo, 2) as u32))
}

/// `.FTZ` at `lo`, `.FMZ` above it, not both.
pub(super) fn flush(f: &Fields, lo: u32) -> Result<u32, LowerError> {
    match f.bits(lo, 2) {
        0 => Ok(0),
        1 => Ok(mods::FTZ),
        2 => Ok(mods::FMZ),
        _ => Err(LowerError::IllegalEncoding),
    }
}

/// Condition in bits 51-54 and combination in bits 48-49.
pub(super) fn comparison(f: &Fields) -> Result<u32, LowerError> {
    let op = BoolOp::from_bits(f.bits(48, 2)).ok_or(LowerError::IllegalEncoding)?;
    Ok(mods::comparison(Cond(f.bits(51, 4) as u8), op))
}
