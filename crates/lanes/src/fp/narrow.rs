//! Rounding a double to a narrower format in any direction, without the
//! detour through 128-bit integers, and widening without loss.

use super::{Format, Rounding};

/// The power of two with this exponent, which a normal double has.
#[inline(always)]
fn power(exp: i32) -> f64 {
    f64::from_bits(((1023 + exp) as u64) << 52)
}

/// Rounds `x` to `f` (at most 32 bits wide). NaN becomes the canonical NaN.
///
/// Give it a double that was rounded to odd (see [`super::odd::add_odd`]) and
/// the result is what rounding the exact value once would have given.
///
/// Without branches, and comparing doubles alone, so that loops over a warp
/// vectorise on any host.
#[inline(always)]
pub fn narrow(f: Format, rm: Rounding, x: f64) -> u32 {
    let negative = x.is_sign_negative();
    let away = match rm {
        Rounding::Nearest | Rounding::Zero => false,
        Rounding::Down => negative,
        Rounding::Up => !negative,
    };
    let nearest = rm == Rounding::Nearest;
    let magnitude = x.abs();
    // What is too large lies where the code of infinity follows the largest number's.
    let limit = power(f.bias() + 1);
    let bits = if magnitude < limit { magnitude } else { limit }.to_bits();
    let drop = 52 - f.frac_bits;
    let to_nearest = (1u64 << (drop - 1)) - 1 + (bits >> drop & 1);
    let below_one = if away { (1u64 << drop) - 1 } else { 0 };
    let kept = (bits + if nearest { to_nearest } else { below_one }) >> drop;
    let normal = (kept as u32).wrapping_sub(((1023 - f.bias()) as u32) << f.frac_bits);
    // Below the normal numbers a sum with a double whose last place is the smallest
    // number rounds to nearest there. Even a double denormal counts as not zero.
    let anchor = power(52 + 1 - f.bias() - f.frac_bits as i32);
    let sum = magnitude + anchor;
    let count = (sum.to_bits() as u32).wrapping_sub(anchor.to_bits() as u32);
    let rounded = sum - anchor;
    let raise = u32::from(!nearest & away & (rounded < magnitude));
    let lower = u32::from(!nearest & !away & (rounded > magnitude));
    let tiny = count.wrapping_add(raise).wrapping_sub(lower);
    let packed = if magnitude < power(1 - f.bias()) { tiny } else { normal };
    let finite = magnitude < f64::INFINITY;
    let largest = (packed == f.infinity() as u32) & finite & !nearest & !away;
    let number = packed - u32::from(largest);
    let signed = number | if negative { f.sign_bit() as u32 } else { 0 };
    if x.is_nan() { f.nan() as u32 } else { signed }
}

/// Is `x` below the normal numbers of `f` once rounded to their precision?
/// This is what `.FTZ` flushes of results on an H200: IEEE 754 calls it
/// tininess detected after rounding.
#[inline(always)]
pub fn is_tiny(f: Format, rm: Rounding, x: f64) -> bool {
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

/// The value of a number of format `f` (at most 32 bits wide) as a double: always
/// exact. Without branches, as [`narrow`].
#[inline(always)]
pub fn widen(f: Format, bits: u32) -> f64 {
    let magnitude = bits & (f.sign_bit() - 1) as u32;
    let frac = u64::from(magnitude) << (52 - f.frac_bits);
    let normal = f64::from_bits(frac + (((1023 - f.bias()) as u64) << 52));
    // A normal double for all narrower formats.
    let tiny = f64::from(magnitude as i32) * power(1 - f.bias() - f.frac_bits as i32);
    let infinity = f.infinity() as u32;
    let number = if magnitude <= f.frac_mask() as u32 { tiny } else { normal };
    let number = if magnitude == infinity { f64::INFINITY } else { number };
    let signed = number.to_bits() | if bits & f.sign_bit() as u32 != 0 { 1 << 63 } else { 0 };
    f64::from_bits(if magnitude > infinity { f64::NAN.to_bits() } else { signed })
}
