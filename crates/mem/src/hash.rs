//! Set and channel index functions.

use std::sync::Arc;

use upset_chip::SetHash;

/// Remainder of an address, read as a polynomial over GF(2), by a primitive
/// polynomial (Rau, "Pseudo-randomly interleaved memory", ISCA 1991): strides
/// of powers of two spread evenly.
#[derive(Clone, Debug)]
pub(crate) struct Ipoly {
    /// Contribution of every value of every byte; slices share it.
    table: Arc<[[u16; 256]; 8]>,
}

/// Primitive polynomials by degree, from 1 on.
const POLYNOMIALS: [u32; 16] = [
    0x3, 0x7, 0xb, 0x13, 0x25, 0x43, 0x83, 0x11d, 0x211, 0x409, 0x805, 0x1053, 0x201b, 0x4443,
    0x8003, 0x1_100b,
];

impl Ipoly {
    /// Into `1 << degree` values.
    pub(crate) fn new(degree: u32) -> Ipoly {
        let degree = degree.min(16);
        let mut table = [[0u16; 256]; 8];
        if degree > 0 {
            let polynomial = POLYNOMIALS[degree as usize - 1];
            let mut power = 1u32;
            for bit in 0..64 {
                for value in 0..256 {
                    if value >> (bit % 8) & 1 == 1 {
                        table[bit / 8][value] ^= power as u16;
                    }
                }
                power <<= 1;
                if power >> degree & 1 == 1 {
                    power ^= polynomial;
                }
            }
        }
        Ipoly { table: Arc::new(table) }
    }

    #[inline]
    pub(crate) fn of(&self, value: u64) -> u64 {
        let (mut hash, mut rest) = (0, value);
        for table in self.table.iter() {
            // Zeroes contribute nothing.
            if rest == 0 {
                break;
            }
            hash ^= table[usize::from(rest as u8)];
            rest >>= 8;
        }
        u64::from(hash)
    }
}

/// A cache's set index function.
#[derive(Clone, Debug)]
pub(crate) struct SetIndex {
    mask: u64,
    bits: u32,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    Linear,
    Xor,
    Fermi,
    Ipoly(Ipoly),
}

impl SetIndex {
    /// For a power of two of sets.
    pub(crate) fn new(hash: SetHash, sets: u32) -> SetIndex {
        let bits = sets.max(1).ilog2();
        let how = match hash {
            SetHash::Linear => How::Linear,
            SetHash::Xor => How::Xor,
            SetHash::Ipoly => How::Ipoly(Ipoly::new(bits)),
            SetHash::Fermi => How::Fermi,
        };
        SetIndex { mask: (1 << bits) - 1, bits, how }
    }

    /// The set of a line number.
    #[inline]
    pub(crate) fn of(&self, line: u64) -> u32 {
        let set = match &self.how {
            How::Linear => line,
            How::Xor => line ^ line >> self.bits,
            How::Ipoly(ipoly) => ipoly.of(line),
            How::Fermi => fermi(line),
        };
        (set & self.mask) as u32
    }
}

/// As GPGPU-Sim has it for 128-byte lines: address bits 7 to 11 XOR bits 13,
/// 14, 15, 17 and 19; bit 12 in front for 64 sets.
fn fermi(line: u64) -> u64 {
    let upper = line >> 6 & 7 | (line >> 10 & 1) << 3 | (line >> 12 & 1) << 4;
    line & 0x1f ^ upper | line & 0x20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_primitive() {
        for (i, &polynomial) in POLYNOMIALS.iter().enumerate() {
            let degree = i + 1;
            let (mut power, mut order) = (1u32, 0u32);
            loop {
                power <<= 1;
                if power >> degree & 1 == 1 {
                    power ^= polynomial;
                }
                order += 1;
                if power == 1 || order > 1 << 16 {
                    break;
                }
            }
            assert_eq!(order, (1 << degree) - 1, "degree {degree}");
        }
    }

    #[test]
    fn every_hash_uses_every_set_evenly_in_a_row_of_lines() {
        for hash in [SetHash::Linear, SetHash::Xor, SetHash::Ipoly, SetHash::Fermi] {
            let index = SetIndex::new(hash, 64);
            let mut seen = [0; 64];
            (0..1 << 14).for_each(|line| seen[index.of(line) as usize] += 1);
            assert_eq!(seen, [256; 64], "{hash:?}");
        }
    }

    #[test]
    fn ipoly_spreads_strides() {
        let index = SetIndex::new(SetHash::Ipoly, 64);
        for stride in [64, 128, 256, 4096, 1 << 20] {
            let sets: std::collections::BTreeSet<u32> =
                (0..64).map(|i| index.of(i * stride)).collect();
            assert_eq!(sets.len(), 64, "stride {stride}");
        }
    }
}
