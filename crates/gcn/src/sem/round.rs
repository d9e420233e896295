//! Integral parts and fractions.
//!
//! Denormals are flushed as MODE says; a zero keeps the sign of its source.
//! Hosts without vector instructions for it would call a function for each
//! lane, so that rounding to an integral number is written out here.

use upset_lanes::fp::narrow::narrow;
use upset_lanes::fp::odd::sum_odd;
use upset_lanes::fp::{Format, Rounding, exact};

use super::each::{each, each64};
use super::special::{INF32, INF64, Keep, QUIET32, QUIET64, SIGN32, SIGN64};
use super::special::{unless_nan32, unless_nan64};
use super::vector::{Results, Sources};

/// From here on all numbers of single precision are integral.
const INTEGRAL: f32 = (1 << 23) as f32;

/// To nearest, halves to even. Large numbers, infinities and NaN stay as they are.
#[inline(always)]
fn nearest(x: f32) -> f32 {
    // The sum has no room for a fraction, and is rounded to even.
    let whole = (x.abs() + INTEGRAL) - INTEGRAL;
    if x.abs() < INTEGRAL { whole.copysign(x) } else { x }
}

#[inline(always)]
fn floor(x: f32) -> f32 {
    let whole = nearest(x);
    (whole - if whole > x { 1.0 } else { 0.0 }).copysign(x)
}

#[inline(always)]
fn ceil(x: f32) -> f32 {
    -floor(-x)
}

#[inline(always)]
fn trunc(x: f32) -> f32 {
    floor(x.abs()).copysign(x)
}

#[inline(always)]
fn integral(s: &Sources<'_>, r: &mut Results, f: impl Fn(f32) -> f32) {
    let keep = Keep::inputs(s.mode);
    each(s, r, |a| {
        let a = keep.f32(a);
        unless_nan32(a, f(f32::from_bits(a)).to_bits())
    });
}

/// `v_trunc_f32`.
pub fn trunc_f32(s: &Sources<'_>, r: &mut Results) {
    integral(s, r, trunc);
}

/// `v_ceil_f32`.
pub fn ceil_f32(s: &Sources<'_>, r: &mut Results) {
    integral(s, r, ceil);
}

/// `v_rndne_f32`: to nearest, halves to even.
pub fn rndne_f32(s: &Sources<'_>, r: &mut Results) {
    integral(s, r, nearest);
}

/// `v_floor_f32`.
pub fn floor_f32(s: &Sources<'_>, r: &mut Results) {
    integral(s, r, floor);
}

/// `v_fract_f32`: what is above the floor. Of a small negative number that is
/// rounded to 1 (LLVM calls it the fract bug of this generation). Infinities
/// have a NaN of their sign (CLRX).
pub fn fract_f32(s: &Sources<'_>, r: &mut Results) {
    let (inputs, outputs) = (Keep::inputs(s.mode), Keep::outputs(s.mode));
    let or_special = |a: u32, difference: u32| {
        let number = if a & !SIGN32 == INF32 { a | QUIET32 } else { outputs.f32(difference) };
        unless_nan32(a, number)
    };
    match s.mode.round32() {
        Rounding::Nearest => each(s, r, |a| {
            let a = inputs.f32(a);
            let x = f32::from_bits(a);
            or_special(a, (x - floor(x)).to_bits())
        }),
        rounding => each(s, r, |a| {
            let a = inputs.f32(a);
            let x = f32::from_bits(a);
            let difference = sum_odd(rounding, f64::from(x), f64::from(-floor(x)));
            or_special(a, narrow(Format::F32, rounding, difference))
        }),
    }
}

/// `v_fract_f64`, as that of single precision.
pub fn fract_f64(s: &Sources<'_>, r: &mut Results) {
    let (inputs, outputs) = (Keep::inputs(s.mode), Keep::outputs(s.mode));
    let rounding = s.mode.round64();
    each64(s, r, |a| {
        let a = inputs.f64(a);
        let x = f64::from_bits(a);
        if a & !SIGN64 == INF64 {
            return a | QUIET64;
        }
        let difference = match rounding {
            Rounding::Nearest => (x - x.floor()).to_bits(),
            _ => exact::add(Format::F64, a, (-x.floor()).to_bits(), rounding),
        };
        unless_nan64(a, outputs.f64(difference))
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tried::{KEEP, USUAL, in32, of32, run};
    use super::*;

    fn check(bits: u32) {
        let x = f32::from_bits(bits);
        let all = [
            (in32(trunc_f32, KEEP, bits), x.trunc()),
            (in32(ceil_f32, KEEP, bits), x.ceil()),
            (in32(rndne_f32, KEEP, bits), x.round_ties_even()),
            (in32(floor_f32, KEEP, bits), x.floor()),
        ];
        for (found, expected) in all {
            let expected = if x.is_nan() { bits | 1 << 22 } else { expected.to_bits() };
            assert_eq!(found, expected, "{x}");
        }
        fraction(bits, u64::from(bits) << 29);
    }

    /// Fractions in all modes, from exact sums.
    fn fraction(single: u32, double: u64) {
        let roundings = [Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero];
        for (mode, rounding) in (0..).zip(roundings) {
            let (x, f) = (f32::from_bits(single), Format::F32);
            if x.is_finite() {
                let sum = exact::add(f, single.into(), (-x.floor()).to_bits().into(), rounding);
                assert_eq!(u64::from(in32(fract_f32, KEEP | mode, single)), sum);
            }
            let (x, f) = (f64::from_bits(double), Format::F64);
            if x.is_finite() {
                let sum = exact::add(f, double, (-x.floor()).to_bits(), rounding);
                assert_eq!(run(fract_f64, KEEP | mode << 2, double, 0).0, sum);
            }
        }
    }

    #[test]
    fn edges() {
        for x in
            [0.0, 0.5, 0.49999997, 1.0, 1.5, 2.5, 4194304.5, 8388607.5, 8388608.0, 1e9, f32::MAX]
        {
            check(x.to_bits());
            check((-x).to_bits());
        }
        for bits in [1, 0x7f80_0000, 0x7f80_0001, 0x7fff_ffff] {
            check(bits);
            check(bits | 1 << 31);
        }
    }

    #[test]
    fn denormals_are_zero_where_the_mode_says_so() {
        assert_eq!(of32(ceil_f32, 1), 0);
        assert_eq!(in32(ceil_f32, KEEP, 1), 1f32.to_bits());
        assert_eq!(of32(floor_f32, 1 << 31 | 1), 1 << 31);
        assert_eq!(of32(fract_f32, 1), 0);
        assert_eq!(in32(fract_f32, 0x10, 1), 0);
        assert_eq!(in32(fract_f32, KEEP, 1), 1);
        assert_eq!(run(fract_f64, USUAL, 1, 0).0, 1);
        assert_eq!(run(fract_f64, 0x30, 1, 0).0, 0);
    }

    #[test]
    fn fractions_that_are_none() {
        let one = 1f32.to_bits();
        assert_eq!(of32(fract_f32, (-1e-10f32).to_bits()), one);
        assert_eq!(in32(fract_f32, USUAL | 3, (-1e-10f32).to_bits()), one - 1);
        assert_eq!(of32(fract_f32, 0x7f80_0000), 0x7fc0_0000);
        assert_eq!(of32(fract_f32, 0xff80_0000), 0xffc0_0000);
        assert_eq!(of32(fract_f32, 0x7f80_0001), 0x7fc0_0001);
        assert_eq!(run(fract_f64, USUAL, 0xfff << 52, 0).0, 0xfff8 << 48);
        assert_eq!(run(fract_f64, USUAL, 0x7ff << 52 | 5, 0).0, 0x7ff8 << 48 | 5);
    }

    proptest! {
        #[test]
        fn the_hosts_functions_agree(a: u32, wide: u64, exponent in 100u32..160) {
            check(a);
            check(a & 0x807f_ffff | exponent << 23);
            fraction(a, wide);
            fraction(a, wide & !(0x7ff << 52) | u64::from(exponent + 890) << 52);
        }
    }
}
