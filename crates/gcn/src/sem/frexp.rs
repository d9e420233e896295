//! Exponents and significands: a number is a significand in 0.5 to 1, times a
//! power of two.
//!
//! Of infinities and NaN the exponent is -1, and the significand of infinities
//! is a NaN (CLRX, "GCN ISA VOP1 instructions"; LLVM works around both on this
//! generation). Later generations give 0 and the source itself.

use super::each::{each, each_from64, each64};
use super::special::{INF32, INF64, Keep, NAN32, NAN64, SIGN32, SIGN64};
use super::special::{unless_nan32, unless_nan64};
use super::vector::{Results, Sources};

/// Exponents of 0.5, as they are stored.
const HALF32: u32 = 126;
const HALF64: u64 = 1022;

/// Exponent as stored, and fraction, of a number made normal; both 0 of zero.
#[inline(always)]
fn parts32(a: u32) -> (i32, u32) {
    let (field, fraction) = ((a & INF32) >> 23, a & !(SIGN32 | INF32));
    let shift = fraction.leading_zeros().saturating_sub(8);
    match (field, fraction) {
        (0, 0) => (HALF32 as i32, 0),
        (0, _) => (1 - shift as i32, fraction << shift & !(1 << 23)),
        _ => (field as i32, fraction),
    }
}

#[inline(always)]
fn parts64(a: u64) -> (i32, u64) {
    let (field, fraction) = ((a & INF64) >> 52, a & !(SIGN64 | INF64));
    let shift = fraction.leading_zeros().saturating_sub(11);
    match (field, fraction) {
        (0, 0) => (HALF64 as i32, 0),
        (0, _) => (1 - shift as i32, fraction << shift & !(1 << 52)),
        _ => (field as i32, fraction),
    }
}

/// `v_frexp_exp_i32_f32`.
pub fn exp_f32(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    each(s, r, |a| {
        let a = keep.f32(a);
        let exponent = parts32(a).0 - HALF32 as i32;
        (if a & INF32 == INF32 { -1 } else { exponent }) as u32
    });
}

/// `v_frexp_exp_i32_f64`.
pub fn exp_f64(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    each_from64(s, r, |a| {
        let a = keep.f64(a);
        let exponent = parts64(a).0 - HALF64 as i32;
        (if a & INF64 == INF64 { -1 } else { exponent }) as u32
    });
}

/// `v_frexp_mant_f32`.
pub fn mant_f32(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    each(s, r, |a| {
        let a = keep.f32(a);
        let significand = a & SIGN32 | HALF32 << 23 | parts32(a).1;
        match a & !SIGN32 {
            0 => a,
            INF32 => NAN32,
            _ => unless_nan32(a, significand),
        }
    });
}

/// `v_frexp_mant_f64`.
pub fn mant_f64(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    each64(s, r, |a| {
        let a = keep.f64(a);
        let significand = a & SIGN64 | HALF64 << 52 | parts64(a).1;
        match a & !SIGN64 {
            0 => a,
            INF64 => NAN64,
            _ => unless_nan64(a, significand),
        }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tried::{KEEP, USUAL, in32, of32, run};
    use super::*;

    /// A significand within its range, and the number is put together again.
    fn check(bits: u64) {
        let x = f64::from_bits(bits);
        if x.is_finite() {
            let significand = f64::from_bits(run(mant_f64, KEEP, bits, 0).0);
            let exponent = run(exp_f64, KEEP, bits, 0).0 as u32 as i32;
            assert!(x == 0.0 || (0.5..1.0).contains(&significand.abs()), "{x:e}");
            // In two steps: the power itself may be out of range.
            let first = exponent / 2;
            let whole = significand * 2f64.powi(first) * 2f64.powi(exponent - first);
            assert_eq!(whole.to_bits(), bits);
        }
        let bits = (bits >> 32) as u32;
        let x = f32::from_bits(bits);
        if x.is_finite() {
            let significand = f32::from_bits(in32(mant_f32, KEEP, bits));
            let exponent = in32(exp_f32, KEEP, bits) as i32;
            assert!(x == 0.0 || (0.5..1.0).contains(&significand.abs()), "{x:e}");
            let whole = f64::from(significand) * 2f64.powi(exponent);
            assert_eq!((whole as f32).to_bits(), bits);
        }
    }

    #[test]
    fn edges() {
        assert_eq!(
            (of32(exp_f32, 1f32.to_bits()), of32(mant_f32, 1f32.to_bits())),
            (1, 0x3f00_0000)
        );
        for bits in [0, 1, 0xf_ffff_ffff_ffff, 1 << 52, 0x7fe << 52, 1 << 32] {
            check(bits);
            check(bits | 1 << 63);
        }
        for (a, mantissa) in [
            (0x7f80_0000, 0xffc0_0000),
            (0xff80_0000, 0xffc0_0000),
            (0xff80_0003, 0xffc0_0003),
            (0x7fc0_0000, 0x7fc0_0000),
        ] {
            assert_eq!((of32(mant_f32, a), of32(exp_f32, a)), (mantissa, !0));
        }
        assert_eq!(run(mant_f64, USUAL, 0x7ff << 52, 0).0, 0xfff8 << 48);
        assert_eq!(run(exp_f64, USUAL, 0x7ff << 52 | 1, 0).0, 0xffff_ffff);
    }

    #[test]
    fn flushed_denormals_are_zero() {
        assert_eq!((of32(exp_f32, 5), of32(mant_f32, 1 << 31 | 5)), (0, 1 << 31));
        assert_eq!(in32(exp_f32, KEEP, 1), -148i32 as u32);
        assert_eq!((run(exp_f64, 0x30, 5, 0).0, run(mant_f64, 0x30, 5, 0).0), (0, 0));
        assert_eq!(run(exp_f64, USUAL, 1, 0).0 as u32, -1073i32 as u32);
    }

    proptest! {
        #[test]
        fn numbers_come_apart(bits: u64) {
            check(bits);
            check(bits & !INF64);
            check(bits & !INF64 & !(0x7ff << 41));
        }
    }
}
