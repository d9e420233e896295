//! Operands: classes of floating-point numbers, walking bits, random ones.
//!
//! A set is a mix in which every short beginning has all kinds, so that a test
//! that takes fewer of them still has each.

use super::reference::Tuple;
use crate::random::Random;

/// Singles of every class: zeroes, denormals, the edges of the normal range,
/// ones with carries through the whole significand, infinities, NaNs.
const SINGLES: [u32; 24] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0040_0000,
    0x0080_0000,
    0x8080_0000,
    0x00ff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f7f_ffff,
    0x3fff_ffff,
    0xbf80_0001,
    0x4b7f_ffff,
    0xcb00_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fff_ffff,
    0x7f80_0001,
    0xffc1_2345,
];

/// The same of doubles, by their high words; low words alternate.
const DOUBLES: [u64; 20] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x801f_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3fef_ffff_ffff_ffff,
    0x3fff_ffff_ffff_ffff,
    0x4340_0000_0000_0000,
    0xc33f_ffff_ffff_ffff,
    0x43e0_0000_0000_0000,
    0xc3e0_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff4_0000_dead_beef,
];

/// Halves of every class.
const HALVES: [u16; 16] = [
    0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x87ff, 0x3c00, 0xbc00, 0x3bff, 0x3fff, 0x7bff, 0xfbff,
    0x7c00, 0xfc00, 0x7fff, 0xfd55,
];

/// `n` tuples for FP32.
pub fn singles(n: usize, seed: u64) -> Vec<Tuple> {
    mixed(n, seed, "singles", |kind, i, r| match kind {
        Kind::Moderate => moderate_single(r),
        Kind::Raw => r.bits() as u32,
        Kind::Special => r.pick(&SINGLES),
        Kind::Walking => 0x3f80_0000 ^ walking(i),
    })
}

/// `n` tuples for FP32 multiply-add: a mix first, then those that show stuck-at
/// faults of a multiply-add's gates, then more of the mix.
pub fn multiply_adds(n: usize, seed: u64) -> Vec<Tuple> {
    with_gates(singles(n, seed), FMA_GATES, n)
}

/// The same for integer products.
pub fn products(n: usize, seed: u64) -> Vec<Tuple> {
    with_gates(integers(n, seed), IMAD_GATES, n)
}

/// The same for sums.
pub fn sums(n: usize, seed: u64) -> Vec<Tuple> {
    with_gates(integers(n, seed), IADD_GATES, n)
}

const FMA_GATES: &str = include_str!("../../../../kernels/burn/operands/fma.txt");
const IMAD_GATES: &str = include_str!("../../../../kernels/burn/operands/imad.txt");
const IADD_GATES: &str = include_str!("../../../../kernels/burn/operands/iadd.txt");

/// Tuples of the mix before those of the gates.
const MIXED_FIRST: usize = 48;

fn with_gates(mixed: Vec<Tuple>, gates: &str, n: usize) -> Vec<Tuple> {
    // The files are committed and a test reads them; one that cannot be read
    // leaves the mix.
    let gates = parse(gates).unwrap_or_default();
    let rest = mixed.iter().skip(MIXED_FIRST);
    mixed.iter().take(MIXED_FIRST).chain(&gates).chain(rest).take(n).copied().collect()
}

/// `n` tuples for integers.
pub fn integers(n: usize, seed: u64) -> Vec<Tuple> {
    const EDGES: [u32; 12] = [
        0,
        1,
        2,
        u32::MAX,
        u32::MAX - 1,
        1 << 31,
        (1 << 31) - 1,
        0x5555_5555,
        0xaaaa_aaaa,
        0x0000_ffff,
        0xffff_0000,
        0x0f0f_0f0f,
    ];
    mixed(n, seed, "integers", |kind, i, r| match kind {
        Kind::Moderate => (r.bits() as u32) >> r.below(32),
        Kind::Raw => r.bits() as u32,
        Kind::Special => r.pick(&EDGES),
        Kind::Walking => walking(i),
    })
}

/// `n` tuples for packed halves.
pub fn halves(n: usize, seed: u64) -> Vec<Tuple> {
    mixed(n, seed, "halves", |kind, i, r| match kind {
        // Exponents near that of one.
        Kind::Moderate => {
            let mut half = || (0x3000 + (r.bits() as u32 & 0x1fff)) | ((r.bits() as u32 & 1) << 15);
            half() | half() << 16
        }
        Kind::Raw => r.bits() as u32,
        Kind::Special => u32::from(r.pick(&HALVES)) | u32::from(r.pick(&HALVES)) << 16,
        Kind::Walking => 0x3c00_3c00 ^ walking(i),
    })
}

/// `n` tuples of three doubles.
pub fn doubles(n: usize, seed: u64) -> Vec<Tuple> {
    let mut r = Random::new(seed, "doubles");
    (0..n)
        .map(|i| {
            let mut double = |i: usize| match Kind::of(i) {
                Kind::Moderate => {
                    let exponent = 1023 - 40 + u64::from(r.below(80));
                    r.bits() & 0x800f_ffff_ffff_ffff | exponent << 52
                }
                Kind::Raw => r.bits(),
                Kind::Special => r.pick(&DOUBLES),
                Kind::Walking => 0x3ff0_0000_0000_0000 ^ 1 << ((i / 4) % 64),
            };
            let v = [double(i), double(i), double(i + i / 4)];
            let mut tuple = [0; 8];
            for (pair, v) in tuple.chunks_exact_mut(2).zip(v) {
                (pair[0], pair[1]) = (v as u32, (v >> 32) as u32);
            }
            tuple
        })
        .collect()
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Near one: results are numbers.
    Moderate,
    /// Any bits.
    Raw,
    /// Of a class of its own.
    Special,
    /// One bit set, or clear.
    Walking,
}

impl Kind {
    fn of(i: usize) -> Kind {
        [Kind::Moderate, Kind::Raw, Kind::Special, Kind::Walking][i % 4]
    }
}

/// Tuples whose operands are of the same kind, but for the third, which is of
/// any.
fn mixed(
    n: usize,
    seed: u64,
    purpose: &str,
    one: impl Fn(Kind, usize, &mut Random) -> u32,
) -> Vec<Tuple> {
    let mut r = Random::new(seed, purpose);
    (0..n)
        .map(|i| {
            let kind = Kind::of(i);
            let b = if let Kind::Walking = kind { Kind::Moderate } else { kind };
            let c = Kind::of(i + i / 4);
            let mut tuple = [0; 8];
            tuple[0] = one(kind, i / 4, &mut r);
            tuple[1] = one(b, i / 4, &mut r);
            tuple[2] = one(c, i / 4 + 7, &mut r);
            tuple[3] = one(Kind::Raw, i, &mut r);
            tuple
        })
        .collect()
}

/// A walking one, then a walking zero.
fn walking(i: usize) -> u32 {
    let bit = 1 << (i % 32);
    if (i / 32).is_multiple_of(2) { bit } else { !bit }
}

fn moderate_single(r: &mut Random) -> u32 {
    let exponent = 127 - 20 + r.below(40);
    r.bits() as u32 & 0x807f_ffff | exponent << 23
}

/// Operand sets that reach faults of a netlist (`cargo xtask gates` writes
/// them): hexadecimal words, a tuple a line, `#` before comments.
pub fn parse(text: &str) -> Result<Vec<Tuple>, String> {
    let mut tuples = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let words = line.split('#').next().unwrap_or_default().split_whitespace();
        let mut tuple = [0; 8];
        let mut count = 0;
        for word in words {
            let slot = tuple
                .get_mut(count)
                .filter(|_| count < 4)
                .ok_or_else(|| format!("line {}: more than four operands", at + 1))?;
            *slot = u32::from_str_radix(word.trim_start_matches("0x"), 16)
                .map_err(|_| format!("line {}: `{word}` is no hexadecimal word", at + 1))?;
            count += 1;
        }
        if count > 0 {
            tuples.push(tuple);
        }
    }
    Ok(tuples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operand_files_are_read() {
        let read = parse("# made by hand\n3f800000 40000000 0x1\n\n1 2 # two\n").unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[0][..3], [0x3f80_0000, 0x4000_0000, 1]);
        let error = parse("1 2\nxyz").unwrap_err();
        assert!(error.contains("line 2") && error.contains("xyz"), "{error}");
    }

    #[test]
    fn sets_of_gates_are_whole_in_a_test_of_a_real_chip() {
        for (text, make) in [
            (FMA_GATES, multiply_adds as fn(usize, u64) -> Vec<Tuple>),
            (IMAD_GATES, products),
            (IADD_GATES, sums),
        ] {
            let gates = parse(text).unwrap();
            assert!(!gates.is_empty());
            let set = make(2048, 0);
            assert_eq!(set[MIXED_FIRST..MIXED_FIRST + gates.len()], gates[..]);
            assert_eq!(set.len(), 2048);
        }
    }

    #[test]
    fn a_set_begins_like_a_longer_one() {
        for make in [singles, integers, halves, doubles, multiply_adds, products, sums] {
            assert_eq!(make(10, 7)[..], make(100, 7)[..10]);
            assert_ne!(make(10, 7), make(10, 8));
        }
    }
}
