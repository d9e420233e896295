//! Layout of the modifier word (`Inst::mods`) of floating-point operations.

use super::BoolOp;
use crate::fp::{Cond, Format, Rounding};

/// Negate operand A; B and C follow two bits up each.
pub const NEG_A: u32 = 1 << 0;
/// Absolute value of operand A (taken before the negation).
pub const ABS_A: u32 = 1 << 1;
/// Negate operand B.
pub const NEG_B: u32 = 1 << 2;
/// Absolute value of operand B.
pub const ABS_B: u32 = 1 << 3;
/// Negate operand C.
pub const NEG_C: u32 = 1 << 4;
/// Absolute value of operand C.
pub const ABS_C: u32 = 1 << 5;
/// Flush denormals.
pub const FTZ: u32 = 1 << 8;
/// Clamp to `[0, 1]`.
pub const SAT: u32 = 1 << 9;
/// Flush denormals; zero times anything is zero.
pub const FMZ: u32 = 1 << 10;
/// A NaN operand makes the result NaN (`FMNMX.NAN`); NaN to zero (`F2I.NTZ`).
pub const NAN: u32 = 1 << 11;
/// First bit that each operation uses in its own way.
pub const OWN: u32 = 18;

/// Rounding field.
pub fn rounding(rm: Rounding) -> u32 {
    rm.bits() << 6
}

/// Reads [`rounding`].
#[inline]
pub fn get_rounding(mods: u32) -> Rounding {
    Rounding::from_bits(mods >> 6)
}

/// Condition and boolean combination of a comparison.
pub fn comparison(cond: Cond, op: BoolOp) -> u32 {
    u32::from(cond.0) << 12 | (op as u32) << 16
}

/// Condition of a comparison.
#[inline]
pub fn cond(mods: u32) -> Cond {
    Cond((mods >> 12 & 15) as u8)
}

/// Boolean combination of a comparison.
#[inline]
pub fn bool_op(mods: u32) -> BoolOp {
    match mods >> 16 & 3 {
        0 => BoolOp::And,
        1 => BoolOp::Or,
        _ => BoolOp::Xor,
    }
}

/// Masks that apply the sign modifiers of operand `slot` (0 = A) to 32 bits: and, then xor.
#[inline]
pub fn sign_masks(mods: u32, slot: u32) -> (u32, u32) {
    let m = mods >> (2 * slot);
    (if m & ABS_A != 0 { 0x7fff_ffff } else { u32::MAX }, m << 31)
}

/// As [`sign_masks`], for 64 bits.
#[inline]
pub fn sign_masks64(mods: u32, slot: u32) -> (u64, u64) {
    let (and, xor) = sign_masks(mods, slot);
    (u64::from(and) << 32 | 0xffff_ffff, u64::from(xor) << 32)
}

/// Three-bit code of a format in an operation's own bits.
pub fn format(f: Format) -> u32 {
    match f {
        Format::F16 => 1,
        Format::F32 => 2,
        Format::F64 => 3,
        _ => 5,
    }
}

/// Reads [`fn@format`].
#[inline]
pub fn get_format(code: u32) -> Format {
    match code & 7 {
        1 => Format::F16,
        2 => Format::F32,
        3 => Format::F64,
        _ => Format::BF16,
    }
}
