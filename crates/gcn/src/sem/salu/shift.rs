//! Shifts and bit fields. Distances are taken modulo the width.

use crate::sem::scalar::{Results, Sources};

fn word(value: u32) -> Results {
    Results::new(value.into(), value != 0)
}

fn long(value: u64) -> Results {
    Results::new(value, value != 0)
}

/// `s_lshl_b32`.
pub fn lshl_b32(s: &Sources) -> Results {
    word((s.a as u32).wrapping_shl(s.b as u32))
}

/// `s_lshl_b64`.
pub fn lshl_b64(s: &Sources) -> Results {
    long(s.a.wrapping_shl(s.b as u32))
}

/// `s_lshr_b32`.
pub fn lshr_b32(s: &Sources) -> Results {
    word((s.a as u32).wrapping_shr(s.b as u32))
}

/// `s_lshr_b64`.
pub fn lshr_b64(s: &Sources) -> Results {
    long(s.a.wrapping_shr(s.b as u32))
}

/// `s_ashr_i32`.
pub fn ashr_i32(s: &Sources) -> Results {
    word((s.a as i32).wrapping_shr(s.b as u32) as u32)
}

/// `s_ashr_i64`.
pub fn ashr_i64(s: &Sources) -> Results {
    long((s.a as i64).wrapping_shr(s.b as u32) as u64)
}

/// `s_bfm_b32`: so many ones as the first source says, from the bit on that
/// the second names.
pub fn bfm_b32(s: &Sources) -> Results {
    word(((1u32 << (s.a & 31)) - 1).wrapping_shl(s.b as u32))
}

/// `s_bfm_b64`.
pub fn bfm_b64(s: &Sources) -> Results {
    long(((1u64 << (s.a & 63)) - 1).wrapping_shl(s.b as u32))
}

/// Bits that a field of the second source leaves free above and below: the
/// first bit stands in its low bits, the length in bits 16 to 22. None where
/// the field is empty; one that reaches beyond the width ends there.
fn free(b: u64, width: u32) -> Option<(u32, u32)> {
    let first = b as u32 & (width - 1);
    let length = (b >> 16) as u32 & 0x7f;
    (length > 0).then(|| (width.saturating_sub(first + length), first))
}

/// `s_bfe_u32`.
pub fn bfe_u32(s: &Sources) -> Results {
    word(free(s.b, 32).map_or(0, |(above, below)| ((s.a as u32) << above) >> (above + below)))
}

/// `s_bfe_i32`.
pub fn bfe_i32(s: &Sources) -> Results {
    let field = |(above, below)| ((s.a as i32) << above) >> (above + below);
    word(free(s.b, 32).map_or(0, field) as u32)
}

/// `s_bfe_u64`.
pub fn bfe_u64(s: &Sources) -> Results {
    long(free(s.b, 64).map_or(0, |(above, below)| (s.a << above) >> (above + below)))
}

/// `s_bfe_i64`.
pub fn bfe_i64(s: &Sources) -> Results {
    let field = |(above, below)| ((s.a as i64) << above) >> (above + below);
    long(free(s.b, 64).map_or(0, field) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sem::scalar::ScalarFn;
    use proptest::prelude::*;

    fn run(f: ScalarFn, a: u64, b: u32) -> u64 {
        let r = f(&Sources { a, b: b.into(), ..Sources::default() });
        assert_eq!(r.scc, r.value != 0);
        r.value
    }

    /// Floor of a division, which a shift of a signed number is.
    fn floor(a: i128, shift: u32) -> i128 {
        a.div_euclid(1 << shift)
    }

    /// Bits `first` up to `first + length`, gathered one by one; those from
    /// the width on repeat the last one, or are zero.
    fn gather(a: u64, width: u32, b: u32, signed: bool) -> u64 {
        let (first, length) = (b % width, (b >> 16) % 128);
        let end = (first + length).min(width);
        let bit = |n: u32| a >> n & 1;
        (0..width).fold(0, |all, n| {
            let value = match first + n {
                at if at < end => bit(at),
                _ if signed && end > first => bit(end - 1),
                _ => 0,
            };
            all | value << n
        })
    }

    proptest! {
        #[test]
        fn shifts_are_products_and_quotients(a: u64, b: u32) {
            let (low, near, far) = (a as u32, b % 32, b % 64);
            let short = u64::from(low);
            let product = |a: u64, by: u32| u128::from(a) * (1u128 << by);
            prop_assert_eq!(run(lshl_b32, short, b), u64::from(product(short, near) as u32));
            prop_assert_eq!(run(lshl_b64, a, b), product(a, far) as u64);
            prop_assert_eq!(run(lshr_b32, short, b), short / (1 << near));
            prop_assert_eq!(u128::from(run(lshr_b64, a, b)), u128::from(a) / (1 << far));
            let signed = floor(i128::from(low as i32), near);
            prop_assert_eq!(run(ashr_i32, short, b), u64::from(signed as u32));
            prop_assert_eq!(run(ashr_i64, a, b), floor(i128::from(a as i64), far) as u64);
        }

        #[test]
        fn masks_are_runs_of_ones(a: u64, b: u32) {
            let ones = |count: u64, first: u32| ((1u128 << count) - 1) << first;
            let low = a & 0xffff_ffff;
            prop_assert_eq!(run(bfm_b32, low, b), u64::from(ones(a % 32, b % 32) as u32));
            prop_assert_eq!(run(bfm_b64, low, b), ones(a % 64, b % 64) as u64);
        }

        #[test]
        fn fields_are_cut_out(a: u64, first in 0u32..256, length in 0u32..256, rest: u32) {
            let b = first | length << 16 | rest & 0xff00_ff00;
            let low = a & 0xffff_ffff;
            prop_assert_eq!(run(bfe_u32, low, b), gather(low, 32, b, false));
            prop_assert_eq!(run(bfe_i32, low, b), gather(low, 32, b, true));
            prop_assert_eq!(run(bfe_u64, a, b), gather(a, 64, b, false));
            prop_assert_eq!(run(bfe_i64, a, b), gather(a, 64, b, true));
        }
    }

    #[test]
    fn fields_at_the_edges() {
        assert_eq!(run(bfe_i32, 0xf0, 4 | 4 << 16), 0xffff_ffff);
        assert_eq!(run(bfe_u32, 0xf0, 4 | 4 << 16), 0xf);
        assert_eq!(run(bfe_i32, !0, 4), 0, "an empty field");
        assert_eq!(run(bfe_u32, 0x8000_0000, 31 | 127 << 16), 1, "beyond the last bit");
        assert_eq!(run(bfe_u64, !0, 64 << 16), !0, "all of it");
        assert_eq!(run(bfm_b32, 32, 0), 0, "the count wraps");
    }
}
