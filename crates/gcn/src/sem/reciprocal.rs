//! Reciprocals and square roots.
//!
//! No public source has the last bits of AMD's tables. Ours: the correctly
//! rounded result in single precision (of `rsq`: by way of double precision),
//! which is within the 1 ulp that LLVM quotes from AMD. Denormals of single
//! precision are flushed in every mode (LLVM, CLRX), and results are rounded to
//! nearest in every mode.
//!
//! In double precision hardware leaves a relative error of about 1e-8 (CLRX),
//! to be mended by Newton's method: the correctly rounded result is rounded
//! again, to 26 bits of fraction (an error of at most 2^-27). Denormals follow
//! MODE.

use super::each::{each, each64};
use super::special::{INF32, INF64, Keep, NAN32, NAN64, SIGN32, SIGN64};
use super::special::{unless_nan32, unless_nan64};
use super::vector::{Results, Sources};

/// Bits of a fraction of double precision that hardware does not compute.
const UNKNOWN: u32 = 26;

/// What becomes of an infinite result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infinity {
    Stays,
    /// The largest number of its sign.
    Largest,
    /// Zero of its sign.
    Zero,
}

impl Infinity {
    #[inline(always)]
    fn of32(self, x: u32) -> u32 {
        let instead = match self {
            Infinity::Stays => x,
            Infinity::Largest => x.wrapping_sub(1),
            Infinity::Zero => x & SIGN32,
        };
        if x & !SIGN32 == INF32 { instead } else { x }
    }

    #[inline(always)]
    fn of64(self, x: u64) -> u64 {
        let instead = match self {
            Infinity::Stays => x,
            Infinity::Largest => x.wrapping_sub(1),
            Infinity::Zero => x & SIGN64,
        };
        if x & !SIGN64 == INF64 { instead } else { x }
    }
}

/// A function of single precision.
#[inline(always)]
fn single(s: &Sources<'_>, r: &mut Results, infinity: Infinity, f: impl Fn(f32) -> f32) {
    each(s, r, |a| {
        let a = Keep::SIGNS.f32(a);
        let result = Keep::SIGNS.f32(f(f32::from_bits(a)).to_bits());
        // The only result that is none is that of a negative number's root.
        let result = if result & !SIGN32 > INF32 { NAN32 } else { result };
        unless_nan32(a, infinity.of32(result))
    });
}

/// A function of double precision.
#[inline(always)]
fn double(s: &Sources<'_>, r: &mut Results, infinity: Infinity, f: impl Fn(f64) -> f64) {
    let (inputs, outputs) = (Keep::inputs(s.mode), Keep::outputs(s.mode));
    each64(s, r, |a| {
        let a = inputs.f64(a);
        let result = f(f64::from_bits(a)).to_bits();
        let rounded = result.wrapping_add(1 << (UNKNOWN - 1)) >> UNKNOWN << UNKNOWN;
        let result = if result & !SIGN64 > INF64 { NAN64 } else { outputs.f64(rounded) };
        unless_nan64(a, infinity.of64(result))
    });
}

#[inline(always)]
fn rcp(x: f32) -> f32 {
    1.0 / x
}

#[inline(always)]
fn rsq(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

/// `v_rcp_f32`, `v_rcp_iflag_f32`: they differ in the exceptions they raise.
pub fn rcp_f32(s: &Sources<'_>, r: &mut Results) {
    single(s, r, Infinity::Stays, rcp);
}

/// `v_rcp_clamp_f32`: infinities become the largest numbers.
pub fn rcp_clamp_f32(s: &Sources<'_>, r: &mut Results) {
    single(s, r, Infinity::Largest, rcp);
}

/// `v_rcp_legacy_f32`: infinities become zero.
pub fn rcp_legacy_f32(s: &Sources<'_>, r: &mut Results) {
    single(s, r, Infinity::Zero, rcp);
}

/// `v_rsq_f32`.
pub fn rsq_f32(s: &Sources<'_>, r: &mut Results) {
    single(s, r, Infinity::Stays, rsq);
}

/// `v_rsq_clamp_f32`: infinities become the largest numbers.
pub fn rsq_clamp_f32(s: &Sources<'_>, r: &mut Results) {
    single(s, r, Infinity::Largest, rsq);
}

/// `v_rsq_legacy_f32`: infinities become zero.
pub fn rsq_legacy_f32(s: &Sources<'_>, r: &mut Results) {
    single(s, r, Infinity::Zero, rsq);
}

/// `v_sqrt_f32`.
pub fn sqrt_f32(s: &Sources<'_>, r: &mut Results) {
    single(s, r, Infinity::Stays, f32::sqrt);
}

/// `v_rcp_f64`.
pub fn rcp_f64(s: &Sources<'_>, r: &mut Results) {
    double(s, r, Infinity::Stays, |x| 1.0 / x);
}

/// `v_rcp_clamp_f64`: infinities become the largest numbers.
pub fn rcp_clamp_f64(s: &Sources<'_>, r: &mut Results) {
    double(s, r, Infinity::Largest, |x| 1.0 / x);
}

/// `v_rsq_f64`.
pub fn rsq_f64(s: &Sources<'_>, r: &mut Results) {
    double(s, r, Infinity::Stays, |x| 1.0 / x.sqrt());
}

/// `v_rsq_clamp_f64`: infinities become the largest numbers.
pub fn rsq_clamp_f64(s: &Sources<'_>, r: &mut Results) {
    double(s, r, Infinity::Largest, |x| 1.0 / x.sqrt());
}

/// `v_sqrt_f64`.
pub fn sqrt_f64(s: &Sources<'_>, r: &mut Results) {
    double(s, r, Infinity::Stays, f64::sqrt);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use upset_lanes::fp::exact::Number;
    use upset_lanes::fp::{Format, Rounding};

    use super::super::tried::{KEEP, USUAL, in32, of32, run};
    use super::super::vector::VectorFn;
    use super::*;

    fn of(f: VectorFn, x: f32) -> f32 {
        f32::from_bits(of32(f, x.to_bits()))
    }

    fn of64(f: VectorFn, x: f64) -> f64 {
        f64::from_bits(run(f, USUAL, x.to_bits(), 0).0)
    }

    /// Is `y` to the power `n`, times `x`, 1 within an error? Products are exact.
    fn is_one(y: f64, n: u32, x: f64, error: f64) -> bool {
        let unpack = |v: f64| Number::unpack(Format::F64, v.to_bits());
        let power = if n == 1 { unpack(y) } else { unpack(y).product(unpack(y)) };
        let product = power.product(unpack(x)).sum(Number::scaled(true, 1, 0), Rounding::Nearest);
        f64::from_bits(product.pack(Format::F64, Rounding::Nearest)).abs() <= error
    }

    #[test]
    fn special_values() {
        let (inf, max) = (f32::INFINITY, f32::MAX);
        for (zero, sign) in [(0.0f32, 1.0f32), (-0.0, -1.0)] {
            assert_eq!(of(rcp_f32, zero), sign * inf);
            assert_eq!(of(rcp_clamp_f32, zero), sign * max);
            assert_eq!(of(rcp_legacy_f32, zero).to_bits(), zero.to_bits());
            assert_eq!(of(rcp_f32, sign * inf).to_bits(), zero.to_bits());
            assert_eq!(of(rsq_f32, zero), sign * inf);
            assert_eq!(of(rsq_clamp_f32, zero), sign * max);
            assert_eq!(of(rsq_legacy_f32, zero).to_bits(), zero.to_bits());
            assert_eq!(of(sqrt_f32, zero).to_bits(), zero.to_bits());
            let (zero, sign) = (f64::from(zero), f64::from(sign));
            assert_eq!(of64(rcp_f64, zero), sign * f64::INFINITY);
            assert_eq!(of64(rcp_clamp_f64, zero), sign * f64::MAX);
            assert_eq!(of64(rsq_clamp_f64, zero), sign * f64::MAX);
            assert_eq!(of64(sqrt_f64, zero).to_bits(), zero.to_bits());
        }
        assert_eq!((of(rsq_f32, inf), of(sqrt_f32, inf)), (0.0, inf));
        for f in [rsq_f32, rsq_clamp_f32, rsq_legacy_f32, sqrt_f32] {
            assert_eq!(of32(f, (-1f32).to_bits()), 0xffc0_0000);
            assert_eq!(of32(f, 0xff80_0000), 0xffc0_0000);
            assert_eq!(of32(f, 0x7f80_0001), 0x7fc0_0001);
        }
        for f in [rsq_f64, rsq_clamp_f64, sqrt_f64] {
            assert_eq!(of64(f, -1.0).to_bits(), 0xfff8 << 48);
            assert_eq!(of64(f, f64::from_bits(0x7ff << 52 | 9)).to_bits(), 0x7ff8 << 48 | 9);
        }
    }

    #[test]
    fn denormals_of_single_precision_are_zero_in_every_mode() {
        for mode in [USUAL, KEEP] {
            assert_eq!(in32(rcp_f32, mode, 1 << 31 | 0x7f_ffff), 0xff80_0000);
            assert_eq!(in32(rsq_f32, mode, 0x7f_ffff), 0x7f80_0000);
            assert_eq!(in32(sqrt_f32, mode, 0x7f_ffff), 0);
            // 2^-126 is the smallest normal number, a little less is flushed.
            assert_eq!(in32(rcp_f32, mode, 0x7e80_0000), 0x0080_0000);
            assert_eq!(in32(rcp_f32, mode, 0xfe80_0001), 1 << 31);
        }
        let power = |n: i32| 2f64.powi(n);
        assert_eq!(of64(rcp_f64, power(1023)), power(-1023));
        assert_eq!(run(rcp_f64, 0x70, power(1023).to_bits(), 0).0, 0);
        assert_eq!(run(sqrt_f64, 0x30, 1, 0).0, 0);
        assert_eq!(of64(sqrt_f64, power(-1074)), power(-537));
    }

    #[test]
    fn powers_are_exact() {
        for n in -60..60 {
            let x = 4f32.powi(n);
            assert_eq!(of(rcp_f32, x) * x, 1.0);
            assert_eq!(of(rsq_f32, x), 1.0 / 2f32.powi(n));
            assert_eq!(of(sqrt_f32, x), 2f32.powi(n));
            let x = f64::from(x);
            assert_eq!(of64(rcp_f64, x) * x, 1.0);
            assert_eq!(of64(rsq_f64, x) * 2f64.powi(n), 1.0);
            assert_eq!(of64(sqrt_f64, x), 2f64.powi(n));
        }
    }

    proptest! {
        #[test]
        fn results_are_within_their_error(fraction in 0u32..1 << 23, exponent in 3u32..250) {
            let x = f32::from_bits(exponent << 23 | fraction);
            let ulp = 2f64.powi(-23);
            let wide = f64::from(x);
            prop_assert!(is_one(of(rcp_f32, x).into(), 1, wide, 0.501 * ulp));
            prop_assert!(is_one(of(rsq_f32, x).into(), 2, wide, 1.01 * ulp));
            let root = f64::from(of(sqrt_f32, x));
            prop_assert!((root * root / wide - 1.0).abs() <= 1.01 * ulp);
        }

        #[test]
        fn doubles_are_within_1e_8_and_no_better(fraction in 0u64..1 << 52, exponent in 3u64..2040) {
            let x = f64::from_bits(exponent << 52 | fraction);
            let unit = 2f64.powi(-27);
            let results = [of64(rcp_f64, x), of64(rsq_f64, x), of64(sqrt_f64, x)];
            prop_assert!((results[0] * x - 1.0).abs() <= 1.001 * unit);
            prop_assert!((results[1] * x.sqrt() - 1.0).abs() <= 1.001 * unit);
            prop_assert!((results[2] / x.sqrt() - 1.0).abs() <= 1.001 * unit);
            for result in results {
                prop_assert_eq!(result.to_bits() << 38, 0);
            }
        }
    }
}
