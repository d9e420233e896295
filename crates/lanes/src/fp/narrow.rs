//! Rounding a double to a narrower format in any direction, without the
//! detour through 128-bit integers.

use super::{Format, Rounding};

/// Rounds `x` to `f` (at most 32 bits wide). NaN becomes the canonical NaN.
///
/// Give it a double that was rounded to odd (see [`super::odd::add_odd`]) and
/// the result is what rounding the exact value once would have given.
#[inline(always)]
pub fn narrow(f: Format, rm: Rounding, x: f64) -> u32 {
    let bits = x.to_bits();
    let negative = bits >> 63 != 0;
    let sign = if negative { f.sign_bit() } else { 0 };
    let field = (bits >> 52 & 0x7ff) as i32;
    if field == 0x7ff {
        let magnitude = if bits << 12 != 0 { return f.nan() as u32 } else { f.infinity() };
        return (sign | magnitude) as u32;
    }
    // A double denormal is below half the smallest number of every narrower
    // format, so its exact exponent does not matter.
    let sig = (bits & (u64::MAX >> 12)) | u64::from(field != 0) << 52;
    let target = field - 1023 + f.bias();
    let drop = (52 - f.frac_bits) as i32 + (1 - target).max(0);
    let (kept, rest) = if drop > 62 {
        (0, u64::from(sig != 0))
    } else {
        let below = sig & ((1 << drop) - 1);
        let half = 1u64 << (drop - 1);
        (sig >> drop, u64::from(below & half != 0) << 1 | u64::from(below & (half - 1) != 0))
    };
    let up = rm.increments(negative, kept & 1 == 1, rest & 2 != 0, rest & 1 != 0);
    let packed = kept + u64::from(up) + (((target.max(1) - 1) as u64) << f.frac_bits);
    let packed = if packed >= f.infinity() {
        f.infinity() - u64::from(!rm.overflows_to_infinity(negative))
    } else {
        packed
    };
    (sign | packed) as u32
}

/// Is `x` below the normal numbers of `f` once rounded to their precision?
/// This is what `.FTZ` flushes of results on an H200: IEEE 754 calls it
/// tininess detected after rounding.
#[inline(always)]
pub fn is_tiny(f: Format, rm: Rounding, x: f64) -> bool {
    let power = |exp: i32| f64::from_bits(((1023 + exp) as u64) << 52);
    let smallest = power(1 - f.bias());
    let digits = f.frac_bits as i32;
    let magnitude = x.abs();
    match rm {
        Rounding::Nearest => magnitude < smallest * (1.0 - power(-digits - 2)),
        _ if rm.overflows_to_infinity(x < 0.0) => {
            magnitude <= smallest * (1.0 - power(-digits - 1))
        }
        _ => magnitude < smallest,
    }
}

/// The value of a number of format `f` (at most 32 bits wide) as a double: always exact.
#[inline(always)]
pub fn widen(f: Format, bits: u32) -> f64 {
    let negative = u64::from(bits) & f.sign_bit() != 0;
    let field = bits >> f.frac_bits & f.exp_max() as u32;
    let frac = u64::from(bits) & f.frac_mask();
    let magnitude = if field == f.exp_max() as u32 {
        if frac != 0 { f64::NAN } else { f64::INFINITY }
    } else if field == 0 {
        // 2^(1 - bias - frac_bits), a normal double for all narrower formats.
        let unit = (1023 + 1 - f.bias() - f.frac_bits as i32) as u64;
        frac as f64 * f64::from_bits(unit << 52)
    } else {
        let exp = (field as i32 - f.bias() + 1023) as u64;
        f64::from_bits(exp << 52 | frac << (52 - f.frac_bits))
    };
    if negative { -magnitude } else { magnitude }
}
