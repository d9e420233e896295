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

/// The NaN a result takes over: the first operand that is one, made quiet.
#[inline]
fn propagated(operands: &[u64]) -> Option<u64> {
    operands.iter().copied().find(|&x| is_nan(x)).map(|x| x | QUIET)
}

/// Replaces a NaN result by the propagated or generated one.
#[inline(always)]
fn finish2(x: f64, a: u64, b: u64) -> u64 {
    let from_b = if is_nan(b) { b | QUIET } else { NAN64 };
    let nan = if is_nan(a) { a | QUIET } else { from_b };
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
    propagated(&[a, b]).unwrap_or_else(|| exact::add(Format::F64, a, b, rm))
}

/// `a * b`.
pub fn mul(a: u64, b: u64, rm: Rounding) -> u64 {
    propagated(&[a, b]).unwrap_or_else(|| exact::mul(Format::F64, a, b, rm))
}

/// `a * b + c`, rounded once.
pub fn fma(a: u64, b: u64, c: u64, rm: Rounding) -> u64 {
    propagated(&[a, b, c]).unwrap_or_else(|| exact::fma(Format::F64, a, b, c, rm))
}

/// Whether [`fma_in_range`] is exact for these operands: no intermediate can
/// overflow or lose bits to underflow. Zero factors and addends are fine.
#[inline(always)]
pub fn fma_is_in_range(a: u64, b: u64, c: u64) -> bool {
    // Splitting a factor multiplies it by 2^27, the error of the product lies
    // 106 bits below its leading bit, that of the sum 53 bits below.
    let near_one = |x: u64| (x & EXP).wrapping_sub(0x2400 << 48) < (0x3800 << 48);
    let moderate = |x: u64| (x & EXP).wrapping_sub(0x0800 << 48) < (0x7000 << 48);
    let zero = |x: u64| x << 1 == 0;
    (near_one(a) | zero(a)) & (near_one(b) | zero(b)) & (moderate(c) | zero(c))
}

/// `a * b + c` rounded once to nearest, from error-free transformations
/// (Dekker's product, Knuth's sum, Boldo and Melquiond's rounding to odd).
/// Only for operands that [`fma_is_in_range`] accepts.
#[inline(always)]
pub fn fma_in_range(a: u64, b: u64, c: u64) -> u64 {
    let (a, b, c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let high = a * b;
    let (a1, a2) = split(a);
    let (b1, b2) = split(b);
    let low = a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2);
    let (t, t_err) = two_sum(c, low);
    let (v, v_err) = two_sum(high, t);
    let result = v + super::lane::add_odd(t_err, v_err);
    // With a zero product the sum is exact as it stands, sign of zero included.
    let plain = high + c;
    (if high == 0.0 { plain } else { result }).to_bits()
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
