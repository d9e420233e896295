//! Whole divisions, as compilers write them, and the special cases.

use proptest::prelude::*;

use super::super::fp32::{fma_f32, mul_f32};
use super::super::fp64::{fma_f64, mul_f64};
use super::super::testing::{Inputs, doubles, singles};
use super::super::vector::VectorFn;
use super::*;

/// Denormals kept, to nearest.
const KEEP: u32 = 0xf0;

fn run32(f: VectorFn, sources: [u32; 3]) -> u32 {
    Inputs::of(sources).mode(KEEP).lane(f).0
}

fn run64(f: VectorFn, sources: [u64; 3]) -> u64 {
    Inputs::of64(sources).mode(KEEP).lane64(f).0
}

/// LLVM's sequence (`LowerFDIV32`), the reciprocal off by up to one unit.
fn divide32(num: u32, den: u32, off: i32) -> u32 {
    const ONE: u32 = 0x3f80_0000;
    let (d, flag) = Inputs::of([den, den, num]).mode(KEEP).lane(div_scale_f32);
    let (n, same) = Inputs::of([num, den, num]).mode(KEEP).lane(div_scale_f32);
    assert_eq!(flag, same, "both scalings tell the same");
    let reciprocal = (1.0 / f32::from_bits(d)).to_bits();
    // Neighbours of a number; specials stay.
    let is_normal = f32::from_bits(reciprocal).is_normal();
    let rcp = if is_normal { reciprocal.wrapping_add_signed(off) } else { reciprocal };
    let minus = d ^ 1 << 31;
    let e = run32(fma_f32, [minus, rcp, ONE]);
    let y = run32(fma_f32, [e, rcp, rcp]);
    let q = run32(mul_f32, [n, y, 0]);
    let r = run32(fma_f32, [minus, q, n]);
    let q = run32(fma_f32, [r, y, q]);
    let r = run32(fma_f32, [minus, q, n]);
    let q = Inputs::of([r, y, q]).bits(flag).mode(KEEP).lane(div_fmas_f32).0;
    run32(div_fixup_f32, [q, den, num])
}

/// LLVM's sequence (`LowerFDIV64`). The flag is the one that is made from the
/// scaled values, because that of the instruction does not work on Tahiti.
fn divide64(num: u64, den: u64, off: i64) -> u64 {
    let one = 1f64.to_bits();
    let (d, _) = Inputs::of64([den, den, num]).mode(KEEP).lane64(div_scale_f64);
    let (n, told) = Inputs::of64([num, den, num]).mode(KEEP).lane64(div_scale_f64);
    let flag = (den >> 32 == d >> 32) ^ (num >> 32 == n >> 32);
    let special = |x: u64| x << 1 == 0 || x << 1 >> 53 == 0x7ff;
    assert!(flag == told || special(num) || special(den), "{num:#x} {den:#x}");
    let reciprocal = (1.0 / f64::from_bits(d)).to_bits();
    let is_normal = f64::from_bits(reciprocal).is_normal();
    let rcp = if is_normal { reciprocal.wrapping_add_signed(off) } else { reciprocal };
    let minus = d ^ 1 << 63;
    let e = run64(fma_f64, [minus, rcp, one]);
    let y = run64(fma_f64, [rcp, e, rcp]);
    let e = run64(fma_f64, [minus, y, one]);
    let y = run64(fma_f64, [y, e, y]);
    let q = run64(mul_f64, [n, y, 0]);
    let r = run64(fma_f64, [minus, q, n]);
    let q = Inputs::of64([r, y, q]).bits(flag).mode(KEEP).lane64(div_fmas_f64).0;
    run64(div_fixup_f64, [q, den, num])
}

/// The host's quotient is the right one; its NaN is not ours.
fn wanted32(num: u32, den: u32) -> u32 {
    let (n, d) = (f32::from_bits(num), f32::from_bits(den));
    match (n.is_nan(), d.is_nan(), n / d) {
        (true, ..) => num | 1 << 22,
        (_, true, _) => den | 1 << 22,
        (.., q) if q.is_nan() => 0xffc0_0000,
        (.., q) => q.to_bits(),
    }
}

fn wanted64(num: u64, den: u64) -> u64 {
    let (n, d) = (f64::from_bits(num), f64::from_bits(den));
    match (n.is_nan(), d.is_nan(), n / d) {
        (true, ..) => num | 1 << 51,
        (_, true, _) => den | 1 << 51,
        (.., q) if q.is_nan() => 0xfff8 << 48,
        (.., q) => q.to_bits(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn a_quotient_of_singles_is_rounded_once(
        num in singles(), den in singles(), off in -1i32..=1,
    ) {
        prop_assert_eq!(divide32(num, den, off), wanted32(num, den));
    }

    #[test]
    fn a_quotient_of_doubles_is_rounded_once(
        num in doubles(), den in doubles(), off in -1i64..=1,
    ) {
        prop_assert_eq!(divide64(num, den, off), wanted64(num, den));
    }

    /// Around the smallest numbers, where scaling decides.
    #[test]
    fn small_quotients_of_singles_are_rounded_once(
        frac: [u32; 2], exp in 1u32..255, under in 95u32..155, off in -1i32..=1,
    ) {
        let den = exp << 23 | frac[0] >> 9;
        let num = exp.saturating_sub(under) << 23 | frac[1] >> 9;
        prop_assert_eq!(divide32(num, den, off), wanted32(num, den));
    }

    #[test]
    fn small_quotients_of_doubles_are_rounded_once(
        frac: [u64; 2], exp in 1u64..2047, under in 940u64..1085, off in -1i64..=1,
    ) {
        let den = exp << 52 | frac[0] >> 12;
        let num = exp.saturating_sub(under) << 52 | frac[1] >> 12;
        prop_assert_eq!(divide64(num, den, off), wanted64(num, den));
    }

    /// Scaling never changes anything but the exponent, and what it scales is
    /// one of the two.
    #[test]
    fn scaling_is_by_a_power_of_two(num in singles(), den in singles()) {
        let is_number = |x: u32| f32::from_bits(x).is_finite() && x << 1 != 0;
        for value in [num, den].into_iter().filter(|_| is_number(num) && is_number(den)) {
            let scaled = f64::from(f32::from_bits(run32(div_scale_f32, [value, den, num])));
            let ratio = scaled / f64::from(f32::from_bits(value));
            let up = f64::powi(2.0, 64);
            prop_assert!([1.0, up, 1.0 / up].contains(&ratio), "{}", ratio);
        }
    }

    /// In any mode: the same as the fused operation and a second factor.
    #[test]
    fn the_last_step_is_fused_and_scaled(
        a in singles(), b in singles(), c in singles(), flag: bool, mode in 0u32..256,
    ) {
        use upset_lanes::fp::Format;
        use upset_lanes::fp::exact::Number;
        let inputs = Inputs::of([a, b, c]).mode(mode);
        if !flag {
            prop_assert_eq!(inputs.lane(div_fmas_f32).0, inputs.lane(fma_f32).0);
        } else if mode & 0x30 == 0x30 && ![a, b, c].iter().any(|&x| f32::from_bits(x).is_nan()) {
            let [x, y, z] = [a, b, c].map(|x| Number::unpack(Format::F32, x.into()));
            let rm = super::super::Mode(mode).round32();
            let by = if f32::from_bits(c).abs() >= 2.0 { 64 } else { -64 };
            let sum = x.product(y).sum(z, rm);
            let wanted = match sum {
                Number::Nan => 0xffc0_0000,
                sum => sum.scale(by).pack(Format::F32, rm),
            };
            prop_assert_eq!(u64::from(inputs.bits(true).lane(div_fmas_f32).0), wanted);
        }
    }
}

#[test]
fn the_cases_of_scaling() {
    let scale = |value: f32, den: f32, num: f32| {
        let sources = [value, den, num].map(f32::to_bits);
        let (x, flag) = Inputs::of(sources).mode(KEEP).lane(div_scale_f32);
        (f32::from_bits(x), flag)
    };
    let power = |n| f32::powi(2.0, n);
    assert_eq!(scale(3.0, 3.0, 2.0), (3.0, false));
    // Near the largest number: the denominator.
    assert_eq!(scale(1.0, 1.0, power(96)), (power(64), true));
    assert_eq!(scale(power(96), 1.0, power(96)), (power(96), true));
    assert_eq!(scale(1.0, 1.0, power(95)), (1.0, false));
    // A denormal denominator: both.
    assert_eq!(scale(power(-130), power(-130), power(-120)), (power(-66), false));
    assert_eq!(scale(power(-120), power(-130), power(-120)), (power(-56), false));
    // A denominator whose inverse is denormal: both, downwards.
    let large = 1.5 * power(126);
    assert_eq!(scale(large, large, 4.0), (1.5 * power(62), false));
    assert_eq!(scale(4.0, large, 4.0), (power(-62), false));
    // And a denormal quotient: the denominator alone.
    assert_eq!(scale(large, large, 0.5), (1.5 * power(62), true));
    assert_eq!(scale(0.5, large, 0.5), (0.5, true));
    // A denormal quotient: the numerator.
    assert_eq!(scale(power(-127), 1.0, power(-127)), (power(-63), true));
    assert_eq!(scale(1.0, 1.0, power(-127)), (1.0, true));
    // A tiny numerator: both.
    assert_eq!(scale(power(-104), power(-10), power(-104)), (power(-40), false));
    assert_eq!(scale(power(-10), power(-10), power(-104)), (power(54), false));
    assert_eq!(scale(power(-103), power(-10), power(-103)), (power(-103), false));
    assert!(scale(0.0, 0.0, 1.0).0.is_nan());
    assert!(scale(1.0, 1.0, 0.0).0.is_nan());
}

#[test]
fn denormals_are_zero_where_the_mode_says_so() {
    let flush = |f, sources| Inputs::of(sources).mode(0xc0).lane(f).0;
    let (one, tiny) = (0x3f80_0000, 1);
    assert_eq!(flush(div_scale_f32, [one, tiny, one]), 0xffc0_0000);
    assert_eq!(flush(div_fixup_f32, [one, tiny, one]), 0x7f80_0000);
    assert_eq!(flush(div_fixup_f32, [one, one, tiny]), 0);
    assert_eq!(flush(div_fixup_f32, [tiny, one | 1 << 31, one]), 1 << 31);
}

#[test]
fn far_underflow_is_rounded_as_the_mode_says() {
    let (small, large) = (0x0080_0000, 0x7f00_0000);
    let fix = |mode| Inputs::of([0, large, small]).mode(mode).lane(div_fixup_f32).0;
    assert_eq!([fix(0xf0), fix(0xf1), fix(0xf2), fix(0xf3)], [0, 1, 0, 0]);
}
