//! Sums, products and comparisons with the condition codes (`.CC`, `.X`).
//!
//! Negation is `!x + 1`; under `.X` the `+ 1` comes from the carry, so that a
//! chain from the lowest word up subtracts wide numbers.

use super::compare::{cmp, joined};
use super::{has, mask_where};
use crate::codes::{CARRY, Codes, OVERFLOW, SIGN, ZERO};
use crate::{Lanes, Mask, Results, Sources, WARP};

/// Modifiers of [`add`].
pub mod sum {
    /// Bit: A is negated. With [`NEG_B`]: neither is, and one is added.
    pub const NEG_A: u32 = 0;
    /// Bit: B is negated.
    pub const NEG_B: u32 = 1;
    /// Bit: the carry is added.
    pub const X: u32 = 2;
    /// First bit of how far A is shifted to the left (`ISCADD`).
    pub const SHIFT: u32 = 8;
}

/// Modifiers of [`multiply_add`].
pub mod product {
    /// Bit: A is signed.
    pub const SIGNED_A: u32 = 0;
    /// Bit: B is signed.
    pub const SIGNED_B: u32 = 1;
    /// Bit: the high word of the product counts.
    pub const HIGH: u32 = 2;
    /// Bit: the carry is added.
    pub const X: u32 = 3;
    /// Bit: the product is negated.
    pub const NEG_PRODUCT: u32 = 4;
    /// Bit: C is negated. With [`NEG_PRODUCT`]: neither is, and one is added.
    pub const NEG_C: u32 = 5;
}

/// Modifiers of [`compare`]: bits 0-1 say how it is joined with predicate
/// source 0 ([`join`](super::compare::join)).
pub mod comparison {
    /// Bit: words are signed.
    pub const SIGNED: u32 = 2;
    /// First bit of the comparison ([`cmp`](crate::int::compare::cmp)).
    pub const CMP: u32 = 4;
}

/// The lanes whose words are all ones; the others are zero. By itself, so that
/// the compiler joins four lanes at a time wherever the words come from.
#[inline(never)]
fn lanes_of(words: &Lanes) -> Mask {
    let mut four = [0; 4];
    for (word, bit) in words.chunks_exact(4).zip(super::LANE_BIT.chunks_exact(4)) {
        for i in 0..4 {
            four[i] |= word[i] & bit[i];
        }
    }
    four[0] | four[1] | four[2] | four[3]
}

/// All ones where something holds.
#[inline(always)]
fn ones_if(holds: bool) -> u32 {
    0u32.wrapping_sub(u32::from(holds))
}

/// All ones where the highest bit is set.
#[inline(always)]
fn ones_if_high(word: u32) -> u32 {
    (word as i32 >> 31) as u32
}

/// The sum of each lane's summands, the last of which is a carry, and its codes.
// Inlined: whoever asks makes the summands as they are added.
#[inline(always)]
fn sum_of(summands: impl Fn(usize) -> [u32; 3], codes: &mut Codes, d: &mut Lanes) {
    let (mut carries, mut overflows) = ([0; WARP], [0; WARP]);
    for i in 0..WARP {
        let [x, y, carry] = summands(i);
        let sum = x.wrapping_add(y).wrapping_add(carry);
        d[i] = sum;
        carries[i] = ones_if_high(x & y | (x | y) & !sum);
        overflows[i] = ones_if_high((x ^ sum) & (y ^ sum));
    }
    *codes = of_result(d);
    codes[CARRY] = lanes_of(&carries);
    codes[OVERFLOW] = lanes_of(&overflows);
}

/// Codes of a result that was not made by adding: neither carry nor overflow.
pub fn of_result(d: &Lanes) -> Codes {
    let mut codes = [0; 4];
    let (mut zeroes, mut signs) = ([0; WARP], [0; WARP]);
    for i in 0..WARP {
        zeroes[i] = ones_if(d[i] == 0);
        signs[i] = ones_if_high(d[i]);
    }
    codes[ZERO] = lanes_of(&zeroes);
    codes[SIGN] = lanes_of(&signs);
    codes
}

/// What inverts a word, or leaves it.
fn inverting(invert: bool) -> u32 {
    if invert { u32::MAX } else { 0 }
}

/// The summands of [`add`] without the carry, and that where it is none of a chain.
#[inline(always)]
fn summands<'a>(mods: u32, s: &Sources<'a>) -> (impl Fn(usize) -> [u32; 2] + use<'a>, u32) {
    let (a, b) = (has(mods, sum::NEG_A), has(mods, sum::NEG_B));
    let shift = mods >> sum::SHIFT & 31;
    let (flip_a, flip_b) = (inverting(a && !b), inverting(b && !a));
    let (x, y) = (s.a(), s.b());
    (move |i| [x[i] << shift ^ flip_a, y[i] ^ flip_b], u32::from(a || b))
}

/// `IADD`, `ISUB`, `ISCADD`: `(A << shift) + B`.
pub fn add(mods: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    if has(mods, sum::X) {
        return add_within(mods, s, codes, r);
    }
    let (words, one) = summands(mods, s);
    let summands = |i| {
        let [x, y] = words(i);
        [x, y, one]
    };
    sum_of(summands, codes, &mut r.d[0]);
}

/// The same with the carry, within a chain.
// Kept apart: few chains have more than a beginning and an end.
#[inline(never)]
fn add_within(mods: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    let (words, carry) = (summands(mods, s).0, super::ones(codes[CARRY]));
    let summands = |i: usize| {
        let [x, y] = words(i);
        [x, y, carry[i]]
    };
    sum_of(summands, codes, &mut r.d[0]);
}

/// The same where nobody asks for the codes that it leaves.
pub fn add_last(mods: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    let (words, one) = summands(mods, s);
    let d = &mut r.d[0];
    let sum = |i| {
        let [x, y]: [u32; 2] = words(i);
        x.wrapping_add(y)
    };
    if has(mods, sum::X) {
        let carry = super::ones(codes[CARRY]);
        (0..WARP).for_each(|i| d[i] = sum(i).wrapping_add(carry[i]));
    } else {
        (0..WARP).for_each(|i| d[i] = sum(i).wrapping_add(one));
    }
}

/// The low word of a product is the same for all signs.
fn low_product(a: &Lanes, b: &Lanes) -> Lanes {
    let mut low = [0; WARP];
    for i in 0..WARP {
        low[i] = a[i].wrapping_mul(b[i]);
    }
    low
}

/// The high word of a product, or of its negative. A product of any signs is a
/// number of 65 bits; what its lower 64 are decides the high word.
fn high_product(mods: u32, a: &Lanes, b: &Lanes, negate: bool) -> Lanes {
    let signed = [product::SIGNED_A, product::SIGNED_B].map(|n| has(mods, n));
    let word = |x: u32, signed: bool| if signed { x as i32 as i64 as u64 } else { u64::from(x) };
    let mut high = [0; WARP];
    for i in 0..WARP {
        let of = word(a[i], signed[0]).wrapping_mul(word(b[i], signed[1]));
        high[i] = ((if negate { of.wrapping_neg() } else { of }) >> 32) as u32;
    }
    high
}

/// `IMAD`, `IMAD.HI`: a word of the product of A and B, plus C.
pub fn multiply_add(mods: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    let both = has(mods, product::NEG_PRODUCT) && has(mods, product::NEG_C);
    let negate_product = has(mods, product::NEG_PRODUCT) && !both;
    let negate = has(mods, product::NEG_C) && !both;
    // A word of a chain is inverted, and the carry makes it a negative. A high
    // word alone is that of the negative product.
    let chained = negate_product && (has(mods, product::X) || !has(mods, product::HIGH));
    let part = match has(mods, product::HIGH) {
        false => low_product(s.a(), s.b()),
        true => high_product(mods, s.a(), s.b(), negate_product && !chained),
    };
    let one = u32::from(negate || both || chained);
    let (flip_part, flip) = (inverting(chained), inverting(negate));
    let (c, d) = (s.c(), &mut r.d[0]);
    if has(mods, product::X) {
        let carry = super::ones(codes[CARRY]);
        sum_of(|i| [part[i] ^ flip_part, c[i] ^ flip, carry[i]], codes, d);
    } else {
        sum_of(|i| [part[i] ^ flip_part, c[i] ^ flip, one], codes, d);
    }
}

/// `ISETP.X`: compares the high words A and B; where they are equal, the codes
/// that a difference of the lower words left decide.
pub fn compare(mods: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    let bias = if has(mods, comparison::SIGNED) { 1 << 31 } else { 0 };
    let (a, b) = (s.a(), s.b());
    let less = mask_where(|i| (a[i] ^ bias) < (b[i] ^ bias));
    let equal = mask_where(|i| a[i] == b[i]);
    let (less, equal) = (less | equal & !codes[CARRY], equal & codes[ZERO]);
    let answer: Mask = match mods >> comparison::CMP & 7 {
        cmp::F => 0,
        cmp::LT => less,
        cmp::EQ => equal,
        cmp::LE => less | equal,
        cmp::GT => !(less | equal),
        cmp::NE => !equal,
        cmp::GE => !less,
        _ => Mask::MAX,
    };
    r.p = joined(mods, answer, s.p[0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CodesFn;
    use proptest::prelude::*;

    /// Runs `f` on single words, the same in all lanes; gives result, predicate
    /// and the codes.
    fn run(f: CodesFn, mods: u32, [a, b, c]: [u32; 3], codes: &mut Codes) -> (u32, bool) {
        let zero = [0; WARP];
        let rows = [a, b, c].map(|word| [word; WARP]);
        let s = Sources {
            r: [&rows[0], &zero, &rows[1], &zero, &rows[2], &zero],
            p: [Mask::MAX; 3],
            active: Mask::MAX,
        };
        let mut r = Results::default();
        f(mods, &s, codes, &mut r);
        assert!(r.d[0].iter().all(|word| *word == r.d[0][0]));
        (r.d[0][0], r.p[0] & 1 == 1)
    }

    fn words(x: u128) -> [u32; 4] {
        std::array::from_fn(|i| (x >> (32 * i)) as u32)
    }

    fn chain(a: u128, b: u128, mods: u32) -> (u128, Codes) {
        let mut codes = [0; 4];
        let (a, b) = (words(a), words(b));
        let sum = (0..4).fold(0, |sum, i| {
            let x = u32::from(i > 0) << sum::X;
            let (d, _) = run(add, mods | x, [a[i], b[i], 0], &mut codes);
            sum | u128::from(d) << (32 * i)
        });
        (sum, codes)
    }

    proptest! {
        #[test]
        fn a_chain_adds_and_subtracts_wide_numbers(a: u128, b: u128) {
            let (sum, codes) = chain(a, b, 0);
            prop_assert_eq!(sum, a.wrapping_add(b));
            prop_assert_eq!(codes[CARRY] != 0, a.checked_add(b).is_none());
            prop_assert_eq!(codes[OVERFLOW] != 0, (a as i128).checked_add(b as i128).is_none());
            let (difference, codes) = chain(a, b, 1 << sum::NEG_B);
            prop_assert_eq!(difference, a.wrapping_sub(b));
            prop_assert_eq!(codes[CARRY] != 0, a >= b);
            prop_assert_eq!(codes[SIGN] != 0, (difference as i128) < 0);
            prop_assert_eq!(chain(a, b, 1 << sum::NEG_A).0, b.wrapping_sub(a));
        }

        #[test]
        fn a_difference_then_a_comparison_compares_wide_numbers(
            a: u64, b: u64, alike: bool, op in 0u32..8, signed: bool,
        ) {
            let b = if alike { a & !0xffff_ffff | b & 0xffff_ffff } else { b };
            let mut codes = [0; 4];
            run(add, 1 << sum::NEG_B, [a as u32, b as u32, 0], &mut codes);
            let mods = op << comparison::CMP | u32::from(signed) << comparison::SIGNED;
            let before = codes;
            let high = [(a >> 32) as u32, (b >> 32) as u32, 0];
            let (_, answer) = run(compare, mods, high, &mut codes);
            let order = if signed { (a as i64).cmp(&(b as i64)) } else { a.cmp(&b) };
            let expected =
                [false, order.is_lt(), order.is_eq(), order.is_le(), order.is_gt(), order.is_ne(), order.is_ge(), true];
            prop_assert_eq!(answer, expected[op as usize]);
            prop_assert_eq!(codes, before);
        }

        #[test]
        fn products_and_addends_carry_into_the_high_word(a: u32, b: u32, c: u64, signed: bool) {
            let mut codes = [0; 4];
            let sign = if signed { 1 << product::SIGNED_A | 1 << product::SIGNED_B } else { 0 };
            let (low, _) = run(multiply_add, sign, [a, b, c as u32], &mut codes);
            let high = sign | 1 << product::HIGH | 1 << product::X;
            let (high, _) = run(multiply_add, high, [a, b, (c >> 32) as u32], &mut codes);
            let of = match signed {
                true => (i64::from(a as i32) * i64::from(b as i32)) as u64,
                false => u64::from(a) * u64::from(b),
            };
            prop_assert_eq!(u64::from(low) | u64::from(high) << 32, of.wrapping_add(c));
            // The same chain takes the product away.
            let minus = sign | 1 << product::NEG_PRODUCT;
            let (low, _) = run(multiply_add, minus, [a, b, c as u32], &mut codes);
            let chain = minus | 1 << product::HIGH | 1 << product::X;
            let (high, _) = run(multiply_add, chain, [a, b, (c >> 32) as u32], &mut codes);
            prop_assert_eq!(u64::from(low) | u64::from(high) << 32, c.wrapping_sub(of));
            let minus = 1 << product::NEG_PRODUCT;
            prop_assert_eq!(run(multiply_add, minus, [a, b, c as u32], &mut codes).0,
                (c as u32).wrapping_sub(a.wrapping_mul(b)));
            let minus = 1 << product::NEG_C;
            prop_assert_eq!(run(multiply_add, minus, [a, b, c as u32], &mut codes).0,
                a.wrapping_mul(b).wrapping_sub(c as u32));
        }
    }

    #[test]
    fn both_negations_add_one_and_a_shift_comes_first() {
        let mut codes = [0; 4];
        let po = 1 << sum::NEG_A | 1 << sum::NEG_B;
        assert_eq!(run(add, po, [5, 7, 0], &mut codes).0, 13);
        assert_eq!(run(add, 4 << sum::SHIFT, [5, 7, 0], &mut codes).0, 87);
        assert_eq!(codes, [0; 4]);
        assert_eq!(run(add, 0, [0, 0, 0], &mut codes).0, 0);
        assert_eq!(codes[ZERO], Mask::MAX);
    }
}
