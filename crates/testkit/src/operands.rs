//! Operand values that provoke corner cases: NaNs, infinities, denormals,
//! ties, carries, cancellation, shift amounts.

use crate::Rng;

/// Lanes per set: 25 runs of 4096.
pub const LANES: usize = 25 * 4096;
/// Words per lane: A, B and C as pairs, predicate bits, one spare.
pub const WORDS: usize = 8;

/// What the words of a lane are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// FP32 values.
    F32,
    /// FP64 values.
    F64,
    /// Packed half-precision values.
    Half,
    /// Integers.
    Int,
}

impl Set {
    /// All sets, in file order.
    pub const ALL: [Set; 4] = [Set::F32, Set::F64, Set::Half, Set::Int];

    /// All lanes of the set.
    pub fn lanes(self) -> Vec<[u32; WORDS]> {
        let mut rng = Rng::new(0x0add_0000 + self as u64);
        (0..LANES).map(|_| self.lane(&mut rng)).collect()
    }

    fn lane(self, rng: &mut Rng) -> [u32; WORDS] {
        let mut w = [0; WORDS];
        match self {
            Set::F32 => {
                for v in &mut w[..6] {
                    *v = f32_bits(rng);
                }
                relate(rng, &mut w, 0xff << 23);
            }
            Set::F64 => {
                for pair in w[..6].chunks_exact_mut(2) {
                    let v = f64_bits(rng);
                    pair[0] = v as u32;
                    pair[1] = (v >> 32) as u32;
                }
                // Near exponents: sums that cancel and round.
                if rng.below(2) == 0 {
                    w[3] = w[1] & 0x7ff0_0000 | w[3] & 0x800f_ffff;
                }
                if rng.below(2) == 0 {
                    let e = (w[1] >> 20 & 0x7ff) + (w[3] >> 20 & 0x7ff);
                    let near =
                        (e.wrapping_sub(1023).wrapping_add(rng.below(5)).wrapping_sub(2)) & 0x7ff;
                    w[5] = w[5] & 0x800f_ffff | near << 20;
                }
            }
            Set::Half => {
                for v in &mut w[..6] {
                    *v = half_bits(rng) | half_bits(rng) << 16;
                }
            }
            Set::Int => {
                for v in &mut w[..6] {
                    *v = int_bits(rng);
                }
                match rng.below(6) {
                    0 => w[2] = w[0],
                    1 => w[2] = !w[0],
                    2 => w[2] = w[0].wrapping_neg(),
                    _ => {}
                }
            }
        }
        w[6] = rng.u32();
        w[7] = rng.u32();
        w
    }
}

/// Gives B or C an exponent near A's or the product's, half of the time.
fn relate(rng: &mut Rng, w: &mut [u32; WORDS], exp: u32) {
    if rng.below(2) == 0 {
        w[2] = w[0] & exp | w[2] & !exp;
    }
    if rng.below(2) == 0 {
        let e = (w[0] >> 23 & 0xff) + (w[2] >> 23 & 0xff);
        let near = e.wrapping_sub(127).wrapping_add(rng.below(51)).wrapping_sub(25) & 0xff;
        w[4] = w[4] & !exp | near << 23;
    }
}

pub(crate) fn f32_bits(rng: &mut Rng) -> u32 {
    const SPECIAL: [u32; 24] = [
        0,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffc0_0001,
        0x7f80_0001,
        0x7fff_ffff,
        0x0000_0001,
        0x8000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x8080_0000,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x3fff_ffff,
        0x3f7f_ffff,
        0x4b00_0000,
        0x4f00_0000,
        0xcf00_0000,
        0x5f00_0000,
        0x3f00_0000,
    ];
    let r = rng.u32();
    match rng.below(8) {
        0 => rng.pick(&SPECIAL),
        1 => r & 0x807f_ffff, // denormals
        2 => ((rng.below(2001) as f32 - 1000.0) * 0.5).to_bits(),
        3 => r & 0x807f_ffff | (110 + rng.below(40)) << 23, // around one
        4 => r & 0xff80_0000 | rng.pick(&[0, 1, 0x40_0000, 0x7f_ffff, 0x7f_fffe, 0x00_1000]),
        _ => r,
    }
}

fn f64_bits(rng: &mut Rng) -> u64 {
    const SPECIAL: [u64; 16] = [
        0,
        1 << 63,
        0x3ff0_0000_0000_0000,
        0xbff0_0000_0000_0000,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0xfff8_0000_0000_0001,
        0x7ff0_0000_0000_0001,
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x3fef_ffff_ffff_ffff,
        0x41e0_0000_0000_0000,
        0xc1e0_0000_0000_0000,
    ];
    let r = rng.u64();
    match rng.below(8) {
        0 => rng.pick(&SPECIAL),
        1 => r & 0x800f_ffff_ffff_ffff,
        2 => ((rng.below(2001) as f64 - 1000.0) * 0.5).to_bits(),
        3 | 4 => r & 0x800f_ffff_ffff_ffff | u64::from(960 + rng.below(120)) << 52,
        5 => r & 0xffff_ffff_e000_0000,
        _ => r,
    }
}

fn half_bits(rng: &mut Rng) -> u32 {
    const SPECIAL: [u32; 14] = [
        0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x7fff, 1, 0x8001,
        0x03ff, 0x7bff,
    ];
    match rng.below(6) {
        0 => rng.pick(&SPECIAL),
        1 => rng.u32() & 0x83ff,
        2 => rng.u32() & 0x83ff | (10 + rng.below(12)) << 10,
        _ => rng.u32() & 0xffff,
    }
}

fn int_bits(rng: &mut Rng) -> u32 {
    const SPECIAL: [u32; 12] =
        [0, 1, 2, 31, 32, 33, 63, 64, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0xffff_0000];
    let r = rng.u32();
    match rng.below(6) {
        0 => rng.pick(&SPECIAL),
        1 => r & 0xff,
        2 => 1 << (r & 31),
        3 => r >> (r & 31),
        _ => r,
    }
}
