//! Sums: `IADD3` and `LEA`.
//!
//! Negation is literal two's complement, `!x + 1` carried in 33 bits, so that
//! a carry out of `-0` is seen; under `.X` the `+ 1` comes from the carry-in
//! and only `!x` remains.

use super::{has, mask_where, ones};
use crate::{Results, Sources, WARP};

/// Modifiers of [`iadd3_carry`]: negate A, B, C in bits 0-2, `.X` in bit 3
/// (carries in from predicates 0 and 1).
pub const X: u32 = 3;

/// `A + B + C` with the given operands negated, no carries.
pub fn iadd3<const NA: bool, const NB: bool, const NC: bool>(
    _: u32,
    s: &Sources<'_>,
    r: &mut Results,
) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    let sign = |neg: bool, x: u32| if neg { x.wrapping_neg() } else { x };
    for i in 0..WARP {
        r.d[0][i] = sign(NA, a[i]).wrapping_add(sign(NB, b[i])).wrapping_add(sign(NC, c[i]));
    }
}

/// `A + B + C`, predicate 0 = sum reaches 2^32, predicate 1 = sum reaches 2^33.
pub fn iadd3_carry(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    let x = has(mods, X);
    let flip = |n: u32| if has(mods, n) { u32::MAX } else { 0 };
    let (fa, fb, fc) = (flip(0), flip(1), flip(2));
    // What remains to be added beside the three words: at most 3, so that it
    // overflows at most once.
    let mut rest = [if x { 0 } else { (mods & 7).count_ones() }; WARP];
    if x {
        let (p, q) = (ones(s.p[0]), ones(s.p[1]));
        for i in 0..WARP {
            rest[i] = p[i] + q[i];
        }
    }
    let (mut ab, mut abc) = ([0u32; WARP], [0u32; WARP]);
    for i in 0..WARP {
        ab[i] = (a[i] ^ fa).wrapping_add(b[i] ^ fb);
        abc[i] = ab[i].wrapping_add(c[i] ^ fc);
        r.d[0][i] = abc[i].wrapping_add(rest[i]);
    }
    // Each of the three additions carries at most once.
    let x = mask_where(|i| ab[i] < a[i] ^ fa);
    let y = mask_where(|i| abc[i] < ab[i]);
    let z = mask_where(|i| r.d[0][i] < abc[i]);
    r.p = [x | y | z, x & y | x & z | y & z];
}

/// 64-bit `A + B + C` of the uniform datapath; modifiers as [`iadd3_carry`].
pub fn iadd3_64(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let x = has(mods, X);
    let mut sum = [0u128; WARP];
    for (i, total) in sum.iter_mut().enumerate() {
        for (n, v) in [s.a64(i), s.b64(i), s.c64(i)].into_iter().enumerate() {
            let negate = has(mods, n as u32);
            *total += u128::from(if negate { !v } else { v }) + u128::from(negate && !x);
        }
        if x {
            *total += u128::from(s.p[0] >> i & 1) + u128::from(s.p[1] >> i & 1);
        }
    }
    for (i, total) in sum.iter().enumerate() {
        r.set64(i, *total as u64);
    }
    r.p[0] = mask_where(|i| sum[i] >> 64 != 0);
    r.p[1] = mask_where(|i| sum[i] >> 65 != 0);
}

/// Plain `(A << mods) + B`, `mods` < 32.
pub fn lea_plain(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, shift) = (s.a(), s.b(), mods & 31);
    for i in 0..WARP {
        r.d[0][i] = (a[i] << shift).wrapping_add(b[i]);
    }
}

/// Modifier bits of [`lea`] above the shift in bits 0-4.
pub mod lea_mods {
    /// High word of the 64-bit `C:A << shift`.
    pub const HI: u32 = 5;
    /// C is the sign of A.
    pub const SX32: u32 = 6;
    /// Carry in from predicate 0.
    pub const X: u32 = 7;
    /// Negate the shifted term.
    pub const NEG_A: u32 = 8;
    /// Negate B.
    pub const NEG_B: u32 = 9;
}

/// `(A << shift) + B` in all its forms; predicate 0 = carry out.
pub fn lea(mods: u32, s: &Sources<'_>, r: &mut Results) {
    use lea_mods::{HI, NEG_A, NEG_B, SX32, X};
    let (a, b, c) = (s.a(), s.b(), s.c());
    let shift = mods & 31;
    let x = has(mods, X);
    let flip = |n: u32| if has(mods, n) { u32::MAX } else { 0 };
    let (fa, fb) = (flip(NEG_A), flip(NEG_B));
    let rest = if x {
        ones(s.p[0])
    } else {
        [u32::from(has(mods, NEG_A)) + u32::from(has(mods, NEG_B)); WARP]
    };
    let mut shifted = [0u32; WARP];
    if has(mods, HI) {
        // Two steps, so that a shift by 32 gives zero.
        let below = |a: u32| a >> (31 - shift) >> 1;
        if has(mods, SX32) {
            for i in 0..WARP {
                shifted[i] = ((a[i] as i32) >> 31 << shift) as u32 | below(a[i]);
            }
        } else {
            for i in 0..WARP {
                shifted[i] = c[i] << shift | below(a[i]);
            }
        }
    } else {
        for i in 0..WARP {
            shifted[i] = a[i] << shift;
        }
    }
    let mut both = [0u32; WARP];
    for i in 0..WARP {
        shifted[i] ^= fa;
        both[i] = shifted[i].wrapping_add(b[i] ^ fb);
        r.d[0][i] = both[i].wrapping_add(rest[i]);
    }
    r.p[0] = mask_where(|i| both[i] < shifted[i]) | mask_where(|i| r.d[0][i] < both[i]);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, of_lane, operands};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn iadd3_is_the_wide_sum(o in operands(), mods in 0u32..16) {
            let out = o.run(iadd3_carry, mods);
            for lane in 0..WARP {
                let [a, _, b, _, c, _] = o.lane(lane);
                let x = mods & 8 != 0;
                let mut wide = 0u128;
                for (n, v) in [a, b, c].into_iter().enumerate() {
                    // 2^32 - v is what !v + 1 means without wrapping.
                    wide += match (mods >> n & 1 == 1, x) {
                        (false, _) => u128::from(v),
                        (true, false) => (1 << 32) - u128::from(v),
                        (true, true) => (1 << 32) - 1 - u128::from(v),
                    };
                }
                if x {
                    let [p, q, _] = o.preds(lane);
                    wide += u128::from(p) + u128::from(q);
                }
                let want = (wide as u32, wide >= 1 << 32, wide >= 2 << 32);
                let (d, _, p, q) = of_lane(&out, lane);
                prop_assert_eq!((d, p, q), want);
            }
        }

        #[test]
        fn plain_forms_agree_with_the_general_one(o in operands()) {
            let forms: [(crate::AluFn, u32); 4] = [
                (iadd3::<false, false, false>, 0),
                (iadd3::<true, false, false>, 1),
                (iadd3::<false, true, false>, 2),
                (iadd3::<false, false, true>, 4),
            ];
            for (f, mods) in forms {
                prop_assert_eq!(o.run(f, 0).d[0], o.run(iadd3_carry, mods).d[0]);
            }
            for shift in [0, 2, 31] {
                prop_assert_eq!(o.run(lea_plain, shift).d[0], o.run(lea, shift).d[0]);
            }
        }

        #[test]
        fn two_adds_with_carry_make_a_64_bit_add(a: u64, b: u64) {
            let low = Operands::splat(a as u32, b as u32, 0).run(iadd3_carry, 0);
            let mut high = Operands::splat((a >> 32) as u32, (b >> 32) as u32, 0);
            high.p[0] = low.p[0];
            let high = high.run(iadd3_carry, 1 << X);
            let got = u64::from(low.d[0][7]) | u64::from(high.d[0][7]) << 32;
            prop_assert_eq!(got, a.wrapping_add(b));
        }

        #[test]
        fn two_subtracts_with_carry_make_a_64_bit_subtract(a: u64, b: u64) {
            let low = Operands::splat(a as u32, b as u32, 0).run(iadd3_carry, 2);
            let mut high = Operands::splat((a >> 32) as u32, (b >> 32) as u32, 0);
            high.p[0] = low.p[0];
            let high = high.run(iadd3_carry, 2 | 1 << X);
            let got = u64::from(low.d[0][0]) | u64::from(high.d[0][0]) << 32;
            prop_assert_eq!(got, a.wrapping_sub(b));
        }

        #[test]
        fn wide_uniform_add_has_65_bits(o in operands(), mods in 0u32..16) {
            let out = o.run(iadd3_64, mods);
            let w = o.lane(3);
            let join = |n: usize| u128::from(w[2 * n]) | u128::from(w[2 * n + 1]) << 32;
            let x = mods & 8 != 0;
            let mut wide: u128 = (0..3)
                .map(|n| match (mods >> n & 1 == 1, x) {
                    (false, _) => join(n),
                    (true, false) => (1 << 64) - join(n),
                    (true, true) => (1 << 64) - 1 - join(n),
                })
                .sum();
            if x {
                let [p, q, _] = o.preds(3);
                wide += u128::from(p) + u128::from(q);
            }
            let (lo, hi, p, q) = of_lane(&out, 3);
            prop_assert_eq!(u64::from(lo) | u64::from(hi) << 32, wide as u64);
            prop_assert_eq!((p, q), (wide >= 1 << 64, wide >= 2 << 64));
        }

        #[test]
        fn lea_pair_makes_a_64_bit_address(index: i32, base: u64, shift in 0u32..5) {
            let low = Operands::splat(index as u32, base as u32, 0).run(lea, shift);
            let mut high = Operands::splat(index as u32, (base >> 32) as u32, 0);
            high.p[0] = low.p[0];
            use lea_mods::{HI, SX32};
            let mods = shift | 1 << HI | 1 << SX32 | 1 << lea_mods::X;
            let high = high.run(lea, mods);
            let got = u64::from(low.d[0][9]) | u64::from(high.d[0][9]) << 32;
            prop_assert_eq!(got, base.wrapping_add(((i64::from(index)) << shift) as u64));
        }
    }

    #[test]
    fn negating_zero_carries() {
        let out = Operands::splat(5, 0, 0).run(iadd3_carry, 2);
        assert_eq!((out.d[0][0], out.p[0], out.p[1]), (5, u32::MAX, 0));
        let out = Operands::splat(0, 0, 0).run(iadd3_carry, 3);
        assert_eq!((out.d[0][0], out.p[0], out.p[1]), (0, u32::MAX, u32::MAX));
    }
}
