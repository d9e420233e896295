//! Conversions between single and half precision.
//!
//! MODE's rounding of single precision holds for half precision too, and
//! denormals of half precision are never flushed (CLRX, "GCN ISA VOP1
//! instructions", of rounding).

use upset_lanes::fp::Format;
use upset_lanes::fp::narrow::{narrow, widen};

use super::each::each;
use super::special::{Keep, is_nan32};
use super::vector::{Results, Sources};

/// Infinity of half precision and the bit that makes a NaN quiet.
const QUIET_NAN: u32 = 0x7e00;

/// `v_cvt_f16_f32`.
pub fn f16_f32(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    let rounding = s.mode.round32();
    each(s, r, |a| {
        if is_nan32(a) {
            return a >> 16 & 0x8000 | QUIET_NAN | a >> 13 & 0x1ff;
        }
        narrow(Format::F16, rounding, f64::from(f32::from_bits(keep.f32(a))))
    });
}

/// `v_cvt_f32_f16`.
pub fn f32_f16(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| {
        let a = a & 0xffff;
        if Format::F16.is_nan(u64::from(a)) {
            return (a & 0x8000) << 16 | 0x7fc0_0000 | (a & 0x3ff) << 13;
        }
        (widen(Format::F16, a) as f32).to_bits()
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use upset_lanes::fp::Rounding;
    use upset_lanes::fp::exact::convert;

    use super::super::tried::{KEEP, USUAL, in32, of32};
    use super::*;

    #[test]
    fn every_half_widens_to_what_it_is_and_comes_back() {
        for half in 0..=0xffffu32 {
            let single = of32(f32_f16, half | 0xabcd_0000);
            if Format::F16.is_nan(u64::from(half)) {
                assert_eq!(single & 0x7fc0_0000, 0x7fc0_0000);
                assert_eq!(of32(f16_f32, single), half | 0x200);
                continue;
            }
            let exact = convert(Format::F16, Format::F32, half.into(), Rounding::Nearest);
            assert_eq!(u64::from(single), exact, "{half:#x}");
            for mode in 0..4 {
                assert_eq!(in32(f16_f32, USUAL | mode, single), half);
            }
        }
    }

    #[test]
    fn beyond_the_largest_and_below_the_smallest() {
        let narrowed = |mode, x: f32| in32(f16_f32, USUAL | mode, x.to_bits());
        assert_eq!(narrowed(0, 65519.0), 0x7bff);
        assert_eq!(narrowed(0, 65520.0), 0x7c00);
        assert_eq!(narrowed(3, -1e9), 0xfbff);
        assert_eq!(narrowed(1, 1e-9), 1);
        assert_eq!(narrowed(0, -1e-9), 0x8000);
        // A denormal of single precision is zero to start with.
        assert_eq!(narrowed(1, 1e-40), 0);
        assert_eq!(in32(f16_f32, KEEP | 1, 1), 1);
    }

    proptest! {
        #[test]
        fn exact_arithmetic_agrees(a: u32, exponent in 95u32..150) {
            for bits in [a, a & 0x807f_ffff | exponent << 23] {
                prop_assume!(!is_nan32(bits));
                let roundings = [Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero];
                for (mode, rounding) in (0..).zip(roundings) {
                    let exact = convert(Format::F32, Format::F16, bits.into(), rounding);
                    prop_assert_eq!(u64::from(in32(f16_f32, KEEP | mode, bits)), exact);
                }
            }
        }
    }
}
