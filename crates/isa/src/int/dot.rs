//! Packed arithmetic: `IDP`, `VABSDIFF`, `VABSDIFF4`, `I2I`, `I2IP`.

use super::{has, mask_where};
use crate::{Results, Sources, WARP};

/// Modifier bits of [`idp4`] and [`idp2`].
pub mod mods {
    /// A is signed.
    pub const A_SIGNED: u32 = 0;
    /// B is signed.
    pub const B_SIGNED: u32 = 1;
    /// Negate C.
    pub const NEG_C: u32 = 2;
    /// `IDP.2A.HI`: the upper two bytes of B.
    pub const HI: u32 = 3;
}

#[inline]
fn byte(x: u32, n: u32, signed: bool) -> u32 {
    let v = (x >> (8 * n)) as u8;
    if signed { v as i8 as u32 } else { u32::from(v) }
}

#[inline]
fn half(x: u32, n: u32, signed: bool) -> u32 {
    let v = (x >> (16 * n)) as u16;
    if signed { v as i16 as u32 } else { u32::from(v) }
}

/// `IDP.4A`: four byte products plus C.
pub fn idp4(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (sa, sb) = (has(m, mods::A_SIGNED), has(m, mods::B_SIGNED));
    for i in 0..WARP {
        let (a, b, c) = (s.a()[i], s.b()[i], s.c()[i]);
        let mut sum = if has(m, mods::NEG_C) { c.wrapping_neg() } else { c };
        for n in 0..4 {
            sum = sum.wrapping_add(byte(a, n, sa).wrapping_mul(byte(b, n, sb)));
        }
        r.d[0][i] = sum;
    }
}

/// `IDP.2A`: both halves of A times two bytes of B, plus C.
pub fn idp2(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (sa, sb) = (has(m, mods::A_SIGNED), has(m, mods::B_SIGNED));
    let first = if has(m, mods::HI) { 2 } else { 0 };
    for i in 0..WARP {
        let (a, b, c) = (s.a()[i], s.b()[i], s.c()[i]);
        let mut sum = if has(m, mods::NEG_C) { c.wrapping_neg() } else { c };
        for n in 0..2 {
            sum = sum.wrapping_add(half(a, n, sa).wrapping_mul(byte(b, first + n, sb)));
        }
        r.d[0][i] = sum;
    }
}

/// `VABSDIFF`: `|A - B| + C`; `mods` 1 = signed operands. Predicate 0 = carry
/// out of the sum (measured on H200).
pub fn vabsdiff(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        let diff = if m == 1 { (a[i] as i32).abs_diff(b[i] as i32) } else { a[i].abs_diff(b[i]) };
        r.d[0][i] = diff.wrapping_add(c[i]);
    }
    // A sum that wrapped is below each of its terms.
    r.p[0] = mask_where(|i| r.d[0][i] < c[i]);
}

/// Modifier bits of [`vabsdiff4`].
pub mod vabsdiff4_mods {
    /// Signed bytes.
    pub const SIGNED: u32 = 0;
    /// `.ACC`: the four differences are summed with C.
    pub const ACC: u32 = 1;
}

/// `VABSDIFF4`: the absolute difference of each byte pair, packed or summed.
/// Predicate 0 = carry out of the sum, false when packed.
pub fn vabsdiff4(m: u32, s: &Sources<'_>, r: &mut Results) {
    let signed = has(m, vabsdiff4_mods::SIGNED);
    let accumulate = has(m, vabsdiff4_mods::ACC);
    let c = s.c();
    for i in 0..WARP {
        let (a, b) = (s.a()[i], s.b()[i]);
        let diff = |n| (byte(a, n, signed) as i32).abs_diff(byte(b, n, signed) as i32);
        r.d[0][i] = if accumulate {
            (0..4).fold(c[i], |sum, n| sum.wrapping_add(diff(n)))
        } else {
            (0..4).fold(0, |word, n| word | (diff(n) & 0xff) << (8 * n))
        };
    }
    r.p[0] = if accumulate { mask_where(|i| r.d[0][i] < c[i]) } else { 0 };
}

/// A narrow integer type: bit 0 = signed, bit 1 = 16 bits wide (else 8).
fn saturate(narrow: u32, x: u32) -> u32 {
    let x = x as i32;
    let v = match narrow & 3 {
        0 => x.clamp(0, 0xff),
        1 => x.clamp(-0x80, 0x7f),
        2 => x.clamp(0, 0xffff),
        _ => x.clamp(-0x8000, 0x7fff),
    };
    v as u32
}

/// `I2I.*.S32.SAT`: B saturated to a narrow type (`mods`, see the source).
pub fn i2i(m: u32, s: &Sources<'_>, r: &mut Results) {
    let b = s.b();
    for i in 0..WARP {
        r.d[0][i] = saturate(m, b[i]);
    }
}

/// Modifier bits of [`i2ip`] above the type in bits 0-1.
pub mod i2ip_mods {
    /// Saturate, otherwise truncate.
    pub const SAT: u32 = 2;
    /// Take the upper half of C (`.H1`).
    pub const C_HIGH: u32 = 3;
    /// Negative values become zero first.
    pub const RELU: u32 = 4;
}

/// `I2IP`: converts A and B to a narrow type and packs them; with bytes, half
/// of C fills the upper half word.
pub fn i2ip(m: u32, s: &Sources<'_>, r: &mut Results) {
    use i2ip_mods::{C_HIGH, RELU, SAT};
    for i in 0..WARP {
        let convert = |x: u32| {
            let x = if has(m, RELU) { (x as i32).max(0) as u32 } else { x };
            if has(m, SAT) { saturate(m, x) } else { x }
        };
        let (a, b, c) = (convert(s.a()[i]), convert(s.b()[i]), s.c()[i]);
        r.d[0][i] = if m & 2 != 0 {
            a << 16 | b & 0xffff
        } else {
            let c = if has(m, C_HIGH) { c & 0xffff_0000 } else { c << 16 };
            c | (a & 0xff) << 8 | b & 0xff
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, operands};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn dot_products_in_64_bits(o in operands(), m in 0u32..16) {
            let (four, two) = (o.run(idp4, m), o.run(idp2, m));
            for lane in 0..WARP {
                let [a, _, b, _, c, _] = o.lane(lane);
                let c = if m & 4 != 0 { -i64::from(c) } else { i64::from(c) };
                let ext = |v: i64, bits: u32, signed: bool| {
                    if signed && v >= 1 << (bits - 1) { v - (1 << bits) } else { v }
                };
                let bytes = |x: u32, s| x.to_le_bytes().map(|v| ext(i64::from(v), 8, s));
                let (ab, bb) = (bytes(a, m & 1 != 0), bytes(b, m & 2 != 0));
                let dot: i64 = ab.iter().zip(bb).map(|(x, y)| x * y).sum();
                prop_assert_eq!(four.d[0][lane], (dot + c) as u32);
                let halves = [a & 0xffff, a >> 16].map(|v| ext(i64::from(v), 16, m & 1 != 0));
                let from = if m & 8 != 0 { 2 } else { 0 };
                let dot = halves[0] * bb[from] + halves[1] * bb[from + 1];
                prop_assert_eq!(two.d[0][lane], (dot + c) as u32);
            }
        }

        #[test]
        fn differences_and_sums(a: u32, b: u32, c: u32) {
            let o = Operands::splat(a, b, c);
            let want = (i64::from(a) - i64::from(b)).unsigned_abs() as u32;
            prop_assert_eq!(o.run(vabsdiff, 0).d[0][0], want.wrapping_add(c));
            let want = (i64::from(a as i32) - i64::from(b as i32)).unsigned_abs() as u32;
            prop_assert_eq!(o.run(vabsdiff, 1).d[0][0], want.wrapping_add(c));
            let packed = o.run(vabsdiff4, 0).d[0][0].to_le_bytes();
            let bytes: Vec<u8> =
                a.to_le_bytes().iter().zip(b.to_le_bytes()).map(|(x, y)| x.abs_diff(y)).collect();
            prop_assert_eq!(&packed[..], &bytes[..]);
            let sum = bytes.iter().map(|&v| u32::from(v)).sum::<u32>().wrapping_add(c);
            prop_assert_eq!(o.run(vabsdiff4, 1 << vabsdiff4_mods::ACC).d[0][0], sum);
        }
    }

    #[test]
    fn narrow_conversions_saturate() {
        let d = |m, x: i32| Operands::splat(0, x as u32, 0).run(i2i, m).d[0][0] as i32;
        assert_eq!((d(0, -5), d(0, 300), d(0, 77)), (0, 255, 77));
        assert_eq!((d(1, -500), d(1, 300), d(1, -7)), (-128, 127, -7));
        assert_eq!((d(2, -5), d(2, 70000)), (0, 65535));
        assert_eq!((d(3, -40000), d(3, 40000)), (-32768, 32767));
        let o = Operands::splat(300, (-1i32) as u32, 0x1234_5678);
        assert_eq!(o.run(i2ip, 1 << i2ip_mods::SAT).d[0][0], 0x5678_ff00);
    }
}
