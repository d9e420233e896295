//! Data backgrounds: what "0" means in a memory of words.
//!
//! A March test of words writes a background for 0 and its complement for 1.
//! With the one background of zeroes the bits of a word are always equal, so
//! that no coupling between them is seen. These six are the smallest set of
//! 32-bit words in which every pair of bits is equal in one and different in
//! another: 1 + log2 32 (Dekker, Beenker, Thijssen, "Fault modeling and test
//! algorithm development for static random access memories", ITC 1988).

/// The backgrounds.
pub const BACKGROUNDS: [u32; 6] =
    [0x0000_0000, 0x5555_5555, 0x3333_3333, 0x0f0f_0f0f, 0x00ff_00ff, 0x0000_ffff];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_bits_is_once_equal_and_once_different() {
        for a in 0..32 {
            for b in 0..a {
                let differ = |w: &&u32| (**w >> a ^ **w >> b) & 1 == 1;
                let different = BACKGROUNDS.iter().filter(differ).count();
                assert!((1..BACKGROUNDS.len()).contains(&different), "bits {a} and {b}");
            }
        }
    }

    #[test]
    fn each_is_needed() {
        for left_out in 0..BACKGROUNDS.len() {
            let kept = || (0..BACKGROUNDS.len()).filter(|&i| i != left_out).map(|i| BACKGROUNDS[i]);
            let pairs = (0..32).flat_map(|a| (0..a).map(move |b| (a, b)));
            let covered = |(a, b): (u32, u32)| {
                let different = kept().filter(|w| (w >> a ^ w >> b) & 1 == 1).count();
                different > 0 && different < kept().count()
            };
            assert!(!pairs.into_iter().all(covered), "without {left_out}");
        }
    }
}
