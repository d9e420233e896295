//! Multiply-add: `IMAD`, `IMAD.WIDE`, `IMAD.HI`.

use super::{has, mask_where, ones};
use crate::{Results, Sources, WARP};

/// Modifier bits of the general forms.
pub mod mods {
    /// Signed factors.
    pub const SIGNED: u32 = 0;
    /// Carry in from predicate 0; a negated C is then only inverted.
    pub const X: u32 = 1;
    /// Negate C.
    pub const NEG_C: u32 = 2;
    /// The destination is the high word.
    pub const HI: u32 = 3;
}

/// `A * B + C`, low word.
pub fn imad(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        r.d[0][i] = a[i].wrapping_mul(b[i]).wrapping_add(c[i]);
    }
}

/// `A * B - C`, low word.
pub fn imad_sub(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        r.d[0][i] = a[i].wrapping_mul(b[i]).wrapping_sub(c[i]);
    }
}

/// `C`: `IMAD.MOV`, the commonest use of `IMAD` (A or B is zero).
pub fn copy_c(_: u32, s: &Sources<'_>, r: &mut Results) {
    r.d[0] = *s.c();
}

/// `A + C`: `IMAD.IADD`, where B is the immediate 1.
pub fn add_ac(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, c) = (s.a(), s.c());
    for i in 0..WARP {
        r.d[0][i] = a[i].wrapping_add(c[i]);
    }
}

/// `A << mods`: `IMAD.SHL`, where B is an immediate power of two and C zero.
pub fn shl_a(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, shift) = (s.a(), mods & 31);
    for i in 0..WARP {
        r.d[0][i] = a[i] << shift;
    }
}

/// `IMAD.X`: `A * B + C` (or `~C`) + carry, low word. Predicate 0 = carry out
/// of the 32-bit sum of the product's low word, C and the carry.
pub fn imad_x(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    let flip = if has(m, mods::NEG_C) { u32::MAX } else { 0 };
    let carry = ones(s.p[0]);
    let (mut product, mut with_c) = ([0u32; WARP], [0u32; WARP]);
    for i in 0..WARP {
        product[i] = a[i].wrapping_mul(b[i]);
        with_c[i] = product[i].wrapping_add(c[i] ^ flip);
        r.d[0][i] = with_c[i].wrapping_add(carry[i]);
    }
    r.p[0] = mask_where(|i| with_c[i] < product[i]) | mask_where(|i| r.d[0][i] < with_c[i]);
}

/// The signed product, from the unsigned one: a negative factor counts 2^32
/// too much of the other. Vectors have the unsigned product only.
#[inline(always)]
fn signed_product(a: u32, b: u32) -> u64 {
    let sign = |x: u32| ((x as i32) >> 31) as u32;
    let excess = (sign(a) & b).wrapping_add(sign(b) & a);
    (u64::from(a) * u64::from(b)).wrapping_sub(u64::from(excess) << 32)
}

/// `IMAD.WIDE`: signed 64-bit `A * B + C`.
pub fn wide_signed(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c, h) = (s.a(), s.b(), s.c(), s.r[5]);
    for i in 0..WARP {
        let c = u64::from(c[i]) | u64::from(h[i]) << 32;
        r.set64(i, signed_product(a[i], b[i]).wrapping_add(c));
    }
}

/// `IMAD.WIDE.U32`: unsigned 64-bit `A * B + C`.
pub fn wide_unsigned(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c, h) = (s.a(), s.b(), s.c(), s.r[5]);
    for i in 0..WARP {
        let c = u64::from(c[i]) | u64::from(h[i]) << 32;
        r.set64(i, (u64::from(a[i]) * u64::from(b[i])).wrapping_add(c));
    }
}

/// `IMAD.HI`: high word of the signed 64-bit `A * B + C`.
pub fn high_signed(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c, h) = (s.a(), s.b(), s.c(), s.r[5]);
    for i in 0..WARP {
        let c = u64::from(c[i]) | u64::from(h[i]) << 32;
        r.d[0][i] = (signed_product(a[i], b[i]).wrapping_add(c) >> 32) as u32;
    }
}

/// `IMAD.HI.U32`: high word of the unsigned 64-bit `A * B + C`.
pub fn high_unsigned(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c, h) = (s.a(), s.b(), s.c(), s.r[5]);
    for i in 0..WARP {
        let c = u64::from(c[i]) | u64::from(h[i]) << 32;
        r.d[0][i] = ((u64::from(a[i]) * u64::from(b[i])).wrapping_add(c) >> 32) as u32;
    }
}

/// `IMAD.WIDE` and `IMAD.HI` in all their forms: 64-bit product plus 64-bit C
/// plus carry; predicate 0 = carry out of bit 63.
pub fn wide(m: u32, s: &Sources<'_>, r: &mut Results) {
    let x = has(m, mods::X);
    let negate = has(m, mods::NEG_C);
    let mut carries = [false; WARP];
    for (i, carry) in carries.iter_mut().enumerate() {
        let (a, b) = (s.a()[i], s.b()[i]);
        let product = if has(m, mods::SIGNED) {
            (i64::from(a as i32) * i64::from(b as i32)) as u64
        } else {
            u64::from(a) * u64::from(b)
        };
        let c = if negate { !s.c64(i) } else { s.c64(i) };
        let more = if x { s.p[0] >> i & 1 } else { u32::from(negate) };
        let sum = u128::from(product) + u128::from(c) + u128::from(more);
        *carry = sum >> 64 != 0;
        r.set64(i, sum as u64);
    }
    if has(m, mods::HI) {
        r.d[0] = r.d[1];
    }
    r.p[0] = mask_where(|i| carries[i]);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, of_lane, operands};
    use super::*;
    use crate::AluFn;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wide_forms_match_128_bit_arithmetic(o in operands(), m in 0u32..16) {
            let out = o.run(wide, m);
            for lane in 0..WARP {
                let [a, _, b, _, lo, hi] = o.lane(lane);
                let c = i128::from(lo) | i128::from(hi) << 32;
                let product = if m & 1 != 0 {
                    i128::from(a as i32) * i128::from(b as i32)
                } else {
                    i128::from(a) * i128::from(b)
                };
                let product = product & 0xffff_ffff_ffff_ffff;
                let x = m & 2 != 0;
                let carry_in = i128::from(o.preds(lane)[0] && x);
                let c = match (m & 4 != 0, x) {
                    (false, _) => c,
                    (true, false) => (1 << 64) - c,
                    (true, true) => (1 << 64) - 1 - c,
                };
                let sum = product + c + carry_in;
                let (d0, d1, p, _) = of_lane(&out, lane);
                let word = if m & 8 != 0 { sum >> 32 } else { sum };
                prop_assert_eq!(d0, word as u32);
                prop_assert_eq!(d1, (sum >> 32) as u32);
                prop_assert_eq!(p, sum >= 1 << 64);
            }
        }

        #[test]
        fn plain_forms_agree_with_the_general_ones(o in operands()) {
            let full = |m| o.run(wide, m);
            prop_assert_eq!(o.run(wide_signed, 0).d, full(1).d);
            prop_assert_eq!(o.run(wide_unsigned, 0).d, full(0).d);
            prop_assert_eq!(o.run(high_signed, 0).d[0], full(9).d[0]);
            prop_assert_eq!(o.run(high_unsigned, 0).d[0], full(8).d[0]);
            prop_assert_eq!(o.run(imad, 0).d[0], full(0).d[0]);
            prop_assert_eq!(o.run(imad_sub, 0).d[0], full(4).d[0]);
            let mut no_carry = o.clone();
            no_carry.p[0] = 0;
            prop_assert_eq!(no_carry.run(imad_x, 0).d[0], full(0).d[0]);
        }

        #[test]
        fn degenerate_products(a: u32, c: u32, n in 0u32..32) {
            let same = |f: AluFn, m, o: Operands| o.run(f, m).d[0][4] == o.run(imad, 0).d[0][4];
            prop_assert!(same(copy_c, 0, Operands::splat(0, a, c)));
            prop_assert!(same(add_ac, 0, Operands::splat(a, 1, c)));
            prop_assert!(same(shl_a, n, Operands::splat(a, 1 << n, 0)));
        }
    }
}
