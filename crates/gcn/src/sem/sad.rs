//! Bytes: sums of absolute differences, averages.

use super::each::each3;
use super::vector::{Results, Sources};

#[inline(always)]
fn byte(x: u32, n: u32) -> u32 {
    x >> (8 * n) & 0xff
}

/// Differences of four bytes, added up.
#[inline(always)]
fn sad(a: u32, b: u32) -> u32 {
    let mut sum = 0;
    for n in 0..4 {
        sum += byte(a, n).abs_diff(byte(b, n));
    }
    sum
}

/// As that, without those whose byte in the reference (B) is zero.
#[inline(always)]
fn masked_sad(a: u32, b: u32) -> u32 {
    let mut sum = 0;
    for n in 0..4 {
        let difference = byte(a, n).abs_diff(byte(b, n));
        sum += if byte(b, n) == 0 { 0 } else { difference };
    }
    sum
}

/// `v_sad_u8`.
pub fn sad_u8(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| sad(a, b).wrapping_add(c));
}

/// `v_sad_hi_u8`: the sum is added to the upper half.
pub fn sad_hi_u8(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| (sad(a, b) << 16).wrapping_add(c));
}

/// `v_sad_u16`: differences of two 16-bit numbers.
pub fn sad_u16(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| {
        let low = (a & 0xffff).abs_diff(b & 0xffff);
        let high = (a >> 16).abs_diff(b >> 16);
        (low + high).wrapping_add(c)
    });
}

/// `v_sad_u32`: the distance is that of unsigned numbers.
pub fn sad_u32(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| a.abs_diff(b).wrapping_add(c));
}

/// `v_msad_u8`.
pub fn msad_u8(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| masked_sad(a, b).wrapping_add(c));
}

/// Four sums: A's eight bytes give four windows, each against B; C's four
/// 16-bit numbers are added. Sums keep 16 bits (AMD's later manuals).
#[inline(always)]
fn windows(s: &Sources<'_>, r: &mut Results, sad: impl Fn(u32, u32) -> u32) {
    for l in 0..32 {
        let (a, b, c) = (s.a64(l), s.b()[l], s.c64(l));
        let mut sums = 0;
        for n in 0..4 {
            let sum = sad((a >> (8 * n)) as u32, b).wrapping_add((c >> (16 * n)) as u32);
            sums |= u64::from(sum & 0xffff) << (16 * n);
        }
        r.set64(l, sums);
    }
}

/// `v_qsad_pk_u16_u8`.
pub fn qsad_u8(s: &Sources<'_>, r: &mut Results) {
    windows(s, r, sad);
}

/// `v_mqsad_pk_u16_u8`.
pub fn mqsad_u8(s: &Sources<'_>, r: &mut Results) {
    windows(s, r, masked_sad);
}

/// `v_lerp_u8`: averages of four bytes, rounded up where C's byte is odd.
pub fn lerp_u8(s: &Sources<'_>, r: &mut Results) {
    each3(s, &mut r.d[0], |a, b, c| {
        let mut out = 0;
        for n in 0..4 {
            out |= (byte(a, n) + byte(b, n) + (byte(c, n) & 1)) >> 1 << (8 * n);
        }
        out
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::Inputs;
    use super::*;

    fn distance(a: u8, b: u8) -> i64 {
        (i64::from(a) - i64::from(b)).abs()
    }

    /// Of windows of bytes: the reference may mask.
    fn total(a: &[u8], b: [u8; 4], masked: bool) -> i64 {
        let pairs = a.iter().zip(b).filter(|(_, b)| !masked || *b != 0);
        pairs.map(|(a, b)| distance(*a, b)).sum()
    }

    proptest! {
        #[test]
        fn differences_of_bytes_are_added(a: [u8; 4], b: [u8; 4], c: u32, zeroes: [bool; 4]) {
            let b = std::array::from_fn(|n| if zeroes[n] { 0 } else { b[n] });
            let inputs = Inputs::of([u32::from_le_bytes(a), u32::from_le_bytes(b), c]);
            let (sum, start) = (total(&a, b, false), i64::from(c));
            prop_assert_eq!(inputs.lane(sad_u8).0, (sum + start) as u32);
            prop_assert_eq!(inputs.lane(sad_hi_u8).0, (sum * 65536 + start) as u32);
            prop_assert_eq!(inputs.lane(msad_u8).0, (total(&a, b, true) + start) as u32);
            let halves = c.to_le_bytes();
            let lerp: [u8; 4] = std::array::from_fn(|n| {
                let sum = u32::from(a[n]) + u32::from(b[n]);
                (if halves[n] % 2 == 1 { sum.div_ceil(2) } else { sum / 2 }) as u8
            });
            prop_assert_eq!(inputs.lane(lerp_u8).0, u32::from_le_bytes(lerp));
        }

        #[test]
        fn differences_of_words_are_added(a: u32, b: u32, c: u32) {
            let inputs = Inputs::of([a, b, c]);
            let wide = |x: u32| i64::from(x);
            let whole = (wide(a) - wide(b)).abs() + wide(c);
            prop_assert_eq!(inputs.lane(sad_u32).0, whole as u32);
            let low = (wide(a) % 65536 - wide(b) % 65536).abs();
            let high = (wide(a) / 65536 - wide(b) / 65536).abs();
            prop_assert_eq!(inputs.lane(sad_u16).0, (low + high + wide(c)) as u32);
        }

        #[test]
        fn windows_overlap_and_keep_sixteen_bits(
            a: [u8; 8], b: [u8; 4], c: [u16; 4], zero in 0usize..8,
        ) {
            let b = std::array::from_fn(|n| if n == zero { 0 } else { b[n] });
            let start = c.iter().rev().fold(0, |all, &x| all << 16 | u64::from(x));
            let reference = u64::from(u32::from_le_bytes(b));
            let inputs = Inputs::of64([u64::from_le_bytes(a), reference, start]);
            for (f, masked) in [(qsad_u8 as super::super::vector::VectorFn, false), (mqsad_u8, true)] {
                let got = inputs.lane64(f).0;
                for n in 0..4 {
                    let sum = total(&a[n..n + 4], b, masked) + i64::from(c[n]);
                    prop_assert_eq!((got >> (16 * n)) as u16, (sum % 65536) as u16);
                }
            }
        }
    }
}
