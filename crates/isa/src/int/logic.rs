//! Bitwise logic: `LOP3` and `PLOP3`.
//!
//! Bit `4a + 2b + c` of the look-up table is the result for those input bits.

use super::{has, mask_where};
use crate::{Mask, Results, Sources, WARP};

/// Modifier bit of [`lop3`]: the predicate is joined by and (`.PAND`), not or.
pub const PAND: u32 = 8;
/// Modifier bit of [`lop3`]: the predicate result is wanted.
pub const WITH_PRED: u32 = 9;

/// One result bit in every position, given the eight table entries as masks.
#[inline]
fn table(lut: u32, a: u32, b: u32, c: u32) -> u32 {
    let entry = |n: u32| 0u32.wrapping_sub(lut >> n & 1);
    // Choose between neighbours by c, then by b, then by a.
    let by_c = |n: u32| entry(n) ^ (c & (entry(n) ^ entry(n + 1)));
    let by_b = |n: u32| by_c(n) ^ (b & (by_c(n) ^ by_c(n + 2)));
    by_b(0) ^ (a & (by_b(0) ^ by_b(4)))
}

/// `LOP3` with the table in bits 0-7 of the modifiers.
pub fn lop3(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        r.d[0][i] = table(mods, a[i], b[i], c[i]);
    }
    if has(mods, WITH_PRED) {
        let nonzero = mask_where(|i| r.d[0][i] != 0);
        r.p[0] = if has(mods, PAND) { nonzero & s.p[0] } else { nonzero | s.p[0] };
    }
}

/// `LOP3` with a table known in advance and no predicate result.
pub fn lop3_fixed<const LUT: u32>(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        r.d[0][i] = table(LUT, a[i], b[i], c[i]);
    }
}

/// The fastest function for a table when no predicate is wanted: the tables
/// that compiled code uses most have their own.
pub fn lop3_for(lut: u32) -> crate::AluFn {
    macro_rules! pick {
        ($($lut:literal)*) => {
            match lut & 0xff {
                $($lut => lop3_fixed::<$lut>,)*
                _ => lop3,
            }
        };
    }
    // a&b, a|b, a^b, !b, a&!b, a|!b, !a, b, c, a&b|c, (a|b)|c, (a^b)^c, (a&b)&c, mux, …
    pick!(0xc0 0xfc 0x3c 0x33 0x30 0xf3 0x0f 0xcc 0xaa 0x55 0xf8 0xfe 0x96 0x80 0xe2 0xb8 0xca
          0xe8 0x0c 0x3f 0x03 0xf0 0xec 0xe0 0x78 0xa8 0xc8 0xd8 0xac)
}

/// `PLOP3`: two tables over predicate sources 0-2; table of result 0 in bits
/// 0-7, of result 1 in bits 8-15.
pub fn plop3(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let [a, b, c]: [Mask; 3] = s.p;
    r.p = [table(mods, a, b, c), table(mods >> 8, a, b, c)];
}

/// First of three bits in the modifiers of [`plop3_signs`]: the input is the sign
/// of a register.
pub const SIGNS: u32 = 16;

/// `PLOP3` some of whose inputs are signs of register sources.
pub fn plop3_signs(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let rows = [s.a(), s.b(), s.c()];
    let input = |n: usize| match mods >> (SIGNS + n as u32) & 1 {
        0 => s.p[n],
        _ => mask_where(|i| (rows[n][i] as i32) < 0),
    };
    let (a, b, c) = (input(0), input(1), input(2));
    r.p = [table(mods, a, b, c), table(mods >> 8, a, b, c)];
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, of_lane, operands};
    use super::*;
    use proptest::prelude::*;

    /// The textbook definition, bit by bit.
    fn by_bits(lut: u32, a: u32, b: u32, c: u32) -> u32 {
        (0..32).fold(0, |acc, n| {
            let index = (a >> n & 1) << 2 | (b >> n & 1) << 1 | c >> n & 1;
            acc | (lut >> index & 1) << n
        })
    }

    proptest! {
        #[test]
        fn lop3_reads_its_table(o in operands(), lut in 0u32..256, pand: bool) {
            let mods = lut | u32::from(pand) << PAND | 1 << WITH_PRED;
            let out = o.run(lop3, mods);
            let fast = o.run(lop3_for(lut), lut);
            for lane in 0..WARP {
                let [a, _, b, _, c, _] = o.lane(lane);
                let want = by_bits(lut, a, b, c);
                let p = o.preds(lane)[0];
                let joined = if pand { want != 0 && p } else { want != 0 || p };
                let (d, _, q, _) = of_lane(&out, lane);
                prop_assert_eq!((d, q), (want, joined));
                prop_assert_eq!(fast.d[0][lane], want);
            }
        }

        #[test]
        fn plop3_reads_both_tables(o in operands(), mods in 0u32..65536) {
            let out = o.run(plop3, mods);
            let [a, b, c] = o.p;
            prop_assert_eq!(out.p, [by_bits(mods & 255, a, b, c), by_bits(mods >> 8, a, b, c)]);
            // The same with the signs of B and C as inputs.
            let out = o.run(plop3_signs, mods | 6 << SIGNS);
            for lane in 0..WARP {
                let [_, _, b, _, c, _] = o.lane(lane);
                let index = u32::from(o.preds(lane)[0]) << 2 | b >> 31 << 1 | c >> 31;
                let want = [mods >> index & 1, mods >> 8 >> index & 1];
                prop_assert_eq!(out.p.map(|p| p >> lane & 1), want);
            }
        }
    }

    #[test]
    fn names_of_common_tables() {
        let d = |lut| Operands::splat(0b1100, 0b1010, 0b0110).run(lop3_for(lut), lut).d[0][0];
        assert_eq!(d(0xc0), 0b1000);
        assert_eq!(d(0xfc), 0b1110);
        assert_eq!(d(0x3c), 0b0110);
        assert_eq!(d(0x96), 0);
        assert_eq!(d(0x33), !0b1010);
    }
}
