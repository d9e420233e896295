//! Sums rounded to odd: a second rounding cannot tell them from the exact sum.

use super::Rounding;

/// `a + b` rounded to odd: inexact results get an odd last bit. Both operands
/// must be far from overflow and underflow of the double range (products and
/// values of narrower formats are).
#[inline(always)]
pub fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    // One step towards the exact value when the sum is even and inexact. An
    // infinite or NaN sum has a NaN error, which compares unequal to nothing.
    let inexact = if error.abs() > 0.0 { u64::MAX } else { 0 };
    let even = (bits & 1).wrapping_sub(1);
    let away = (error.to_bits() ^ bits) >> 63;
    let step = 1u64.wrapping_sub(away << 1);
    f64::from_bits(bits.wrapping_add(step & inexact & even))
}

/// [`add_odd`] with the zero of an exact cancellation signed by the rounding mode.
#[inline(always)]
pub fn sum_odd(rm: Rounding, a: f64, b: f64) -> f64 {
    let sum = add_odd(a, b);
    let differing_zero = (sum == 0.0) & (a.is_sign_negative() != b.is_sign_negative());
    if differing_zero & (rm == Rounding::Down) { -0.0 } else { sum }
}
