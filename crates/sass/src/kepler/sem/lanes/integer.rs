//! Integers without the condition codes.

use upset_isa::fp::convert::IntType;
use upset_isa::{Results, Sources, WARP};

/// Modifier bit of [`isad`]: words are signed.
pub(crate) const SIGNED: u32 = 1;

/// `ISAD`: how far A and B are apart, plus C.
pub(crate) fn isad(m: u32, s: &Sources<'_>, r: &mut Results) {
    for i in 0..WARP {
        let (a, b) = (s.a()[i], s.b()[i]);
        let distance = if m & SIGNED != 0 { (a as i32).abs_diff(b as i32) } else { a.abs_diff(b) };
        r.d[0][i] = distance.wrapping_add(s.c()[i]);
    }
}

/// `POPC` of what A and B have in common; bits 0 and 1 of the modifiers invert them.
pub(crate) fn popc(m: u32, s: &Sources<'_>, r: &mut Results) {
    let flip = |bit: u32| if m >> bit & 1 == 1 { u32::MAX } else { 0 };
    for i in 0..WARP {
        r.d[0][i] = ((s.a()[i] ^ flip(0)) & (s.b()[i] ^ flip(1))).count_ones();
    }
}

/// Modifiers of [`i2i`].
pub(crate) mod convert {
    /// First bit of the source's type: two bits of size, one of sign.
    pub const FROM: u32 = 0;
    /// First bit of the result's.
    pub const TO: u32 = 4;
    /// First bit of where the source begins, in bytes.
    pub const BYTE: u32 = 8;
    /// The absolute value is taken.
    pub const ABS: u32 = 1 << 12;
    /// The negative is taken.
    pub const NEG: u32 = 1 << 13;
    /// The nearest number of the result's type is taken.
    pub const SAT: u32 = 1 << 14;
}

fn integer_type(m: u32) -> IntType {
    IntType { bits: 8 << (m & 3), signed: m & 4 != 0 }
}

/// `I2I`: from one type to another. What is above a narrow result is zero: compiled
/// code takes one with a sign for an unsigned word as it is.
pub(crate) fn i2i(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (from, to) = (integer_type(m >> convert::FROM), integer_type(m >> convert::TO));
    let (low, high) = match to.signed {
        true => (-(1i128 << (to.bits - 1)), (1i128 << (to.bits - 1)) - 1),
        false => (0, (1i128 << to.bits) - 1),
    };
    for i in 0..WARP {
        let value = from.read(s.b64(i) >> (8 * (m >> convert::BYTE & 3)));
        let value = if m & convert::ABS != 0 { value.abs() } else { value };
        let value = if m & convert::NEG != 0 { -value } else { value };
        let value = if m & convert::SAT != 0 { value.clamp(low, high) } else { value };
        r.set64(i, value as u64 & u64::MAX >> (64 - to.bits));
    }
}

/// Modifiers of [`imadsp`].
pub(crate) mod special {
    /// First bit of A's type: the sign, above it 32, 24, lower or upper 16 bits.
    pub const A: u32 = 0;
    /// First bit of B's: the sign, above it 24 or 16 bits.
    pub const B: u32 = 3;
    /// First bit of C's: 32, 24 or 16 bits.
    pub const C: u32 = 5;
}

fn field(word: u32, at: u32, bits: u32, signed: bool) -> i64 {
    IntType { bits: 32, signed }.read(u64::from(word >> at << (32 - bits))) as i64 >> (32 - bits)
}

/// `IMADSP`: a product of parts, plus a part. The sum is signed when a factor is.
pub(crate) fn imadsp(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (signed_a, signed_b) = (m >> special::A & 1 == 1, m >> special::B & 1 == 1);
    let (at, bits) = [(0, 32), (0, 24), (0, 16), (16, 16)][(m >> special::A >> 1 & 3) as usize];
    let bits_b = [24, 16][(m >> special::B >> 1 & 1) as usize];
    let bits_c = [32, 24, 16, 32][(m >> special::C & 3) as usize];
    for i in 0..WARP {
        let a = field(s.a()[i], at, bits, signed_a);
        let b = field(s.b()[i], 0, bits_b, signed_b);
        let c = field(s.c()[i], 0, bits_c, signed_a || signed_b);
        r.d[0][i] = a.wrapping_mul(b).wrapping_add(c) as u32;
    }
}

/// `IMADSP.SD`: the types stand in the highest bits of B, which describes a surface.
pub(crate) fn imadsp_described(_: u32, s: &Sources<'_>, r: &mut Results) {
    for i in 0..WARP {
        let (a, b, c) = (s.a()[i], s.b()[i], s.c()[i]);
        let a = [a, a & 0xff_ffff, a & 0xffff, a >> 16][(b >> 30 & 3) as usize];
        let c = [c, c & 0xff_ffff, c & 0xffff, c][(b >> 26 & 3) as usize];
        let b = if b >> 28 & 1 == 1 { b & 0xff_ffff } else { b & 0xffff };
        r.d[0][i] = a.wrapping_mul(b).wrapping_add(c);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(run(isad, SIGNED, -3i32 as u32, 4, 10), 17);
        assert_eq!(run(isad, 0, u32::MAX, 1, 1), u32::MAX);
    }

    #[test]
    fn integers_change_their_type() {
        let s32_to = |to: u32, more: u32, x: i32| {
            run(i2i, 6 << convert::FROM | to << convert::TO | more, 0, x as u32, 0)
        };
        assert_eq!(s32_to(0, convert::SAT, 300), 255);
        assert_eq!(s32_to(0, convert::SAT, -300), 0);
        assert_eq!(s32_to(4, convert::SAT, -300), 0x80);
        assert_eq!(s32_to(0, 0, 0x1234), 0x34);
        assert_eq!(s32_to(6, convert::ABS, i32::MIN), 0x8000_0000);
        assert_eq!(s32_to(6, convert::ABS | convert::SAT, i32::MIN), 0x7fff_ffff);
        assert_eq!(s32_to(6, convert::ABS | convert::NEG, -7), -7i32 as u32);
        // The third byte, signed.
        let byte = 4 << convert::FROM | 6 << convert::TO | 2 << convert::BYTE;
        assert_eq!(run(i2i, byte, 0, 0x00ff_0000, 0), u32::MAX);
    }

    /// A product of a row and a pitch of 24 bits, plus a byte in 24 bits.
    #[test]
    fn a_description_says_what_parts_are() {
        let pitch = 400 | 1 << 28 | 1 << 26;
        assert_eq!(run(imadsp_described, 0, 5, pitch, 37 | 1 << 30), 2037);
    }

    #[test]
    fn products_of_parts() {
        // Lower halves: 3 * 5 + 7, whatever is above them.
        let halves = 4 << special::A | 2 << special::B | 2 << special::C;
        assert_eq!(run(imadsp, halves, 0xffff_0003, 0xffff_0005, 0xffff_0007), 22);
        // A signed upper half.
        let upper = 7 << special::A | 2 << special::B;
        assert_eq!(run(imadsp, upper, 0xfffe_0000, 3, 1), -5i32 as u32);
        // 24 bits.
        let middle = 1 << special::B | 2 << special::A;
        assert_eq!(run(imadsp, middle, 0xff00_0002, 0x00ff_ffff, 0), -2i32 as u32);
    }
}
