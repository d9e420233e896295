//! Moves and bits of one source.

use super::each::each;
use super::vector::{Results, Sources};

/// `v_mov_b32`.
pub fn mov(s: &Sources<'_>, r: &mut Results) {
    r.d[0] = *s.a();
}

/// `v_not_b32`.
pub fn not(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| !a);
}

/// `v_bfrev_b32`: the last bit first.
pub fn reverse(s: &Sources<'_>, r: &mut Results) {
    each(s, r, u32::reverse_bits);
}

/// `v_ffbh_u32`: zeroes above the highest one, all ones where there is none.
pub fn first_high(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| if a == 0 { !0 } else { a.leading_zeros() });
}

/// `v_ffbl_b32`: zeroes below the lowest one, all ones where there is none.
pub fn first_low(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| if a == 0 { !0 } else { a.trailing_zeros() });
}

/// `v_ffbh_i32`: bits equal to the sign at the top, the sign among them; all
/// ones where all are equal.
pub fn first_high_signed(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| {
        let differing = a ^ (a as i32 >> 31) as u32;
        if differing == 0 { !0 } else { differing.leading_zeros() }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tried::of32;
    use super::*;

    /// The manual's loops, bit by bit from the top: the first that satisfies.
    fn from_top(stop: impl Fn(u32) -> bool) -> u32 {
        (0..32).find(|&n| stop(31 - n)).unwrap_or(!0)
    }

    fn check(a: u32) {
        let bit = |n: u32| a >> n & 1;
        assert_eq!(of32(mov, a), a);
        assert_eq!(of32(not, a), u32::MAX - a);
        assert_eq!(of32(reverse, a), (0..32).fold(0, |r, n| r | bit(n) << (31 - n)));
        assert_eq!(of32(first_high, a), from_top(|n| bit(n) == 1));
        assert_eq!(of32(first_low, a), (0..32).find(|&n| bit(n) == 1).unwrap_or(!0));
        assert_eq!(of32(first_high_signed, a), from_top(|n| bit(n) != bit(31)));
    }

    #[test]
    fn edges() {
        [0, 1, !0, 1 << 31, !(1 << 31), !1].into_iter().for_each(check);
        assert_eq!(of32(first_high_signed, 0xffff_0000), 16);
        assert_eq!(of32(first_high, 0x0000_ffff), 16);
    }

    proptest! {
        #[test]
        fn loops_of_the_manual_agree(a: u32, shift in 0u32..32) {
            check(a);
            check(a >> shift);
            check((a as i32 >> shift) as u32);
        }
    }
}
