//! Double precision: sums, products, both at once.

use upset_lanes::fp::{Format, Rounding, exact};

use super::each::{each2x64, each3x64};
use super::nan::{QUIET64, Rules, is_nan64, nan64};
use super::vector::{Results, Sources};

/// An operation on two sources: the host's where denormals are kept, as all
/// compilers have it, or the exact one.
#[inline(always)]
fn two(
    s: &Sources<'_>,
    r: &mut Results,
    near: impl Fn(f64, f64) -> f64,
    slow: impl Fn(Format, [u64; 2], Rounding) -> u64,
) {
    let rules = Rules::double(s.mode);
    match rules.nearest() {
        Some(false) => each2x64(s, r, |a, b| {
            let x = near(f64::from_bits(a), f64::from_bits(b));
            if x.is_nan() { nan64([a, b]) } else { x.to_bits() }
        }),
        _ => each2x64(s, r, |a, b| rules.exact([a, b], &slow)),
    }
}

/// `v_add_f64`.
pub fn add_f64(s: &Sources<'_>, r: &mut Results) {
    two(s, r, |a, b| a + b, |f, [a, b], rm| exact::add(f, a, b, rm));
}

/// `v_mul_f64`.
pub fn mul_f64(s: &Sources<'_>, r: &mut Results) {
    two(s, r, |a, b| a * b, |f, [a, b], rm| exact::mul(f, a, b, rm));
}

/// `a * b + c` to nearest, denormals kept.
#[inline(always)]
pub fn near_fma(a: u64, b: u64, c: u64) -> u64 {
    let x = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    if x.is_nan() { nan64([a, b, c]) } else { x.to_bits() }
}

/// `v_fma_f64`.
pub fn fma_f64(s: &Sources<'_>, r: &mut Results) {
    let rules = Rules::double(s.mode);
    match rules.nearest() {
        Some(false) => each3x64(s, r, near_fma),
        _ => each3x64(s, r, |a, b, c| {
            rules.exact([a, b, c], |f, [a, b, c], rm| exact::fma(f, a, b, c, rm))
        }),
    }
}

/// Beyond this any exponent overflows, or leaves nothing.
const FAR: i32 = 3000;

/// `v_ldexp_f64`: A times two to the power of B, a 32-bit integer.
pub fn ldexp_f64(s: &Sources<'_>, r: &mut Results) {
    let rules = Rules::double(s.mode);
    for l in 0..32 {
        let (a, by) = (s.a64(l), (s.b()[l] as i32).clamp(-FAR, FAR));
        let field = (a >> 52 & 0x7ff) as i32;
        let moved = field + by;
        let scaled = if is_nan64(a) {
            a | QUIET64
        } else if field > 0 && field < 0x7ff && moved > 0 && moved < 0x7ff {
            // Only the exponent changes.
            a & !(0x7ff << 52) | (moved as u64) << 52
        } else {
            let slow = |f, [a]: [u64; 1], rm| exact::Number::unpack(f, a).scale(by).pack(f, rm);
            rules.exact([a], slow)
        };
        r.set64(l, scaled);
    }
}

#[cfg(test)]
mod tests;
