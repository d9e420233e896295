//! Double precision, one lane. NaN payloads are carried (PTX ISA: "NaN
//! payloads are supported for double-precision instructions").

use super::{Format, NAN64, Rounding, exact};

const EXP: u64 = 0x7ff0_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const QUIET: u64 = 1 << 51;

/// Is it a NaN?
#[inline(always)]
pub fn is_nan(x: u64) -> bool {
    x & !SIGN > EXP
}

/// The NaN a result takes over, made quiet: B's before C's before A's (an H200,
/// the second operand of a sum being its B).
#[inline]
pub fn propagated(a: u64, b: u64, c: u64) -> Option<u64> {
    [b, c, a].into_iter().find(|&x| is_nan(x)).map(|x| x | QUIET)
}

/// Replaces a NaN result by the propagated or generated one.
#[inline(always)]
fn finish2(x: f64, a: u64, b: u64) -> u64 {
    let from_a = if is_nan(a) { a | QUIET } else { NAN64 };
    let nan = if is_nan(b) { b | QUIET } else { from_a };
    if x.is_nan() { nan } else { x.to_bits() }
}

/// `a + b` rounded to nearest.
#[inline(always)]
pub fn add_nearest(a: u64, b: u64) -> u64 {
    finish2(f64::from_bits(a) + f64::from_bits(b), a, b)
}

/// `a * b` rounded to nearest.
#[inline(always)]
pub fn mul_nearest(a: u64, b: u64) -> u64 {
    finish2(f64::from_bits(a) * f64::from_bits(b), a, b)
}

/// `a + b`.
pub fn add(a: u64, b: u64, rm: Rounding) -> u64 {
    propagated(a, b, 0).unwrap_or_else(|| exact::add(Format::F64, a, b, rm))
}

/// `a * b`.
pub fn mul(a: u64, b: u64, rm: Rounding) -> u64 {
    propagated(a, b, 0).unwrap_or_else(|| exact::mul(Format::F64, a, b, rm))
}

/// `a * b + c`, rounded once.
pub fn fma(a: u64, b: u64, c: u64, rm: Rounding) -> u64 {
    propagated(a, b, c).unwrap_or_else(|| exact::fma(Format::F64, a, b, c, rm))
}

/// Top bit clear if a factor (low and high word) suits [`fma_in_range`]: zero, or
/// an exponent within ±447. Splitting multiplies it by 2^27, and the error of the
/// product lies 106 bits below its leading bit: nothing overflows or is lost.
#[inline(always)]
pub fn fma_factor_range(low: u32, high: u32) -> u32 {
    in_range(low, high, 0x2400_0000, 0x3800_0000)
}

/// As [`fma_factor_range`] for the addend: an exponent within ±895.
#[inline(always)]
pub fn fma_addend_range(low: u32, high: u32) -> u32 {
    in_range(low, high, 0x0800_0000, 0x7000_0000)
}

#[inline(always)]
fn in_range(low: u32, high: u32, from: u32, width: u32) -> u32 {
    let exponent = high & 0x7ff0_0000;
    let outside = exponent.wrapping_sub(from) | (from + width - 1).wrapping_sub(exponent);
    let magnitude = high << 1 | low;
    outside & (magnitude | magnitude.wrapping_neg())
}

/// `a * b + c` rounded once to nearest.
pub fn fma_nearest(a: u64, b: u64, c: u64) -> u64 {
    let words = |x: u64| (x as u32, (x >> 32) as u32);
    let ((al, ah), (bl, bh), (cl, ch)) = (words(a), words(b), words(c));
    let outside = fma_factor_range(al, ah) | fma_factor_range(bl, bh) | fma_addend_range(cl, ch);
    if outside >> 31 == 0 {
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        fma_in_range(a, b, c).to_bits()
    } else {
        fma(a, b, c, Rounding::Nearest)
    }
}

/// `a * b + c` rounded once to nearest, from error-free transformations
/// (Dekker's product, Knuth's sum, Boldo and Melquiond's rounding to odd).
/// Only for operands that are in range, see [`fma_factor_range`].
#[inline(always)]
pub fn fma_in_range(a: f64, b: f64, c: f64) -> f64 {
    let (v, e1, e2) = fma_parts(a, b, c);
    v + super::lane::add_odd(e1, e2)
}

/// `a * b + c` as an unevaluated sum of three: the leading part and two errors.
#[inline(always)]
pub fn fma_parts(a: f64, b: f64, c: f64) -> (f64, f64, f64) {
    let high = a * b;
    let (a1, a2) = split(a);
    let (b1, b2) = split(b);
    let low = a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2);
    let (t, t_err) = two_sum(c, low);
    let (v, v_err) = two_sum(high, t);
    // With a zero product the plain sum is exact, and right about the sign of a
    // zero; errors of -0 leave it alone.
    let zero = high == 0.0;
    (
        if zero { high + c } else { v },
        if zero { -0.0 } else { t_err },
        if zero { -0.0 } else { v_err },
    )
}

/// Veltkamp's split into two halves of 26 bits.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let t = x * 134_217_729.0;
    let high = t - (t - x);
    (high, x - high)
}

/// Knuth's error-free sum.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}
