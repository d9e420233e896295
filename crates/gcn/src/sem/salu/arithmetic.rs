//! Sums, differences, products, minimum and maximum.

use crate::sem::scalar::{Results, Sources};

/// The result and whether a carry or an overflow came of it.
fn flagged((value, flag): (u32, bool)) -> Results {
    Results::new(value.into(), flag)
}

fn flagged_signed((value, flag): (i32, bool)) -> Results {
    flagged((value as u32, flag))
}

/// A result whose SCC says that it is not zero.
fn nonzero(value: u32) -> Results {
    Results::new(value.into(), value != 0)
}

fn signed(s: &Sources) -> (i32, i32) {
    (s.a as i32, s.b as i32)
}

/// The 16-bit constant, its sign extended.
fn constant(s: &Sources) -> i32 {
    i32::from(s.imm as i16)
}

/// `s_add_u32`: SCC is the carry.
pub fn add_u32(s: &Sources) -> Results {
    flagged((s.a as u32).overflowing_add(s.b as u32))
}

/// `s_sub_u32`: SCC is the borrow.
pub fn sub_u32(s: &Sources) -> Results {
    flagged((s.a as u32).overflowing_sub(s.b as u32))
}

/// `s_add_i32`: SCC is the signed overflow.
pub fn add_i32(s: &Sources) -> Results {
    let (a, b) = signed(s);
    flagged_signed(a.overflowing_add(b))
}

/// `s_sub_i32`: SCC is the signed overflow.
pub fn sub_i32(s: &Sources) -> Results {
    let (a, b) = signed(s);
    flagged_signed(a.overflowing_sub(b))
}

/// `s_addc_u32`: SCC is added, and is the carry afterwards.
pub fn addc_u32(s: &Sources) -> Results {
    let (sum, first) = (s.a as u32).overflowing_add(s.b as u32);
    let (sum, second) = sum.overflowing_add(s.scc.into());
    flagged((sum, first | second))
}

/// `s_subb_u32`: SCC is subtracted, and is the borrow afterwards.
pub fn subb_u32(s: &Sources) -> Results {
    let (difference, first) = (s.a as u32).overflowing_sub(s.b as u32);
    let (difference, second) = difference.overflowing_sub(s.scc.into());
    flagged((difference, first | second))
}

/// `s_addk_i32`: SCC is the signed overflow.
pub fn addk_i32(s: &Sources) -> Results {
    flagged_signed((s.old as i32).overflowing_add(constant(s)))
}

/// `s_mul_i32`: the low half of the product.
pub fn mul_i32(s: &Sources) -> Results {
    flagged(((s.a as u32).wrapping_mul(s.b as u32), false))
}

/// `s_mulk_i32`.
pub fn mulk_i32(s: &Sources) -> Results {
    flagged_signed(((s.old as i32).wrapping_mul(constant(s)), false))
}

/// `s_abs_i32`: the most negative number is its own.
pub fn abs_i32(s: &Sources) -> Results {
    nonzero((s.a as i32).wrapping_abs() as u32)
}

/// `s_absdiff_i32`: the difference wraps before its sign is dropped, as AMD's
/// examples for later chips show.
pub fn absdiff_i32(s: &Sources) -> Results {
    let (a, b) = signed(s);
    nonzero(a.wrapping_sub(b).wrapping_abs() as u32)
}

/// One of the two; SCC says whether it is the first.
fn choose(s: &Sources, first: bool) -> Results {
    flagged((if first { s.a } else { s.b } as u32, first))
}

/// `s_min_i32`.
pub fn min_i32(s: &Sources) -> Results {
    let (a, b) = signed(s);
    choose(s, a < b)
}

/// `s_min_u32`.
pub fn min_u32(s: &Sources) -> Results {
    choose(s, (s.a as u32) < s.b as u32)
}

/// `s_max_i32`.
pub fn max_i32(s: &Sources) -> Results {
    let (a, b) = signed(s);
    choose(s, a > b)
}

/// `s_max_u32`.
pub fn max_u32(s: &Sources) -> Results {
    choose(s, s.a as u32 > s.b as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sem::scalar::ScalarFn;
    use proptest::prelude::*;

    fn run(f: ScalarFn, a: u32, b: u32, scc: bool) -> (u32, bool) {
        let r = f(&Sources { a: a.into(), b: b.into(), scc, ..Sources::default() });
        assert_eq!(r.value >> 32, 0);
        (r.value as u32, r.scc)
    }

    /// The low word, and whether all of it is no 32-bit number of that kind.
    fn unsigned(exact: i128) -> (u32, bool) {
        (exact as u32, u32::try_from(exact).is_err())
    }

    fn signed(exact: i128) -> (u32, bool) {
        (exact as u32, i32::try_from(exact).is_err())
    }

    /// Numbers near the edges as often as others.
    fn number() -> impl Strategy<Value = u32> {
        let edges = [0, 1, 2, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, !0 - 1, !0];
        prop_oneof![any::<u32>(), prop::sample::select(edges.to_vec())]
    }

    proptest! {
        #[test]
        fn sums_are_exact_and_tell_of_what_does_not_fit(a in number(), b in number(), scc: bool) {
            let (ua, ub, carry) = (i128::from(a), i128::from(b), i128::from(scc));
            let (sa, sb) = (i128::from(a as i32), i128::from(b as i32));
            prop_assert_eq!(run(add_u32, a, b, scc), unsigned(ua + ub));
            prop_assert_eq!(run(sub_u32, a, b, scc), unsigned(ua - ub));
            prop_assert_eq!(run(addc_u32, a, b, scc), unsigned(ua + ub + carry));
            prop_assert_eq!(run(subb_u32, a, b, scc), unsigned(ua - ub - carry));
            prop_assert_eq!(run(add_i32, a, b, scc), signed(sa + sb));
            prop_assert_eq!(run(sub_i32, a, b, scc), signed(sa - sb));
            prop_assert_eq!(run(mul_i32, a, b, scc).0, (sa * sb) as u32);
        }

        #[test]
        fn constants_are_signed(old in number(), imm: i16) {
            let s = Sources { old: old.into(), imm: imm as u16, ..Sources::default() };
            let (exact, by) = (i128::from(old as i32), i128::from(imm));
            let sum = addk_i32(&s);
            prop_assert_eq!((sum.value, sum.scc), {
                let (value, flag) = signed(exact + by);
                (u64::from(value), flag)
            });
            prop_assert_eq!(mulk_i32(&s).value, u64::from((exact * by) as u32));
        }

        #[test]
        fn extremes_are_the_ends_of_a_sorted_pair(a in number(), b in number()) {
            let mut u = [a, b];
            u.sort_unstable();
            let mut i = [a as i32, b as i32];
            i.sort_unstable();
            prop_assert_eq!(run(min_u32, a, b, false), (u[0], u[0] == a && a != b));
            prop_assert_eq!(run(max_u32, a, b, false), (u[1], u[1] == a && a != b));
            prop_assert_eq!(run(min_i32, a, b, false), (i[0] as u32, i[0] == a as i32 && a != b));
            prop_assert_eq!(run(max_i32, a, b, false), (i[1] as u32, i[1] == a as i32 && a != b));
        }
    }

    #[test]
    fn distances_are_as_amd_shows_them() {
        for (a, b, distance) in [
            (2, 5, 3),
            (!0, 0, 1),
            (0x8000_0000, 0, 0x8000_0000),
            (0x8000_0000, 1, 0x7fff_ffff),
            (0x8000_0000, !0, 0x7fff_ffff),
            (0x8000_0000, !0 - 1, 0x7fff_fffe),
        ] {
            assert_eq!(run(absdiff_i32, a, b, false), (distance, true));
        }
        assert_eq!(run(absdiff_i32, 7, 7, true), (0, false));
        assert_eq!(run(abs_i32, -7i32 as u32, 0, false), (7, true));
        assert_eq!(run(abs_i32, 7, 0, false), (7, true));
        assert_eq!(run(abs_i32, 0, 0, true), (0, false));
        assert_eq!(run(abs_i32, 0x8000_0000, 0, false), (0x8000_0000, true));
    }
}
