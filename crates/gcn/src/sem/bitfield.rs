//! Bits: logic, shifts, fields, counts.

use super::each::{each2, each3};
use super::vector::{Results, Sources};

/// Defines functions of two or three sources.
macro_rules! lanes {
    ($($(#[$doc:meta])* $name:ident: $each:ident $f:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(s: &Sources<'_>, r: &mut Results) {
            $each(s, &mut r.d[0], $f);
        }
    )*};
}

/// So many ones from bit 0 on: 0 to 31.
#[inline(always)]
fn ones(count: u32) -> u32 {
    (1 << (count & 31)) - 1
}

#[inline(always)]
fn signed_field(x: u32, first: u32, count: u32) -> u32 {
    let up = 32 - (count & 31);
    // Shifted with its sign, a field that reaches past bit 31 ends there.
    let field = (x as i32 >> (first & 31)) << (up & 31) >> (up & 31);
    if count & 31 == 0 { 0 } else { field as u32 }
}

#[inline(always)]
fn align(a: u32, b: u32, by: u32) -> u32 {
    ((u64::from(a) << 32 | u64::from(b)) >> by) as u32
}

lanes! {
    /// `v_and_b32`.
    and_b32: each2 |a, b| a & b;
    /// `v_or_b32`.
    or_b32: each2 |a, b| a | b;
    /// `v_xor_b32`.
    xor_b32: each2 |a, b| a ^ b;
    /// `v_lshl_b32`: five bits say how far. `v_lshlrev_b32`, with sources exchanged.
    lshl_b32: each2 |a, b| a << (b & 31);
    /// `v_lshr_b32`, `v_lshrrev_b32`.
    lshr_b32: each2 |a, b| a >> (b & 31);
    /// `v_ashr_i32`, `v_ashrrev_i32`.
    ashr_i32: each2 |a, b| (a as i32 >> (b & 31)) as u32;
    /// `v_bfm_b32`: a mask of A ones from bit B on.
    bfm_b32: each2 |a, b| ones(a) << (b & 31);
    /// `v_bfe_u32`: C bits of A from bit B on.
    bfe_u32: each3 |a, b, c| a >> (b & 31) & ones(c);
    /// `v_bfe_i32`: with the sign of its last bit.
    bfe_i32: each3 signed_field;
    /// `v_bfi_b32`: B where A has ones, else C.
    bfi_b32: each3 |a, b, c| a & b | !a & c;
    /// `v_alignbit_b32`: A and B as one number, shifted right by C bits.
    alignbit_b32: each3 |a, b, c| align(a, b, c & 31);
    /// `v_alignbyte_b32`: by C bytes.
    alignbyte_b32: each3 |a, b, c| align(a, b, (c & 3) * 8);
    /// `v_bcnt_u32_b32`: ones of A, and B.
    bcnt_u32: each2 |a, b| a.count_ones().wrapping_add(b);
}

/// Lanes of one word of a wave's mask that come before the own one.
#[inline(always)]
fn mbcnt(s: &Sources<'_>, r: &mut Results, word: u32) {
    let (a, b) = (s.a(), s.b());
    for l in 0..32 {
        let before = match (s.first / 32).cmp(&word) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => ones(l as u32),
            std::cmp::Ordering::Greater => !0,
        };
        r.d[0][l] = (a[l] & before).count_ones().wrapping_add(b[l]);
    }
}

/// `v_mbcnt_lo_u32_b32`.
pub fn mbcnt_lo(s: &Sources<'_>, r: &mut Results) {
    mbcnt(s, r, 0);
}

/// `v_mbcnt_hi_u32_b32`.
pub fn mbcnt_hi(s: &Sources<'_>, r: &mut Results) {
    mbcnt(s, r, 1);
}

/// A shift of 64 bits: six bits say how far.
#[inline(always)]
fn shift64(s: &Sources<'_>, r: &mut Results, f: impl Fn(u64, u32) -> u64) {
    for l in 0..32 {
        r.set64(l, f(s.a64(l), s.b()[l] & 63));
    }
}

/// `v_lshl_b64`.
pub fn lshl_b64(s: &Sources<'_>, r: &mut Results) {
    shift64(s, r, |a, by| a << by);
}

/// `v_lshr_b64`.
pub fn lshr_b64(s: &Sources<'_>, r: &mut Results) {
    shift64(s, r, |a, by| a >> by);
}

/// `v_ashr_i64`.
pub fn ashr_i64(s: &Sources<'_>, r: &mut Results) {
    shift64(s, r, |a, by| (a as i64 >> by) as u64);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Inputs, edges32};
    use super::*;

    fn one(f: fn(&Sources<'_>, &mut Results), a: u32, b: u32, c: u32) -> u32 {
        Inputs::of([a, b, c]).lane(f).0
    }

    proptest! {
        #[test]
        fn a_field_is_made_bit_by_bit(x in edges32(), first: u32, count: u32) {
            let (from, n) = (first % 32, count % 32);
            let bit = |i: u32| u32::from(from + i < 32 && x >> (from + i) & 1 == 1);
            let low = (0..n).fold(0, |sum, i| sum | bit(i) << i);
            prop_assert_eq!(one(bfe_u32, x, first, count), low);
            // The sign is the field's last bit, or the last that there is.
            let width = n.min(32 - from);
            let negative = n > 0 && bit(width - 1) == 1;
            let above = if negative { (width..32).fold(0, |sum, i| sum | 1 << i) } else { 0 };
            prop_assert_eq!(one(bfe_i32, x, first, count), low | above);
            let mask = (0..32).filter(|&i| i >= from && i - from < n).fold(0, |m, i| m | 1u32 << i);
            prop_assert_eq!(one(bfm_b32, count, first, 0), mask);
        }

        #[test]
        fn shifts_are_divisions_and_products(x: u64, by: u32) {
            let (a, power) = (i128::from(x as i64), 1i128 << (by % 64));
            let run = |f| Inputs::of64([x, u64::from(by), 0]).lane64(f).0;
            prop_assert_eq!(run(ashr_i64), a.div_euclid(power) as u64);
            prop_assert_eq!(run(lshr_b64), (i128::from(x) / power) as u64);
            prop_assert_eq!(run(lshl_b64), (i128::from(x) * power) as u64);
            let (word, power) = (x as u32, 1i64 << (by % 32));
            let signed = i64::from(word as i32).div_euclid(power);
            prop_assert_eq!(one(ashr_i32, word, by, 0), signed as u32);
            prop_assert_eq!(one(lshr_b32, word, by, 0), (i64::from(word) / power) as u32);
            prop_assert_eq!(one(lshl_b32, word, by, 0), (i64::from(word) * power) as u32);
        }

        #[test]
        fn two_words_are_aligned_by_bits_and_bytes(a: u32, b: u32, c: u32) {
            let bytes: Vec<u8> = b.to_le_bytes().into_iter().chain(a.to_le_bytes()).collect();
            let at = c as usize % 4;
            let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
            prop_assert_eq!(one(alignbyte_b32, a, b, c), u32::from_le_bytes(word));
            let by = c % 32;
            let high = if by == 0 { 0 } else { a << (32 - by) };
            prop_assert_eq!(one(alignbit_b32, a, b, c), b >> by | high);
        }

        #[test]
        fn bits_are_chosen_and_counted_one_by_one(a: u32, b: u32, c: u32) {
            let (mut chosen, mut count) = (0, u64::from(b));
            for i in 0..32 {
                chosen |= (if a >> i & 1 == 1 { b } else { c }) & 1 << i;
                count += u64::from(a >> i & 1);
            }
            prop_assert_eq!(one(bfi_b32, a, b, c), chosen);
            prop_assert_eq!(one(bcnt_u32, a, b, 0), count as u32);
            prop_assert_eq!(one(and_b32, a, b, 0), !(!a | !b));
            prop_assert_eq!(one(or_b32, a, b, 0), !(!a & !b));
            prop_assert_eq!(one(xor_b32, a, b, 0), (a | b) - (a & b));
        }

        #[test]
        fn lanes_count_the_lanes_before_them(low: u32, high: u32, start: u32) {
            let mask = u64::from(high) << 32 | u64::from(low);
            for upper in [false, true] {
                let halves = |word: u32, start: [u32; 32]| {
                    let inputs = Inputs::of([word, 0, 0]).each(1, |l| start[l as usize]);
                    if upper { inputs.upper() } else { inputs }
                };
                let first = halves(low, [start; 32]).run(mbcnt_lo).d[0];
                let both = halves(high, first).run(mbcnt_hi).d[0];
                for l in 0..32 {
                    let lane = l + if upper { 32 } else { 0 };
                    let before = (0..lane).filter(|i| mask >> i & 1 == 1).count() as u32;
                    prop_assert_eq!(both[l], start.wrapping_add(before));
                }
            }
        }
    }
}
