//! Addresses of surfaces, which code of this machine computes itself from the
//! words that describe a surface. What the words mean: `docs/kepler.md`, from
//! Mesa's compiler (NAK), whose authors compared it with hardware.

use upset_isa::{Results, Sources, WARP};

/// Modifiers of [`suclamp`].
pub(crate) mod clamp {
    /// First bit of the mode: layout (as the words say, pitch, blocks) times
    /// five, plus how far the bound is rounded down.
    pub const MODE: u32 = 0;
    /// The coordinate is signed.
    pub const SIGNED: u32 = 1 << 4;
    /// Not `.1D`.
    pub const PLANE: u32 = 1 << 5;
    /// First bit of what is added to the coordinate, six bits with their sign.
    pub const ADDED: u32 = 8;
}

/// Modifier bit of [`subfm`]: the third coordinate counts.
pub(crate) const VOLUME: u32 = 1;

/// Bits `lo .. lo + width`.
fn bits(word: u32, lo: u32, width: u32) -> u32 {
    word >> lo & (u32::MAX >> (32 - width))
}

/// The bit of a clamped coordinate that says it was outside.
const OUTSIDE: u32 = 31;
/// The bit that says rows follow each other by a pitch.
const PITCH: u32 = 30;

fn clamped(m: u32, coordinate: u32, word: u32) -> (u32, bool) {
    let mode = m >> clamp::MODE & 15;
    let by_pitch = match mode / 5 {
        0 => bits(word, 21, 1) == 1,
        layout => layout == 1,
    };
    let plain = by_pitch && m & clamp::PLANE == 0;
    let bound = if plain { word } else { bits(word, 0, 20) };
    let bound = i64::from(bound & u32::MAX << (mode % 5));
    let added = i64::from(((m >> clamp::ADDED) << 26) as i32 >> 26);
    let from = match m & clamp::SIGNED != 0 {
        true => i64::from(coordinate as i32),
        false => i64::from(coordinate),
    } + added;
    let outside = from < 0 || from > bound;
    let inside = from.clamp(0, bound) as u32;
    let flags = u32::from(outside) << OUTSIDE;
    let size = bits(word, 26, 3);
    let result = match (plain, by_pitch) {
        (true, _) => inside,
        (false, true) => bits(inside, 0, 20) | size << 27 | 1 << PITCH | flags,
        (false, false) => {
            let block = bits(inside >> bits(word, 22, 4), 0, 16);
            block | bits(inside << size, 0, 8) << 16 | bits(word, 29, 3) << 27 | flags
        }
    };
    (result, outside)
}

/// `SUCLAMP`: a coordinate within its bound, and whether it was outside.
pub(crate) fn suclamp(m: u32, s: &Sources<'_>, r: &mut Results) {
    r.p = [0; 2];
    for i in 0..WARP {
        let (word, outside) = clamped(m, s.a()[i], s.b()[i]);
        r.d[0][i] = word;
        r.p[0] |= u32::from(outside) << i;
    }
}

/// The lowest byte of an address, and what [`sueau`] needs for the rest.
fn merged(m: u32, x: u32, y: u32, z: u32) -> u32 {
    if bits(x | y, PITCH, 1) == 1 {
        let size = bits(x, 27, 3);
        return bits(z << size, 0, 8) | 1 << 11 | size << 12;
    }
    // A block holds pieces of 64 by 8 bytes, whose bytes are interleaved.
    let within = bits(x, 16, 4)
        | bits(y, 16, 2) << 4
        | bits(x, 20, 1) << 6
        | bits(y, 18, 1) << 7
        | bits(x, 21, 1) << 8;
    let volume = if m & VOLUME != 0 { 1 } else { 0 };
    let (across, down, deep) = (bits(x, 27, 1), bits(y, 27, 3), bits(z, 27, 3) * volume);
    let low = |word: u32, count: u32| word & !(u32::MAX << count.min(5));
    let piece = low(bits(z, 16, 8), deep) << down | low(bits(y, 19, 5), down);
    let piece = piece << across | low(bits(x, 22, 2), across);
    let mask = if across == 0 { 0x3ff } else { 0x7ff };
    within | bits(across + down + deep, 0, 4) << 12 | (piece & mask) << 16
}

/// `SUBFM`: coordinates become a part of an address, and whether one was outside.
pub(crate) fn subfm(m: u32, s: &Sources<'_>, r: &mut Results) {
    r.p = [0; 2];
    for i in 0..WARP {
        let (x, y, z) = (s.a()[i], s.b()[i], s.c()[i]);
        let outside = x | y | if m & VOLUME != 0 { z } else { 0 };
        r.d[0][i] = merged(m, x, y, z);
        r.p[0] |= bits(outside, OUTSIDE, 1) << i;
    }
}

/// `SUEAU`: the address without its lowest byte.
pub(crate) fn sueau(_: u32, s: &Sources<'_>, r: &mut Results) {
    for i in 0..WARP {
        let (offset, part, address) = (s.a()[i], s.b()[i], s.c()[i]);
        let shift = bits(part, 12, 4);
        let plus = if bits(part, 11, 1) == 1 {
            let moved = if shift < 8 { offset >> (8 - shift) } else { offset << (shift - 8) };
            bits(moved, 0, 24)
        } else {
            bits(offset << (shift + 1) | bits(part, 16, 11) << 1 | bits(part, 8, 1), 0, 27)
        };
        r.d[0][i] = address.wrapping_add(plus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(f: upset_isa::AluFn, m: u32, a: u32, b: u32, c: u32) -> (u32, bool) {
        let words = [a, b, c].map(|w| [w; WARP]);
        let zero = [0; WARP];
        let r = [&words[0], &zero, &words[1], &zero, &words[2], &zero];
        let mut out = Results::default();
        f(m, &Sources { r, p: [u32::MAX; 3], active: u32::MAX }, &mut out);
        (out.d[0][7], out.p[0] >> 7 & 1 == 1)
    }

    /// Rows of 400 bytes: the address of byte 37 of row 5, as compiled code makes it.
    #[test]
    fn rows_follow_each_other_by_a_pitch() {
        let plane = clamp::SIGNED | clamp::PLANE;
        let bound = |last: u32| last | 1 << 21;
        let (x, outside) = run(suclamp, plane, 37, bound(399), 0);
        assert!(!outside);
        let (y, _) = run(suclamp, plane, 5, bound(9), 0);
        let offset = 5 * 400 + 37;
        let (low, outside) = run(subfm, 0, x, y, offset);
        assert!(!outside);
        let (high, _) = run(sueau, 0, offset, low, 0x1234);
        assert_eq!(high << 8 | low & 0xff, (0x1234 << 8) + offset);
    }

    #[test]
    fn coordinates_outside_are_clamped_and_told() {
        let plane = clamp::SIGNED | clamp::PLANE;
        for (coordinate, inside) in [(-1i32, 0), (400, 399), (i32::MAX, 399)] {
            let (x, outside) = run(suclamp, plane, coordinate as u32, 399 | 1 << 21, 0);
            assert!(outside);
            assert_eq!(x & 0xf_ffff, inside);
            assert!(run(subfm, 0, x, 0, 0).1);
        }
        // Of four bytes at once the last begins at 396.
        let (x, outside) = run(suclamp, plane | 2, 397, 399 | 1 << 21, 0);
        assert_eq!((x & 0xf_ffff, outside), (396, true));
    }

    /// Every byte of a block has a place of its own.
    #[test]
    fn blocks_hold_each_byte_once() {
        let plane = clamp::SIGNED | clamp::PLANE | 10;
        // Blocks of 64 bytes by 16 rows: two pieces, one above the other.
        let (of_x, of_y) = (63 | 6 << 22, 15 | 4 << 22 | 1 << 29);
        let mut seen = std::collections::BTreeSet::new();
        for (x, y) in (0..16).flat_map(|y| (0..64).map(move |x| (x, y))) {
            let (x, y) = (run(suclamp, plane, x, of_x, 0).0, run(suclamp, plane, y, of_y, 0).0);
            let (low, _) = run(subfm, 0, x, y, 0);
            let (high, _) = run(sueau, 0, 0, low, 0);
            assert!(seen.insert(high << 8 | low & 0xff));
        }
        assert_eq!(seen.last(), Some(&1023));
    }

    #[test]
    fn no_word_overflows_anything() {
        for n in 0..2000u32 {
            let word = |k: u32| n.wrapping_mul(0x9e37_79b9).rotate_left(k * 7) ^ k;
            run(suclamp, n & 0x3fff, word(1), word(2), 0);
            run(subfm, n & 1, word(1), word(2), word(3));
            run(sueau, 0, word(1), word(2), word(3));
        }
    }
}
