//! Integers: sums with carries, products of 24 and of 32 bits.

use super::each::{each2, each3, gather};
use super::vector::{Results, Sources};

/// `v_add_i32`: the carry is that of unsigned numbers.
pub fn add_i32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], u32::wrapping_add);
    r.bits = gather(|l| r.d[0][l] < s.a()[l]);
}

/// `v_sub_i32`, and `v_subrev_i32`, whose sources are exchanged before.
pub fn sub_i32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], u32::wrapping_sub);
    r.bits = gather(|l| s.a()[l] < s.b()[l]);
}

/// `v_addc_u32`.
pub fn addc_u32(s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    for l in 0..32 {
        r.d[0][l] = a[l].wrapping_add(b[l]).wrapping_add(s.bits >> l & 1);
    }
    // A sum that comes out as it went in has carried exactly if B was all ones.
    r.bits = gather(|l| {
        let (sum, a, carry) = (r.d[0][l], a[l], s.bits >> l & 1 == 1);
        sum < a || (carry && sum == a)
    });
}

/// `v_subb_u32`, and `v_subbrev_u32`, whose sources are exchanged before.
pub fn subb_u32(s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    for l in 0..32 {
        r.d[0][l] = a[l].wrapping_sub(b[l]).wrapping_sub(s.bits >> l & 1);
    }
    r.bits = gather(|l| a[l] < b[l] || (s.bits >> l & 1 == 1 && a[l] == b[l]));
}

/// The low 24 bits with their sign.
#[inline(always)]
fn signed24(x: u32) -> i32 {
    (x << 8) as i32 >> 8
}

/// The low 24 bits.
#[inline(always)]
fn unsigned24(x: u32) -> u32 {
    x & 0x00ff_ffff
}

/// `v_mul_i32_i24`.
pub fn mul_i24(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| signed24(a).wrapping_mul(signed24(b)) as u32);
}

/// `v_mul_hi_i32_i24`: the upper 16 bits of 48, with their sign.
pub fn mul_hi_i24(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| ((i64::from(signed24(a)) * i64::from(signed24(b))) >> 32) as u32);
}

/// `v_mul_u32_u24`.
pub fn mul_u24(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| unsigned24(a).wrapping_mul(unsigned24(b)));
}

/// `v_mul_hi_u32_u24`.
pub fn mul_hi_u24(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| {
        ((u64::from(unsigned24(a)) * u64::from(unsigned24(b))) >> 32) as u32
    });
}

/// `v_mad_i32_i24`.
pub fn mad_i24(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| (signed24(a).wrapping_mul(signed24(b)) as u32).wrapping_add(c));
}

/// `v_mad_u32_u24`.
pub fn mad_u24(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| unsigned24(a).wrapping_mul(unsigned24(b)).wrapping_add(c));
}

/// `v_mul_lo_u32`, `v_mul_lo_i32`: the low half knows no sign.
pub fn mul_lo(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], u32::wrapping_mul);
}

/// `v_mul_hi_u32`.
pub fn mul_hi_u32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32);
}

/// `v_mul_hi_i32`.
pub fn mul_hi_i32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Inputs, edges32};
    use super::*;

    fn wide(x: u32, bits: u32) -> i128 {
        let low = i128::from(x) & ((1 << bits) - 1);
        if low >> (bits - 1) == 1 { low - (1 << bits) } else { low }
    }

    fn low(x: u32, bits: u32) -> i128 {
        i128::from(x) & ((1 << bits) - 1)
    }

    proptest! {
        #[test]
        fn sums_and_carries_are_those_of_wider_numbers(
            a in edges32(), b in edges32(), carry: bool,
        ) {
            let (x, y, c) = (i128::from(a), i128::from(b), i128::from(carry));
            let run = |f| Inputs::of([a, b, 0]).bits(carry).lane(f);
            let is = |sum: i128| (sum as u32, !(0..1 << 32).contains(&sum));
            prop_assert_eq!(run(add_i32), is(x + y));
            prop_assert_eq!(run(sub_i32), is(x - y));
            prop_assert_eq!(run(addc_u32), is(x + y + c));
            prop_assert_eq!(run(subb_u32), is(x - y - c));
        }

        #[test]
        fn products_are_those_of_wider_numbers(a in edges32(), b in edges32(), c: u32) {
            let run = |f| Inputs::of([a, b, c]).lane(f).0;
            let (i, u) = (wide(a, 24) * wide(b, 24), low(a, 24) * low(b, 24));
            prop_assert_eq!(run(mul_i24), i as u32);
            prop_assert_eq!(run(mul_hi_i24), (i >> 32) as u32);
            prop_assert_eq!(run(mul_u24), u as u32);
            prop_assert_eq!(run(mul_hi_u24), (u >> 32) as u32);
            prop_assert_eq!(run(mad_i24), (i + i128::from(c)) as u32);
            prop_assert_eq!(run(mad_u24), (u + i128::from(c)) as u32);
            let (i, u) = (wide(a, 32) * wide(b, 32), low(a, 32) * low(b, 32));
            prop_assert_eq!(run(mul_lo), u as u32);
            prop_assert_eq!(run(mul_lo), i as u32);
            prop_assert_eq!(run(mul_hi_u32), (u >> 32) as u32);
            prop_assert_eq!(run(mul_hi_i32), (i >> 32) as u32);
        }
    }

    #[test]
    fn every_lane_has_its_own_carry() {
        let inputs = Inputs::of([u32::MAX, 0, 0]).each(1, |l| u32::from(l % 3 == 0));
        let bits = inputs.run(add_i32).bits;
        assert_eq!(bits, (0..32).filter(|l| l % 3 == 0).fold(0, |bits, l| bits | 1 << l));
    }
}
