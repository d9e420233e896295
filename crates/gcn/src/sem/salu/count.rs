//! Counting and finding bits.

use crate::sem::scalar::{Results, Sources};

fn count(n: u32) -> Results {
    Results::new(n.into(), n != 0)
}

/// The number of a bit, all ones where there is none. `width` is what the
/// standard functions give then.
fn found(n: u32, width: u32) -> Results {
    count(if n < width { n } else { !0 })
}

/// `s_bcnt0_i32_b32`.
pub fn bcnt0_b32(s: &Sources) -> Results {
    count((s.a as u32).count_zeros())
}

/// `s_bcnt0_i32_b64`.
pub fn bcnt0_b64(s: &Sources) -> Results {
    count(s.a.count_zeros())
}

/// `s_bcnt1_i32_b32`.
pub fn bcnt1_b32(s: &Sources) -> Results {
    count((s.a as u32).count_ones())
}

/// `s_bcnt1_i32_b64`.
pub fn bcnt1_b64(s: &Sources) -> Results {
    count(s.a.count_ones())
}

/// `s_ff0_i32_b32`: the lowest zero.
pub fn ff0_b32(s: &Sources) -> Results {
    found((s.a as u32).trailing_ones(), 32)
}

/// `s_ff0_i32_b64`.
pub fn ff0_b64(s: &Sources) -> Results {
    found(s.a.trailing_ones(), 64)
}

/// `s_ff1_i32_b32`: the lowest one.
pub fn ff1_b32(s: &Sources) -> Results {
    found((s.a as u32).trailing_zeros(), 32)
}

/// `s_ff1_i32_b64`.
pub fn ff1_b64(s: &Sources) -> Results {
    found(s.a.trailing_zeros(), 64)
}

/// `s_flbit_i32_b32`: the highest one, counted from the top.
pub fn flbit_b32(s: &Sources) -> Results {
    found((s.a as u32).leading_zeros(), 32)
}

/// `s_flbit_i32_b64`.
pub fn flbit_b64(s: &Sources) -> Results {
    found(s.a.leading_zeros(), 64)
}

/// `s_flbit_i32`: the highest bit that differs from the sign, counted from the top.
pub fn flbit_i32(s: &Sources) -> Results {
    let a = s.a as i32;
    found((a ^ a >> 31).leading_zeros(), 32)
}

/// `s_flbit_i32_i64`.
pub fn flbit_i64(s: &Sources) -> Results {
    let a = s.a as i64;
    found((a ^ a >> 63).leading_zeros(), 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sem::scalar::ScalarFn;
    use proptest::prelude::*;

    /// A function and the bits it looks at, in the order it does.
    struct Search {
        f: ScalarFn,
        width: u32,
        from_top: bool,
        wanted: fn(a: u64, width: u32) -> bool,
    }

    const ZERO: fn(u64, u32) -> bool = |_, _| false;
    const ONE: fn(u64, u32) -> bool = |_, _| true;
    const NOT_SIGN: fn(u64, u32) -> bool = |a, width| a >> (width - 1) & 1 == 0;

    fn searches() -> [Search; 8] {
        let low = |f, width, wanted| Search { f, width, from_top: false, wanted };
        let top = |f, width, wanted| Search { f, width, from_top: true, wanted };
        [
            low(ff0_b32, 32, ZERO),
            low(ff0_b64, 64, ZERO),
            low(ff1_b32, 32, ONE),
            low(ff1_b64, 64, ONE),
            top(flbit_b32, 32, ONE),
            top(flbit_b64, 64, ONE),
            top(flbit_i32, 32, NOT_SIGN),
            top(flbit_i64, 64, NOT_SIGN),
        ]
    }

    fn cut(a: u64, width: u32) -> u64 {
        if width == 32 { a & 0xffff_ffff } else { a }
    }

    fn value(f: ScalarFn, a: u64) -> u64 {
        f(&Sources { a, ..Sources::default() }).value
    }

    proptest! {
        #[test]
        fn the_first_that_is_wanted_is_found(
            a in prop_oneof![any::<u64>(), Just(0), Just(!0), (0u32..64).prop_map(|n| 1 << n)],
            keep in 0u32..64,
        ) {
            // Long runs of equal bits at the top too.
            for a in [a, a >> keep, !(a >> keep)] {
                for s in searches() {
                    let a = cut(a, s.width);
                    let at = |n: u32| if s.from_top { s.width - 1 - n } else { n };
                    let wanted = (s.wanted)(a, s.width);
                    let found = (0..s.width).find(|&n| (a >> at(n) & 1 == 1) == wanted);
                    prop_assert_eq!(value(s.f, a), found.map_or(0xffff_ffff, u64::from));
                }
            }
        }

        #[test]
        fn ones_and_zeroes_are_counted(a: u64) {
            let tables: [(ScalarFn, u32, u64); 4] =
                [(bcnt0_b32, 32, 0), (bcnt0_b64, 64, 0), (bcnt1_b32, 32, 1), (bcnt1_b64, 64, 1)];
            for (f, width, bit) in tables {
                let a = cut(a, width);
                let all = (0..width).filter(|n| a >> n & 1 == bit).count() as u64;
                let s = Sources { a, ..Sources::default() };
                prop_assert_eq!(f(&s), Results::new(all, all != 0));
            }
        }
    }
}
