//! Bits set, cleared, turned around; groups of four; small numbers extended.

use crate::sem::scalar::{Results, Sources};

fn word(value: u32) -> Results {
    Results::new(value.into(), value != 0)
}

fn long(value: u64) -> Results {
    Results::new(value, value != 0)
}

/// `s_brev_b32`.
pub fn brev_b32(s: &Sources) -> Results {
    word((s.a as u32).reverse_bits())
}

/// `s_brev_b64`.
pub fn brev_b64(s: &Sources) -> Results {
    long(s.a.reverse_bits())
}

/// `s_bitset0_b32`: a bit of the result's old value is cleared.
pub fn bitset0_b32(s: &Sources) -> Results {
    word(s.old as u32 & !(1 << (s.a & 31)))
}

/// `s_bitset0_b64`.
pub fn bitset0_b64(s: &Sources) -> Results {
    long(s.old & !(1 << (s.a & 63)))
}

/// `s_bitset1_b32`: a bit of the result's old value is set.
pub fn bitset1_b32(s: &Sources) -> Results {
    word(s.old as u32 | 1 << (s.a & 31))
}

/// `s_bitset1_b64`.
pub fn bitset1_b64(s: &Sources) -> Results {
    long(s.old | 1 << (s.a & 63))
}

/// The lowest bit of each four is set where any of them is.
fn quads(a: u64) -> u64 {
    (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111
}

/// `s_wqm_b32`: all of four bits are set where any of them is.
pub fn wqm_b32(s: &Sources) -> Results {
    word((quads(s.a & 0xffff_ffff) * 15) as u32)
}

/// `s_wqm_b64`.
pub fn wqm_b64(s: &Sources) -> Results {
    long(quads(s.a) * 15)
}

/// The lowest bit of each four, side by side.
fn gathered(quads: u64) -> u64 {
    (0..16).fold(0, |all, n| all | (quads >> (4 * n) & 1) << n)
}

/// `s_quadmask_b32`: a bit for each four, set where any of them is.
pub fn quadmask_b32(s: &Sources) -> Results {
    long(gathered(quads(s.a & 0xffff_ffff)))
}

/// `s_quadmask_b64`.
pub fn quadmask_b64(s: &Sources) -> Results {
    long(gathered(quads(s.a)))
}

/// `s_sext_i32_i8`.
pub fn sext_i8(s: &Sources) -> Results {
    word(s.a as i8 as i32 as u32)
}

/// `s_sext_i32_i16`.
pub fn sext_i16(s: &Sources) -> Results {
    word(s.a as i16 as i32 as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sem::scalar::ScalarFn;
    use proptest::prelude::*;

    /// The bits of a number, the lowest first.
    fn bits(a: u64, width: usize) -> Vec<bool> {
        (0..width).map(|n| a >> n & 1 == 1).collect()
    }

    fn number(bits: &[bool]) -> u64 {
        bits.iter().enumerate().fold(0, |all, (n, bit)| all | u64::from(*bit) << n)
    }

    fn run(f: ScalarFn, a: u64, old: u64, width: usize) -> u64 {
        let cut = |v: u64| if width == 32 { v & 0xffff_ffff } else { v };
        let r = f(&Sources { a: cut(a), old: cut(old), ..Sources::default() });
        assert_eq!(r.scc, r.value != 0);
        r.value
    }

    proptest! {
        #[test]
        fn bits_go_where_they_should(a: u64, old: u64, holes: u64) {
            let tables: [(usize, [ScalarFn; 5]); 2] = [
                (32, [brev_b32, wqm_b32, quadmask_b32, bitset0_b32, bitset1_b32]),
                (64, [brev_b64, wqm_b64, quadmask_b64, bitset0_b64, bitset1_b64]),
            ];
            for (width, [brev, wqm, quadmask, clear, set]) in tables {
                let mut turned = bits(a, width);
                turned.reverse();
                prop_assert_eq!(run(brev, a, old, width), number(&turned));
                // With holes, some groups of four are empty.
                let a = a & holes & holes.rotate_left(7);
                let any: Vec<bool> =
                    bits(a, width).chunks(4).map(|four| four.contains(&true)).collect();
                let whole: Vec<bool> = any.iter().flat_map(|bit| [*bit; 4]).collect();
                prop_assert_eq!(run(wqm, a, old, width), number(&whole));
                prop_assert_eq!(run(quadmask, a, old, width), number(&any));
                let mut changed = bits(old, width);
                changed[a as u32 as usize % width] = false;
                prop_assert_eq!(run(clear, a & 0xffff_ffff, old, width), number(&changed));
                changed[a as u32 as usize % width] = true;
                prop_assert_eq!(run(set, a & 0xffff_ffff, old, width), number(&changed));
            }
        }
    }

    #[test]
    fn signs_are_extended() {
        for (f, a, value) in [
            (sext_i8 as ScalarFn, 0x17f, 0x7f),
            (sext_i8, 0x80, 0xffff_ff80),
            (sext_i16, 0x1_7fff, 0x7fff),
            (sext_i16, 0x8000, 0xffff_8000),
        ] {
            assert_eq!(run(f, a, 0, 32), value);
        }
    }
}
