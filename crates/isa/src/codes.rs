//! Condition codes: four flags per thread that code before sm_70 computes with
//! beside predicates (`.CC` writes them, `.X` reads the carry).

use crate::Mask;

/// One condition-code register of a warp: a mask for each flag.
pub type Codes = [Mask; FLAGS.len()];

/// Flags by name, in the order of their numbers.
pub const FLAGS: [&str; 4] = ["zero", "sign", "carry", "overflow"];
/// The result is zero, or no number.
pub const ZERO: usize = 0;
/// The result is negative, or no number.
pub const SIGN: usize = 1;
/// A sum reached 2^32; of a difference: nothing was borrowed.
pub const CARRY: usize = 2;
/// A signed sum does not fit.
pub const OVERFLOW: usize = 3;

/// The test that always holds.
pub const ALWAYS: u8 = 15;

/// How an instruction of control flow keeps its test in its modifiers: those
/// without one hold whatever the codes are.
pub fn when(test: u8) -> u32 {
    u32::from((test ^ ALWAYS) & 31)
}

/// Lanes for which the test that [`when`] kept holds.
pub fn holds(codes: &Codes, kept: u32) -> Mask {
    test(codes, (kept & 31) as u8 ^ ALWAYS)
}

/// Lanes for which a test holds, by its number in the encoding.
pub fn test(codes: &Codes, number: u8) -> Mask {
    let [z, s, c, o] = *codes;
    match number {
        // LT, EQ, LE, GT, NE, GE: of numbers.
        1 => (s & !z) ^ o,
        2 => z & !s,
        3 => s ^ (z | o),
        4 => !z & !(s ^ o),
        5 => !z,
        6 => !(s ^ o),
        // NUM, NAN, and the comparisons again, or no number.
        7 => !z | !s,
        8 => z & s,
        9 => s ^ o,
        10 => z,
        11 => z | (s ^ o),
        12 => !s ^ (z | o),
        13 => !z | s,
        14 => (!s | z) ^ o,
        ALWAYS => Mask::MAX,
        // OFF, LO, SFF, LS, HI, SFT, HS, OFT.
        16 => !o,
        17 => !c,
        18 => !s,
        19 => z | !c,
        20 => !z & c,
        21 => s,
        22 => c,
        23 => o,
        // F, and tests of the graphics pipeline's own state.
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of one lane: of the difference of two words, as an adder sets them.
    fn of_difference(a: u32, b: u32) -> Codes {
        let d = a.wrapping_sub(b);
        let overflow = (a as i32).checked_sub(b as i32).is_none();
        [d == 0, (d as i32) < 0, a >= b, overflow].map(u32::from)
    }

    #[test]
    fn after_a_difference_tests_compare() {
        let values = [0, 1, 2, 5, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, u32::MAX];
        for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
            let (x, y) = (a as i32, b as i32);
            let codes = of_difference(a, b);
            let expected = [
                (0, false),
                (1, x < y),
                (2, a == b),
                (4, x > y),
                (5, a != b),
                (6, x >= y),
                (11, x <= y),
                (15, true),
                (17, a < b),
                (19, a <= b),
                (20, a > b),
                (22, a >= b),
            ];
            for (number, holds) in expected {
                let got = test(&codes, number) & 1 == 1;
                assert_eq!(got, holds, "{a:#x} against {b:#x}, test {number}");
            }
        }
    }

    #[test]
    fn every_test_and_the_one_seven_further_on_or_back_exclude_each_other() {
        // Pairs that hardware's names say are opposites.
        let opposites = [(1, 14), (2, 13), (3, 12), (4, 11), (5, 10), (6, 9), (7, 8), (0, 15)];
        let unsigned = [(16, 23), (17, 22), (18, 21), (19, 20)];
        for bits in 0..16u32 {
            let codes = std::array::from_fn(|i| bits >> i & 1);
            for (a, b) in opposites.into_iter().chain(unsigned) {
                assert_eq!(test(&codes, a) & 1, !test(&codes, b) & 1, "{codes:?} {a} {b}");
            }
        }
    }

    #[test]
    fn modifiers_of_zero_mean_always() {
        assert_eq!(when(ALWAYS), 0);
        let codes = [1, 2, 4, 8];
        for number in 0..32 {
            assert_eq!(holds(&codes, when(number)), test(&codes, number));
        }
    }
}
