//! Fast lanes against exact arithmetic.

use super::{bits, near, rounding};
use crate::fp::lane::{self, FmaMode};
use crate::fp::narrow::{is_tiny, narrow, widen};
use crate::fp::{Cond, Format, Rounding, double, exact};
use proptest::prelude::*;

const F32: Format = Format::F32;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn single_fma_rounds_once([a, b, c] in near(F32)) {
        let want = exact::fma(F32, a, b, c, Rounding::Nearest) as u32;
        prop_assert_eq!(lane::fma::<false, false>(a as u32, b as u32, c as u32), want);
    }

    #[test]
    fn single_in_any_direction([a, b, c] in near(F32), rm in rounding()) {
        let mode = FmaMode::ieee(rm);
        let (x, y, z) = (a as u32, b as u32, c as u32);
        prop_assert_eq!(mode.fma(x, y, z), exact::fma(F32, a, b, c, rm) as u32);
        prop_assert_eq!(mode.add(x, y), exact::add(F32, a, b, rm) as u32);
        prop_assert_eq!(mode.mul(x, y), exact::mul(F32, a, b, rm) as u32);
    }

    #[test]
    fn scaled_product_rounds_once(a in bits(F32), b in bits(F32), rm in rounding(), s in -3..=3) {
        let mode = FmaMode { scale: s, ..FmaMode::ieee(rm) };
        let n = |x| exact::Number::unpack(F32, x);
        let want = n(a).product(n(b)).scale(s).pack(F32, rm) as u32;
        prop_assert_eq!(mode.mul(a as u32, b as u32), want);
    }

    #[test]
    fn flushing_touches_operands_and_result([a, b, c] in near(F32)) {
        let number = |x: u64| exact::Number::unpack(F32, F32.flush(x));
        let rm = Rounding::Nearest;
        let finish = |x: exact::Number| {
            let wide = f64::from_bits(x.pack(Format::F64, rm));
            let bits = x.pack(F32, rm) as u32;
            if is_tiny(F32, rm, wide) { bits & 0x8000_0000 } else { bits }
        };
        let product = number(a).product(number(b));
        let want = finish(product.sum(number(c), rm));
        prop_assert_eq!(lane::fma::<true, false>(a as u32, b as u32, c as u32), want);
        let mode = FmaMode { ftz: true, ..FmaMode::ieee(rm) };
        prop_assert_eq!(mode.fma(a as u32, b as u32, c as u32), want);
        let want = finish(number(a).sum(number(b), rm));
        prop_assert_eq!(lane::add::<true, false>(a as u32, b as u32), want);
        prop_assert_eq!(lane::mul::<true, false>(a as u32, b as u32), finish(product));
    }

    #[test]
    fn narrowing_agrees_with_exact_conversion(x in bits(Format::F64), rm in rounding()) {
        for f in [Format::F16, Format::BF16, F32] {
            let want = exact::convert(Format::F64, f, x, rm) as u32;
            prop_assert_eq!(narrow(f, rm, f64::from_bits(x)), want);
        }
    }

    #[test]
    fn widening_is_exact(x in bits(F32)) {
        let want = f64::from(f32::from_bits(x as u32));
        let got = widen(F32, x as u32);
        prop_assert!(got.to_bits() == want.to_bits() || want.is_nan() && got.is_nan());
    }

    #[test]
    fn double_fma_from_error_free_parts([a, b, c] in near(Format::F64)) {
        prop_assert_eq!(double::fma_nearest(a, b, c), double::fma(a, b, c, Rounding::Nearest));
    }

    #[test]
    fn double_fma_in_range_of_ordinary_numbers(
        a in -1e6..1e6f64, b in -1e6..1e6f64, c in -1e12..1e12f64, cancel in any::<bool>(),
    ) {
        // Half of the cases leave only the product's rounding error.
        let c = if cancel { -(a * b) } else { c };
        prop_assert_eq!(double::fma_in_range(a, b, c).to_bits(), a.mul_add(b, c).to_bits());
    }
}

#[test]
fn double_rounding_would_fail_here() {
    // 1 + 2^-24 is a tie; the product's tail decides it, far below a double's reach.
    let tiny = 2f32.powi(-75);
    let tie = 1.0 + 2f64.powi(-24);
    assert_eq!(tie + f64::from(tiny), tie);
    // a * b = 1 + 2^-24 exactly is no single product, so build it from c = 1.
    let (a, b) = (2f32.powi(-12) * (1.0 + 2f32.powi(-23)), 2f32.powi(-12));
    let got = lane::fma::<false, false>(a.to_bits(), b.to_bits(), 1f32.to_bits());
    assert_eq!(got, (1.0f32 + f32::EPSILON).to_bits());
    let below = 2f32.powi(-12) * (1.0 - 2f32.powi(-24));
    let got = lane::fma::<false, false>(below.to_bits(), b.to_bits(), 1f32.to_bits());
    assert_eq!(got, 1f32.to_bits());
}

#[test]
fn saturation_clamps_and_forgets_nan() {
    let s = |x: f32| lane::saturate(x.to_bits());
    assert_eq!(s(-1.0), 0);
    assert_eq!(s(-0.0), 0);
    assert_eq!(s(f32::NAN), 0);
    assert_eq!(s(0.25), 0.25f32.to_bits());
    assert_eq!(s(7.0), 1f32.to_bits());
    assert_eq!(s(f32::INFINITY), 1f32.to_bits());
    assert_eq!(lane::add::<false, true>(f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits()), 0);
}

#[test]
fn invalid_operations_give_the_canonical_nan() {
    let inf = f32::INFINITY.to_bits();
    assert_eq!(lane::add::<false, false>(inf, inf | 1 << 31), 0x7fff_ffff);
    assert_eq!(lane::mul::<false, false>(inf, 0), 0x7fff_ffff);
    assert_eq!(lane::fma::<false, false>(inf, 0x3f80_0000, inf | 1 << 31), 0x7fff_ffff);
    assert_eq!(lane::add::<false, false>(0xff80_0001, 0), 0x7fff_ffff);
}

#[test]
fn zero_product_beats_nan_and_infinity_under_fmz() {
    let mode = FmaMode { fmz: true, ..FmaMode::ieee(Rounding::Nearest) };
    assert_eq!(mode.mul(0, f32::NAN.to_bits()), 0);
    assert_eq!(mode.mul(1, f32::INFINITY.to_bits()), 0);
    assert_eq!(mode.fma(0x8000_0000, f32::INFINITY.to_bits(), 2f32.to_bits()), 2f32.to_bits());
}

#[test]
fn minimum_and_maximum_order_zeroes_and_drop_nan() {
    let (neg, pos, nan) = (0x8000_0000, 0, 0x7fc0_0001);
    for (a, b) in [(neg, pos), (pos, neg)] {
        assert_eq!(lane::min_max(a, b, false), neg);
        assert_eq!(lane::min_max(a, b, true), pos);
    }
    assert_eq!(lane::min_max(nan, pos, true), pos);
    assert_eq!(lane::min_max(neg, nan, false), neg);
    assert_eq!(lane::min_max(nan, nan, false), 0x7fff_ffff);
    let (a, b) = ((-3f32).to_bits(), (-2f32).to_bits());
    assert_eq!(lane::min_max(a, b, false), a);
    assert_eq!(lane::min_max(a, b, true), b);
}

#[test]
fn conditions_are_truth_tables() {
    let outcomes = |c: Cond| {
        [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0)]
            .map(|(a, b)| c.holds(a < b, a == b, a > b))
    };
    assert_eq!(outcomes(Cond::LT), [true, false, false, false]);
    assert_eq!(outcomes(Cond(3)), [true, true, false, false]); // LE
    assert_eq!(outcomes(Cond(7)), [true, true, true, false]); // NUM
    assert_eq!(outcomes(Cond(13)), [true, false, true, true]); // NEU
    assert_eq!(outcomes(Cond::T), [true; 4]);
    assert_eq!(outcomes(Cond::F), [false; 4]);
}

#[test]
fn division_of_ordinary_numbers_takes_the_fast_path() {
    let needs = |a: f32, b: f32| lane::division_needs_care(a.to_bits(), b.to_bits());
    assert!(!needs(1.0, 3.0));
    assert!(!needs(-1e10, 7e-12));
    assert!(needs(0.0, 1.0) && needs(1.0, 0.0));
    assert!(needs(1.0, 1e-40) && needs(f32::INFINITY, 1.0) && needs(1.0, f32::NAN));
    assert!(needs(1e30, 1e-30) && needs(1e-30, 1e30));
}

/// The bounds of an H200's `FCHK`, from both sides.
#[test]
fn division_check_by_exponents() {
    let needs = |a: u32, b: u32| lane::division_needs_care(a << 23, b << 23);
    let edges = [((24, 24), (25, 25)), ((255, 200), (254, 200)), ((64, 1), (64, 2))];
    let ranges = [((200, 252), (200, 251)), ((75, 200), (76, 200)), ((207, 80), (206, 80))];
    for ((a, b), (c, d)) in edges.into_iter().chain(ranges) {
        assert!(needs(a, b), "{a} {b}");
        assert!(!needs(c, d), "{c} {d}");
    }
}

/// Answers of an H200 to FMUL.FTZ and FFMA.FMZ: what rounds up to the smallest
/// normal number is flushed if it is a denormal at full precision, not else.
#[test]
fn tiny_results_are_flushed_after_rounding_to_full_precision() {
    let (below_one, smallest) = (0x3f7f_ffff, 0x0080_0000);
    assert_eq!(lane::mul::<true, false>(below_one, smallest), 0);
    assert_eq!(lane::mul::<false, false>(below_one, smallest), smallest);
    let (fast, edge) = lane::mul_or_edge::<true, false>(below_one, smallest);
    assert!(fast == smallest && edge >> 31 == 1);
    let mode = FmaMode { fmz: true, ..FmaMode::ieee(Rounding::Up) };
    assert_eq!(mode.fma(smallest, below_one, 168), 0);
    let nearly = 2f64.powi(-126) * (1.0 - 2f64.powi(-26));
    assert!(!is_tiny(F32, Rounding::Nearest, nearly) && is_tiny(F32, Rounding::Zero, nearly));
}

#[test]
fn double_nan_payloads_travel() {
    let payload = 0x7ff0_0000_dead_beef;
    assert_eq!(double::add(payload, 0, Rounding::Nearest), payload | 1 << 51);
    assert_eq!(double::add_nearest(0, payload), payload | 1 << 51);
    assert_eq!(double::mul_nearest(0, f64::INFINITY.to_bits()), crate::fp::NAN64);
    assert_eq!(double::fma(1, payload, 3, Rounding::Zero), payload | 1 << 51);
    let other = 0xfff8_0000_0000_0001;
    assert_eq!(double::mul_nearest(other, payload), payload | 1 << 51);
    assert_eq!(double::add(other, payload, Rounding::Up), payload | 1 << 51);
}
