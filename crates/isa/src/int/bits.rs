//! Bit counts and reversal: `POPC`, `FLO`, `BREV`.

use super::{has, mask_where};
use crate::{Results, Sources, WARP};

/// `POPC` of B; `mods` 1 counts zeroes instead.
pub fn popc(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let b = s.b();
    let flip = if mods == 1 { u32::MAX } else { 0 };
    for i in 0..WARP {
        r.d[0][i] = (b[i] ^ flip).count_ones();
    }
}

/// `BREV` of B.
pub fn brev(_: u32, s: &Sources<'_>, r: &mut Results) {
    let b = s.b();
    for i in 0..WARP {
        r.d[0][i] = b[i].reverse_bits();
    }
}

/// Modifier bits of [`flo`].
pub mod flo_mods {
    /// Signed: look for the highest bit that differs from the sign.
    pub const SIGNED: u32 = 0;
    /// `.SH`: the distance from the top instead of the position.
    pub const SHIFT: u32 = 1;
    /// Look in `~B`.
    pub const INVERT: u32 = 2;
}

/// `FLO`: position of the leading one of B, all ones if there is none.
/// Predicate 0 = there is one.
pub fn flo(m: u32, s: &Sources<'_>, r: &mut Results) {
    let b = s.b();
    let flip = if has(m, flo_mods::INVERT) { u32::MAX } else { 0 };
    let mut x = [0; WARP];
    for i in 0..WARP {
        let v = b[i] ^ flip;
        x[i] = if has(m, flo_mods::SIGNED) { v ^ ((v as i32) >> 31) as u32 } else { v };
        let leading = x[i].leading_zeros();
        let at = if has(m, flo_mods::SHIFT) { leading } else { 31u32.wrapping_sub(leading) };
        r.d[0][i] = if x[i] == 0 { u32::MAX } else { at };
    }
    r.p[0] = mask_where(|i| x[i] != 0);
}

#[cfg(test)]
mod tests {
    use super::super::testing::operands;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_bit_by_bit(o in operands(), m in 0u32..8) {
            let (pop, zeroes) = (o.run(popc, 0), o.run(popc, 1));
            let (rev, lead) = (o.run(brev, 0), o.run(flo, m));
            for lane in 0..WARP {
                let b = o.lane(lane)[2];
                let bit = |n: u32| b >> n & 1;
                let set = (0..32).map(bit).sum::<u32>();
                prop_assert_eq!((pop.d[0][lane], zeroes.d[0][lane]), (set, 32 - set));
                prop_assert_eq!(rev.d[0][lane], (0..32).fold(0, |a, n| a | bit(n) << (31 - n)));
                let v = if m & 4 != 0 { !b } else { b };
                let wanted = u32::from(!(m & 1 != 0 && (v as i32) < 0));
                let found = (0..32).rev().find(|&n| v >> n & 1 == wanted);
                let want = match (found, m & 2 != 0) {
                    (None, _) => u32::MAX,
                    (Some(n), false) => n,
                    (Some(n), true) => 31 - n,
                };
                prop_assert_eq!(lead.d[0][lane], want);
                prop_assert_eq!(lead.p[0] >> lane & 1 == 1, found.is_some());
            }
        }
    }
}
