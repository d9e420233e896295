//! Compares. A condition is the set of outcomes that fulfil it, and opcodes
//! count through the sets: sixteen of four outcomes, eight of the three that
//! integers have.
//!
//! Denormal sources are flushed as MODE says. `v_cmps` and `v_cmpsx` differ
//! from `v_cmp` and `v_cmpx` in the exceptions they raise only.

use upset_lanes::{Mask, WARP};

use super::special::Keep;
use super::vector::{Results, Sources, VectorFn};

/// A is less than B.
const LESS: u8 = 1;
/// They are equal.
const EQUAL: u8 = 2;
/// A is greater.
const GREATER: u8 = 4;
/// One of them is a NaN.
const UNORDERED: u8 = 8;

/// Bits of lanes. A table, because not every host shifts lanes by different counts.
const BITS: [Mask; WARP] = {
    let mut bits = [1; WARP];
    let mut lane = 0;
    while lane < WARP {
        bits[lane] <<= lane;
        lane += 1;
    }
    bits
};

/// The lanes of which something is true.
#[inline(always)]
pub fn lanes(is: impl Fn(usize) -> bool) -> Mask {
    let mut mask = 0;
    for (lane, bit) in BITS.into_iter().enumerate() {
        mask |= if is(lane) { bit } else { 0 };
    }
    mask
}

/// Is the outcome one of the set?
#[inline(always)]
fn among<const SET: u8, T: PartialOrd>(a: T, b: T) -> bool {
    let ordered =
        (SET & LESS != 0 && a < b) | (SET & EQUAL != 0 && a == b) | (SET & GREATER != 0 && a > b);
    // Every outcome but those that are not in the set: one compare instead of three.
    let but =
        (SET & LESS == 0 && a < b) | (SET & EQUAL == 0 && a == b) | (SET & GREATER == 0 && a > b);
    if SET & UNORDERED == 0 { ordered } else { !but }
}

fn f32<const SET: u8>(s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    let keep = Keep::inputs(s.mode);
    let value = |x| f32::from_bits(keep.f32(x));
    r.bits = lanes(|lane| among::<SET, f32>(value(a[lane]), value(b[lane])));
}

fn f64<const SET: u8>(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    let value = |x| f64::from_bits(keep.f64(x));
    r.bits = lanes(|lane| among::<SET, f64>(value(s.a64(lane)), value(s.b64(lane))));
}

fn i32<const SET: u8>(s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    r.bits = lanes(|lane| among::<SET, i32>(a[lane] as i32, b[lane] as i32));
}

fn u32<const SET: u8>(s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    r.bits = lanes(|lane| among::<SET, u32>(a[lane], b[lane]));
}

fn i64<const SET: u8>(s: &Sources<'_>, r: &mut Results) {
    r.bits = lanes(|lane| among::<SET, i64>(s.a64(lane) as i64, s.b64(lane) as i64));
}

fn u64<const SET: u8>(s: &Sources<'_>, r: &mut Results) {
    r.bits = lanes(|lane| among::<SET, u64>(s.a64(lane), s.b64(lane)));
}

/// Functions of all sets, in the order of opcodes.
macro_rules! all {
    ($f:ident: $($set:literal)*) => { [$($f::<$set>),*] };
}

/// Single precision: f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru.
pub const F32: [VectorFn; 16] = all!(f32: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
/// Double precision.
pub const F64: [VectorFn; 16] = all!(f64: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
/// Signed: f, lt, eq, le, gt, ne, ge, t.
pub const I32: [VectorFn; 8] = all!(i32: 0 1 2 3 4 5 6 7);
/// Unsigned.
pub const U32: [VectorFn; 8] = all!(u32: 0 1 2 3 4 5 6 7);
/// Signed, of 64 bits.
pub const I64: [VectorFn; 8] = all!(i64: 0 1 2 3 4 5 6 7);
/// Unsigned, of 64 bits.
pub const U64: [VectorFn; 8] = all!(u64: 0 1 2 3 4 5 6 7);

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::super::tried::{KEEP, USUAL, run};
    use super::*;

    /// The manual's table, name by name.
    fn float_conditions(order: Option<Ordering>) -> [bool; 16] {
        let lt = order == Some(Ordering::Less);
        let eq = order == Some(Ordering::Equal);
        let gt = order == Some(Ordering::Greater);
        let o = order.is_some();
        let (le, ge, lg) = (lt || eq, gt || eq, lt || gt);
        [false, lt, eq, le, gt, lg, ge, o, !o, !ge, !lg, !gt, !le, !eq, !lt, true]
    }

    fn integer_conditions(order: Ordering) -> [bool; 8] {
        let (lt, eq, gt) = (order.is_lt(), order.is_eq(), order.is_gt());
        [false, lt, eq, lt || eq, gt, lt || gt, gt || eq, true]
    }

    fn outcomes<const N: usize>(fs: [VectorFn; N], mode: u32, a: u64, b: u64) -> [bool; N] {
        fs.map(|f| match run(f, mode, a, b).1 {
            0 => false,
            mask => {
                assert_eq!(mask, !0);
                true
            }
        })
    }

    fn check32(a: u32, b: u32) {
        let (wide_a, wide_b) = (u64::from(a), u64::from(b));
        let order = f32::from_bits(a).partial_cmp(&f32::from_bits(b));
        assert_eq!(outcomes(F32, KEEP, wide_a, wide_b), float_conditions(order));
        let signed = integer_conditions((a as i32).cmp(&(b as i32)));
        assert_eq!(outcomes(I32, USUAL, wide_a, wide_b), signed);
        assert_eq!(outcomes(U32, USUAL, wide_a, wide_b), integer_conditions(a.cmp(&b)));
    }

    fn check64(a: u64, b: u64) {
        let order = f64::from_bits(a).partial_cmp(&f64::from_bits(b));
        assert_eq!(outcomes(F64, USUAL, a, b), float_conditions(order));
        let signed = integer_conditions((a as i64).cmp(&(b as i64)));
        assert_eq!(outcomes(I64, USUAL, a, b), signed);
        assert_eq!(outcomes(U64, USUAL, a, b), integer_conditions(a.cmp(&b)));
    }

    #[test]
    fn edges_against_each_other() {
        let singles = [0, 1, 0x007f_ffff, 0x0080_0000, 0x3f80_0000, 0x7f80_0000, 0x7f80_0001];
        for a in singles.into_iter().chain([0x7fc0_0000]) {
            for b in singles {
                for signs in 0..4u32 {
                    let (a, b) = (a | signs >> 1 << 31, b | signs << 31);
                    check32(a, b);
                    check64(u64::from(a) << 32, u64::from(b) << 32);
                }
            }
        }
    }

    #[test]
    fn denormals_are_zero_where_the_mode_says_so() {
        let equal = |fs: [VectorFn; 16], mode, a, b| outcomes(fs, mode, a, b)[2];
        assert!(equal(F32, USUAL, 1, 0x8000_0002));
        assert!(!equal(F32, KEEP, 1, 2));
        // Bit 4 allows denormal sources, bit 5 results, which there are none of.
        assert!(!equal(F32, 0x10, 1, 2));
        assert!(equal(F32, 0x20, 1, 2));
        assert!(!equal(F64, USUAL, 1, 2));
        assert!(equal(F64, 0x30, 1, 2));
        assert!(!equal(F64, 0x40, 1, 2));
    }

    #[test]
    fn each_lane_has_its_bit() {
        let a: [u32; 32] = std::array::from_fn(|lane| lane as u32);
        let (b, zero) = ([9; 32], [0; 32]);
        let sources = Sources {
            r: [&a, &zero, &b, &zero, &zero, &zero],
            bits: 0,
            active: !0,
            mode: super::super::Mode(USUAL),
            first: 0,
        };
        let mut results = Results::default();
        U32[1](&sources, &mut results);
        assert_eq!(results.bits, 0x1ff);
        I64[2](&sources, &mut results);
        assert_eq!(results.bits, 0x200);
    }

    proptest! {
        #[test]
        fn conditions_follow_the_order(a: u64, b: u64) {
            check64(a, b);
            check64(a, a);
            check32(a as u32, b as u32);
            check32(a as u32, a as u32);
        }
    }
}
