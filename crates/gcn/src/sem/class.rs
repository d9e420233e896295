//! Classes of numbers. Bits of source B name them: signalling NaN, quiet NaN,
//! then minus infinity to plus infinity. Denormals are told apart in every
//! mode, and no exception is raised (CLRX, "GCN ISA VOPC instructions").

use super::compare::lanes;
use super::special::{INF32, INF64, QUIET32, QUIET64, SIGN32, SIGN64};
use super::vector::{Results, Sources};

/// Normal and denormal numbers, zero and infinity of both signs.
struct Signed {
    positive: u32,
    negative: u32,
}

const INFINITY: Signed = Signed { positive: 1 << 9, negative: 1 << 2 };
const NORMAL: Signed = Signed { positive: 1 << 8, negative: 1 << 3 };
const DENORMAL: Signed = Signed { positive: 1 << 7, negative: 1 << 4 };
const ZERO: Signed = Signed { positive: 1 << 6, negative: 1 << 5 };
const QUIET: u32 = 1 << 1;
const SIGNALLING: u32 = 1;

/// The bit of a number's class. `magnitude` is compared with infinity and
/// with the smallest normal number of its format.
#[inline(always)]
fn class(negative: bool, magnitude: u64, quiet: u64, smallest: u64, infinity: u64) -> u32 {
    let of = |kind: Signed| if negative { kind.negative } else { kind.positive };
    let nan = if magnitude & quiet != 0 { QUIET } else { SIGNALLING };
    let number = match magnitude {
        0 => of(ZERO),
        m if m < smallest => of(DENORMAL),
        m if m < infinity => of(NORMAL),
        _ => of(INFINITY),
    };
    if magnitude > infinity { nan } else { number }
}

/// `v_cmp_class_f32`.
pub fn f32(s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    r.bits = lanes(|lane| {
        let (negative, magnitude) = (a[lane] & SIGN32 != 0, a[lane] & !SIGN32);
        let (quiet, infinity) = (u64::from(QUIET32), u64::from(INF32));
        class(negative, u64::from(magnitude), quiet, 1 << 23, infinity) & b[lane] != 0
    });
}

/// `v_cmp_class_f64`.
pub fn f64(s: &Sources<'_>, r: &mut Results) {
    let b = s.b();
    r.bits = lanes(|lane| {
        let a = s.a64(lane);
        class(a & SIGN64 != 0, a & !SIGN64, QUIET64, 1 << 52, INF64) & b[lane] != 0
    });
}

#[cfg(test)]
mod tests {
    use std::num::FpCategory;

    use proptest::prelude::*;

    use super::super::tried::{USUAL, run};
    use super::super::vector::VectorFn;
    use super::*;

    /// The classes that a number is found in, asked for one by one.
    fn found(f: VectorFn, a: u64) -> u32 {
        (0..32).fold(0, |set, n| set | u32::from(run(f, USUAL, a, 1 << n).1 != 0) << n)
    }

    fn expected(category: FpCategory, negative: bool, quiet: bool) -> u32 {
        let n = match category {
            FpCategory::Nan => return 1 << u32::from(quiet),
            FpCategory::Infinite => 2,
            FpCategory::Normal => 3,
            FpCategory::Subnormal => 4,
            FpCategory::Zero => 5,
        };
        1 << if negative { n } else { 11 - n }
    }

    fn check(bits: u64) {
        let x = f64::from_bits(bits);
        let quiet = bits >> 51 & 1 == 1;
        assert_eq!(found(f64, bits), expected(x.classify(), x.is_sign_negative(), quiet));
        let bits = (bits >> 32) as u32;
        let x = f32::from_bits(bits);
        let quiet = bits >> 22 & 1 == 1;
        let class = expected(x.classify(), x.is_sign_negative(), quiet);
        assert_eq!(found(f32, u64::from(bits)), class);
    }

    #[test]
    fn ten_classes() {
        for (n, bits) in [
            0x7f80_0001u32,
            0x7fc0_0000,
            0xff80_0000,
            0xbf80_0000,
            0x8000_0001,
            0x8000_0000,
            0,
            1,
            0x3f80_0000,
            0x7f80_0000,
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(found(f32, u64::from(bits)), 1 << n);
        }
        for exponent in [0u64, 1, 0x7fe, 0x7ff] {
            for fraction in [0, 1, 1 << 51, 1 << 52 >> 1 | 1, (1 << 52) - 1] {
                check(exponent << 52 | fraction);
                check(1 << 63 | exponent << 52 | fraction);
            }
        }
    }

    proptest! {
        #[test]
        fn every_number_has_one_class(bits: u64) {
            check(bits);
            check(bits & !INF64);
            check(bits | INF64);
        }
    }
}
