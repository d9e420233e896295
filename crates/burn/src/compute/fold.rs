//! Signatures as the kernels fold them (`kernels/burn/burn.h`).

/// Who folds, which is never the unit that computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// A signature register by rotates and logic, for all units but the ALU.
    Logic,
    /// Two linear generators by multiply-add, for the ALU.
    Products,
}

impl Fold {
    /// Words of a signature.
    pub fn words(self) -> usize {
        match self {
            Fold::Logic => 1,
            Fold::Products => 2,
        }
    }

    /// The signature of a row of results.
    pub fn of(self, results: impl Iterator<Item = u32>) -> [u32; 2] {
        match self {
            Fold::Logic => [results.fold(u32::MAX, by_logic), 0],
            Fold::Products => results.fold([1, 1], by_products),
        }
    }
}

/// One step of the signature register over CRC-32's polynomial.
fn by_logic(s: u32, r: u32) -> u32 {
    let top = if s >> 31 != 0 { 0x04c1_1db6 } else { 0 };
    s.rotate_left(1) ^ r ^ top
}

fn by_products([low, high]: [u32; 2], r: u32) -> [u32; 2] {
    let spread = u64::from(r) * 0x9e37_79b1;
    [
        low.wrapping_mul(0x2c1b_3c6d).wrapping_add(spread as u32),
        high.wrapping_mul(0x297a_2d39).wrapping_add((spread >> 32) as u32),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_bit_anywhere_shows() {
        for fold in [Fold::Logic, Fold::Products] {
            let good: Vec<u32> = (0..100u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            let right = fold.of(good.iter().copied());
            for at in 0..good.len() {
                for bit in 0..32 {
                    let wrong = |i: usize, r: u32| if i == at { r ^ 1 << bit } else { r };
                    let s = fold.of(good.iter().enumerate().map(|(i, &r)| wrong(i, r)));
                    assert_ne!(s, right, "{fold:?} misses bit {bit} of result {at}");
                }
            }
        }
    }

    /// The same bit wrong in two results, at any distance that a test has: what
    /// a plain rotate-and-xor misses at multiples of 32.
    #[test]
    fn the_same_bit_wrong_twice_shows() {
        for fold in [Fold::Logic, Fold::Products] {
            let right = fold.of(std::iter::repeat_n(0, 300));
            for distance in 1..299 {
                for bit in 0..32 {
                    let s = fold
                        .of((0..300).map(|i| if i == 0 || i == distance { 1 << bit } else { 0 }));
                    assert_ne!(s, right, "{fold:?}: bit {bit}, {distance} results apart");
                }
            }
        }
    }
}
