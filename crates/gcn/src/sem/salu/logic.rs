//! Bitwise operations; SCC says that the result is not zero.

use crate::sem::scalar::{Results, Sources};

/// An operation of 32 bits, of 64 bits, and the one that leaves it in EXEC: the
/// source is the first operand, EXEC the second, and the result the old EXEC.
macro_rules! operations {
    ($($word:ident, $long:ident, $save:ident: $f:expr;)*) => {
        $(
            #[doc = concat!("`s_", stringify!($word), "`.")]
            pub fn $word(s: &Sources) -> Results {
                let value = $f(s.a, s.b) as u32;
                Results::new(value.into(), value != 0)
            }

            #[doc = concat!("`s_", stringify!($long), "`.")]
            pub fn $long(s: &Sources) -> Results {
                let value = $f(s.a, s.b);
                Results::new(value, value != 0)
            }

            #[doc = concat!("`s_", stringify!($save), "`.")]
            pub fn $save(s: &Sources) -> Results {
                let exec = $f(s.a, s.exec);
                Results { value: s.exec, scc: exec != 0, exec }
            }
        )*
    };
}

operations! {
    and_b32, and_b64, and_saveexec_b64: |a: u64, b: u64| a & b;
    or_b32, or_b64, or_saveexec_b64: |a: u64, b: u64| a | b;
    xor_b32, xor_b64, xor_saveexec_b64: |a: u64, b: u64| a ^ b;
    andn2_b32, andn2_b64, andn2_saveexec_b64: |a: u64, b: u64| a & !b;
    orn2_b32, orn2_b64, orn2_saveexec_b64: |a: u64, b: u64| a | !b;
    nand_b32, nand_b64, nand_saveexec_b64: |a: u64, b: u64| !(a & b);
    nor_b32, nor_b64, nor_saveexec_b64: |a: u64, b: u64| !(a | b);
    xnor_b32, xnor_b64, xnor_saveexec_b64: |a: u64, b: u64| !(a ^ b);
}

/// `s_not_b32`.
pub fn not_b32(s: &Sources) -> Results {
    let value = !(s.a as u32);
    Results::new(value.into(), value != 0)
}

/// `s_not_b64`.
pub fn not_b64(s: &Sources) -> Results {
    Results::new(!s.a, !s.a != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sem::scalar::ScalarFn;
    use proptest::prelude::*;

    /// Truth tables: bit `2 * a + b` is the result of those two bits.
    const TABLES: [(u8, [ScalarFn; 3]); 8] = [
        (0b1000, [and_b32, and_b64, and_saveexec_b64]),
        (0b1110, [or_b32, or_b64, or_saveexec_b64]),
        (0b0110, [xor_b32, xor_b64, xor_saveexec_b64]),
        (0b0100, [andn2_b32, andn2_b64, andn2_saveexec_b64]),
        (0b1101, [orn2_b32, orn2_b64, orn2_saveexec_b64]),
        (0b0111, [nand_b32, nand_b64, nand_saveexec_b64]),
        (0b0001, [nor_b32, nor_b64, nor_saveexec_b64]),
        (0b1001, [xnor_b32, xnor_b64, xnor_saveexec_b64]),
    ];

    fn by_table(table: u8, bits: u32, a: u64, b: u64) -> u64 {
        (0..bits).fold(0, |all, n| {
            let row = 2 * (a >> n & 1) + (b >> n & 1);
            all | u64::from(table >> row & 1) << n
        })
    }

    proptest! {
        #[test]
        fn every_bit_follows_the_truth_table(a: u64, b: u64) {
            for (table, [word, long, save]) in TABLES {
                let short = Sources { a: a & 0xffff_ffff, b: b & 0xffff_ffff, ..Sources::default() };
                let expected = by_table(table, 32, a, b);
                prop_assert_eq!(word(&short), Results::new(expected, expected != 0));
                let expected = by_table(table, 64, a, b);
                let two = Sources { a, b, ..Sources::default() };
                prop_assert_eq!(long(&two), Results::new(expected, expected != 0));
                let saved = save(&Sources { a, exec: b, ..Sources::default() });
                prop_assert_eq!(saved, Results { value: b, scc: expected != 0, exec: expected });
            }
        }
    }

    #[test]
    fn scc_says_that_the_result_is_not_zero() {
        let s = |a, b| Sources { a, b, exec: b, ..Sources::default() };
        assert!(!and_b32(&s(1, 2)).scc && and_b32(&s(3, 2)).scc);
        assert!(!and_b64(&s(1 << 40, 0)).scc && and_b64(&s(1 << 40, 1 << 40)).scc);
        // What counts is the new EXEC, not the saved one.
        assert!(!and_saveexec_b64(&s(0, 5)).scc);
        // Ones above a word do not count as its result.
        assert_eq!(nand_b32(&s(0xffff_ffff, 0xffff_ffff)), Results::new(0, false));
        assert_eq!(not_b32(&s(0xffff_ffff, 0)), Results::new(0, false));
        assert_eq!(not_b32(&s(1, 0)), Results::new(0xffff_fffe, true));
        assert_eq!(not_b64(&s(!0, 0)), Results::new(0, false));
        assert_eq!(not_b64(&s(0xffff_ffff, 0)), Results::new(0xffff_ffff_0000_0000, true));
    }
}
