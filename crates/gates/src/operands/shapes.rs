//! Words and numbers of telling shapes.

use crate::random::Random;

/// A word with long runs, few ones, few zeroes, or of no kind.
pub fn word(random: &mut Random, bits: u32) -> u32 {
    let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
    let one = |random: &mut Random| 1u32 << random.below(bits);
    let value = match random.below(8) {
        0 => one(random),
        1 => !one(random),
        2 => one(random) | one(random),
        3 => one(random).wrapping_sub(1),
        4 => !one(random).wrapping_sub(1),
        5 => [0, u32::MAX, 0x5555_5555, 0xaaaa_aaaa][random.below(4) as usize],
        _ => random.word(),
    };
    value & mask
}

/// A number of a given exponent field.
pub fn number(random: &mut Random, field: i32) -> u32 {
    let sign = random.word() & 0x8000_0000;
    sign | (field.clamp(0, 254) as u32) << 23 | word(random, 23)
}
