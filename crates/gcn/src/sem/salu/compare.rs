//! Compares: SCC is their only result.

use crate::sem::scalar::{Results, Sources};

/// Compares with a source, and those with the 16-bit constant, whose sign is
/// extended where the compare is signed (CLRX).
macro_rules! compares {
    ($($signed:ident, $unsigned:ident, $signed_k:ident, $unsigned_k:ident: $op:tt;)*) => {
        $(
            #[doc = concat!("`s_", stringify!($signed), "`.")]
            pub fn $signed(s: &Sources) -> Results {
                Results::new(0, (s.a as i32) $op (s.b as i32))
            }

            #[doc = concat!("`s_", stringify!($unsigned), "`.")]
            pub fn $unsigned(s: &Sources) -> Results {
                Results::new(0, (s.a as u32) $op (s.b as u32))
            }

            #[doc = concat!("`s_", stringify!($signed_k), "`.")]
            pub fn $signed_k(s: &Sources) -> Results {
                Results::new(0, (s.a as i32) $op i32::from(s.imm as i16))
            }

            #[doc = concat!("`s_", stringify!($unsigned_k), "`.")]
            pub fn $unsigned_k(s: &Sources) -> Results {
                Results::new(0, (s.a as u32) $op u32::from(s.imm))
            }
        )*
    };
}

compares! {
    cmp_eq_i32, cmp_eq_u32, cmpk_eq_i32, cmpk_eq_u32: ==;
    cmp_lg_i32, cmp_lg_u32, cmpk_lg_i32, cmpk_lg_u32: !=;
    cmp_gt_i32, cmp_gt_u32, cmpk_gt_i32, cmpk_gt_u32: >;
    cmp_ge_i32, cmp_ge_u32, cmpk_ge_i32, cmpk_ge_u32: >=;
    cmp_lt_i32, cmp_lt_u32, cmpk_lt_i32, cmpk_lt_u32: <;
    cmp_le_i32, cmp_le_u32, cmpk_le_i32, cmpk_le_u32: <=;
}

/// `s_bitcmp0_b32`: the bit that the second source names is zero.
pub fn bitcmp0_b32(s: &Sources) -> Results {
    Results::new(0, s.a >> (s.b & 31) & 1 == 0)
}

/// `s_bitcmp1_b32`: the bit that the second source names is one.
pub fn bitcmp1_b32(s: &Sources) -> Results {
    Results::new(0, s.a >> (s.b & 31) & 1 == 1)
}

/// `s_bitcmp0_b64`.
pub fn bitcmp0_b64(s: &Sources) -> Results {
    Results::new(0, s.a >> (s.b & 63) & 1 == 0)
}

/// `s_bitcmp1_b64`.
pub fn bitcmp1_b64(s: &Sources) -> Results {
    Results::new(0, s.a >> (s.b & 63) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sem::scalar::ScalarFn;
    use std::cmp::Ordering::{self, Equal, Greater, Less};

    /// Orders for which the compares of a line hold.
    const TABLE: [(&[Ordering], [ScalarFn; 4]); 6] = [
        (&[Equal], [cmp_eq_i32, cmp_eq_u32, cmpk_eq_i32, cmpk_eq_u32]),
        (&[Less, Greater], [cmp_lg_i32, cmp_lg_u32, cmpk_lg_i32, cmpk_lg_u32]),
        (&[Greater], [cmp_gt_i32, cmp_gt_u32, cmpk_gt_i32, cmpk_gt_u32]),
        (&[Equal, Greater], [cmp_ge_i32, cmp_ge_u32, cmpk_ge_i32, cmpk_ge_u32]),
        (&[Less], [cmp_lt_i32, cmp_lt_u32, cmpk_lt_i32, cmpk_lt_u32]),
        (&[Equal, Less], [cmp_le_i32, cmp_le_u32, cmpk_le_i32, cmpk_le_u32]),
    ];

    const NUMBERS: [i64; 9] =
        [0, 1, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_8000, 0xffff_ffff];

    fn scc(f: ScalarFn, a: i64, b: i64) -> bool {
        let s = Sources { a: a as u64, b: b as u64, imm: b as u16, ..Sources::default() };
        f(&s).scc
    }

    #[test]
    fn compares_follow_the_order_of_the_numbers() {
        // The number that a pattern of so many bits stands for.
        let signed = |n: i64, bits: i64| if n >> (bits - 1) & 1 == 1 { n - (1 << bits) } else { n };
        for (orders, [int, unsigned, int_k, unsigned_k]) in TABLE {
            for a in NUMBERS {
                for b in NUMBERS {
                    let holds = |order| orders.contains(&order);
                    assert_eq!(scc(int, a, b), holds(signed(a, 32).cmp(&signed(b, 32))));
                    assert_eq!(scc(unsigned, a, b), holds(a.cmp(&b)));
                    let imm = b & 0xffff;
                    assert_eq!(scc(int_k, a, b), holds(signed(a, 32).cmp(&signed(imm, 16))));
                    assert_eq!(scc(unsigned_k, a, b), holds(a.cmp(&imm)));
                }
            }
        }
    }

    #[test]
    fn bits_are_tested_by_number() {
        for n in 0..64 {
            let (long, short) = (1i64 << n, 1i64 << (n % 32));
            assert!(scc(bitcmp1_b64, long, n + 128) && !scc(bitcmp0_b64, long, n));
            assert!(!scc(bitcmp1_b64, !long, n) && scc(bitcmp0_b64, !long, n + 64));
            assert!(scc(bitcmp1_b32, short, n) && !scc(bitcmp0_b32, short, n));
            assert!(!scc(bitcmp1_b32, !short & 0xffff_ffff, n));
            assert!(scc(bitcmp0_b32, !short & 0xffff_ffff, n));
        }
    }
}
