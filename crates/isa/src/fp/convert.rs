//! Conversions between floats and integers, and rounding to integral values.

use super::narrow::{is_tiny, narrow, widen};
use super::{Format, NAN64, Rounding, exact};

/// An integer type of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// 8, 16, 32 or 64.
    pub bits: u32,
    /// Two's complement.
    pub signed: bool,
}

impl IntType {
    /// Reads a value: the low bits, extended.
    #[inline]
    pub fn read(self, raw: u64) -> i128 {
        let unused = 64 - self.bits;
        if self.signed {
            i128::from((raw << unused) as i64 >> unused)
        } else {
            i128::from(raw << unused >> unused)
        }
    }

    fn range(self) -> (i128, i128) {
        if self.signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }
}

/// Rounds to an integral value; zero keeps the sign. NaN and infinities pass.
#[inline(always)]
pub fn round_integral(rm: Rounding, x: f64) -> f64 {
    const INTEGRAL: f64 = 4_503_599_627_370_496.0; // 2^52: all doubles from here on are
    let magnitude = x.abs();
    let nearest = ((magnitude + INTEGRAL) - INTEGRAL).copysign(x);
    let one = match rm {
        Rounding::Nearest => 0.0,
        Rounding::Down => {
            if nearest > x {
                -1.0
            } else {
                0.0
            }
        }
        Rounding::Up => {
            if nearest < x {
                1.0
            } else {
                0.0
            }
        }
        Rounding::Zero => {
            if nearest.abs() > magnitude {
                -1f64.copysign(x)
            } else {
                0.0
            }
        }
    };
    if magnitude < INTEGRAL { (nearest + one).copysign(x) } else { x }
}

/// Adding this to an integral double of at most 33 bits leaves its low word as
/// the low word of the sum: a conversion that vectorises everywhere.
const LOW_WORD: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// FP32 to 32-bit signed, saturating, NaN to zero.
#[inline(always)]
pub fn f32_to_s32(rm: Rounding, bits: u32) -> u32 {
    let x = round_integral(rm, f64::from(f32::from_bits(bits)));
    let x = if x > -2_147_483_648.0 { x } else { -2_147_483_648.0 };
    let x = if x < 2_147_483_647.0 { x } else { 2_147_483_647.0 };
    let nan = bits & 0x7fff_ffff > 0x7f80_0000;
    if nan { 0 } else { (x + LOW_WORD).to_bits() as u32 }
}

/// FP32 to 32-bit unsigned, saturating, NaN to zero.
#[inline(always)]
pub fn f32_to_u32(rm: Rounding, bits: u32) -> u32 {
    let x = round_integral(rm, f64::from(f32::from_bits(bits)));
    // Comparisons with NaN are false: it takes the lower bound, zero.
    let x = if x > 0.0 { x } else { 0.0 };
    let x = if x < 4_294_967_295.0 { x } else { 4_294_967_295.0 };
    (x + LOW_WORD).to_bits() as u32
}

/// Reads a float of any format as a double (exact).
#[inline]
pub fn to_f64(f: Format, bits: u64) -> f64 {
    if f == Format::F64 { f64::from_bits(bits) } else { widen(f, bits as u32) }
}

/// Float to integer, saturating. NaN becomes zero if `nan_to_zero`, else the
/// type's top bit alone (PTX ISA, `cvt`).
pub fn to_integer(from: Format, bits: u64, to: IntType, rm: Rounding, nan_to_zero: bool) -> u64 {
    let (min, max) = to.range();
    match exact::Number::unpack(from, bits).to_integer(rm, min, max) {
        Some(v) => v as u64,
        None if nan_to_zero => 0,
        None => 1 << (to.bits - 1),
    }
}

/// Integer to float.
pub fn from_integer(from: IntType, raw: u64, to: Format, rm: Rounding) -> u64 {
    let value = from.read(raw);
    if from.bits <= 32 {
        let value = value as f64; // exact
        if to == Format::F64 { value.to_bits() } else { narrow(to, rm, value).into() }
    } else {
        exact::from_integer(to, value, rm)
    }
}

/// Float to float. NaN becomes the canonical NaN between narrow formats; to and
/// from FP64 it keeps sign and payload, cut off (an H200).
pub fn to_float(from: Format, bits: u64, to: Format, rm: Rounding) -> u64 {
    match (from.is_nan(bits), from, to) {
        (true, _, Format::F64) => widen_nan(from, bits),
        (true, Format::F64, _) => narrow_nan(bits, to),
        (false, _, Format::F64) => to_f64(from, bits).to_bits(),
        _ => narrow(to, rm, to_f64(from, bits)).into(),
    }
}

/// As [`to_float`], with denormal operands and results of any format flushed
/// (an H200).
pub fn to_float_flushed(from: Format, bits: u64, to: Format, rm: Rounding) -> u64 {
    let bits = from.flush(bits);
    if to != Format::F64 && is_tiny(to, rm, to_f64(from, bits)) {
        return if bits & from.sign_bit() != 0 { to.sign_bit() } else { 0 };
    }
    to_float(from, bits, to, rm)
}

/// An FP64 NaN in a narrower format: quiet, sign and leading payload bits kept.
fn narrow_nan(bits: u64, to: Format) -> u64 {
    let sign = if bits >> 63 != 0 { to.sign_bit() } else { 0 };
    let payload = (bits & Format::F64.frac_mask()) >> (52 - to.frac_bits);
    sign | to.infinity() | 1 << (to.frac_bits - 1) | payload
}

fn widen_nan(from: Format, bits: u64) -> u64 {
    if from == Format::F64 {
        return bits | 1 << 51;
    }
    let sign = if bits & from.sign_bit() != 0 { 1 << 63 } else { 0 };
    let payload = (bits & from.frac_mask()) << (52 - from.frac_bits);
    sign | (NAN64 & !(1 << 63)) | payload
}

/// Rounds to an integral value within a format (`FRND`).
pub fn to_integral(f: Format, bits: u64, rm: Rounding) -> u64 {
    if f.is_nan(bits) {
        return if f == Format::F64 { widen_nan(f, bits) } else { f.nan() };
    }
    let rounded = round_integral(rm, to_f64(f, bits));
    // Integral values of a format's own range are exact in it.
    if f == Format::F64 { rounded.to_bits() } else { narrow(f, rm, rounded).into() }
}
