//! Sums, minima and maxima of words and of pairs of halves (sm_90): `VIADD`,
//! `VIADDMNMX`, `VIMNMX`, `VIMNMX3`.
//!
//! What is done to each word is fixed when an instruction is lowered (`M`, made
//! of the bits of [`kind`]), so that the loops over lanes have no branch.

use super::{has, mask_where};
use crate::{AluFn, Results, Sources, WARP};

/// How operands are taken: bits of `M`.
pub mod kind {
    /// Signed.
    pub const SIGNED: u32 = 1;
    /// Two halves of 16 bits, each for itself.
    pub const HALVES: u32 = 2;
    /// The result is not below 0. With [`SIGNED`] only.
    pub const RELU: u32 = 4;
}

/// Modifier bit of [`viadd_halves`] and [`viaddmnmx_for`]: negate B.
pub const NEG_B: u32 = 0;

/// The same operation on both halves.
#[inline(always)]
fn halves(x: u32, y: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let (low, high) = (f(x as u16, y as u16), f((x >> 16) as u16, (y >> 16) as u16));
    u32::from(low) | u32::from(high) << 16
}

#[inline(always)]
fn sum<const M: u32>(x: u32, y: u32) -> u32 {
    match M & kind::HALVES {
        0 => x.wrapping_add(y),
        _ => halves(x, y, u16::wrapping_add),
    }
}

#[inline(always)]
fn negated<const M: u32>(x: u32) -> u32 {
    match M & kind::HALVES {
        0 => x.wrapping_neg(),
        _ => halves(0, x, u16::wrapping_sub),
    }
}

#[inline(always)]
fn least<const M: u32>(x: u32, y: u32) -> u32 {
    match (M & kind::HALVES != 0, M & kind::SIGNED != 0) {
        (false, false) => x.min(y),
        (false, true) => (x as i32).min(y as i32) as u32,
        (true, false) => halves(x, y, u16::min),
        (true, true) => halves(x, y, |x, y| (x as i16).min(y as i16) as u16),
    }
}

#[inline(always)]
fn most<const M: u32>(x: u32, y: u32) -> u32 {
    match (M & kind::HALVES != 0, M & kind::SIGNED != 0) {
        (false, false) => x.max(y),
        (false, true) => (x as i32).max(y as i32) as u32,
        (true, false) => halves(x, y, u16::max),
        (true, true) => halves(x, y, |x, y| (x as i16).max(y as i16) as u16),
    }
}

/// The result of a lane whose minimum and maximum are given.
#[inline(always)]
fn chosen<const M: u32>(min: bool, low: u32, high: u32) -> u32 {
    let x = if min { low } else { high };
    if M & kind::RELU != 0 { most::<M>(x, 0) } else { x }
}

/// `VIMNMX`: minimum of A and B in the lanes of predicate source 0, maximum
/// elsewhere. Predicate 0 tells where the low half is A's, predicate 1 where
/// the high half is (of halves only).
fn vimnmx<const M: u32>(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    for i in 0..WARP {
        let min = s.p[0] >> i & 1 == 1;
        r.d[0][i] = chosen::<M>(min, least::<M>(a[i], b[i]), most::<M>(a[i], b[i]));
    }
    let d = &r.d[0];
    r.p = [mask_where(|i| d[i] as u16 == a[i] as u16), mask_where(|i| d[i] >> 16 == a[i] >> 16)];
}

/// `VIMNMX3`: the same of A, B and C.
fn vimnmx3<const M: u32>(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        let min = s.p[0] >> i & 1 == 1;
        let low = least::<M>(least::<M>(a[i], b[i]), c[i]);
        let high = most::<M>(most::<M>(a[i], b[i]), c[i]);
        r.d[0][i] = chosen::<M>(min, low, high);
    }
}

/// `VIADDMNMX`: the same of the sum of A and B, and C. The sum wraps.
fn viaddmnmx<const M: u32>(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        let min = s.p[0] >> i & 1 == 1;
        let b = if has(mods, NEG_B) { negated::<M>(b[i]) } else { b[i] };
        let x = sum::<M>(a[i], b);
        r.d[0][i] = chosen::<M>(min, least::<M>(x, c[i]), most::<M>(x, c[i]));
    }
}

/// `VIADD.16x2`: sums of both halves, each for itself.
pub fn viadd_halves(mods: u32, s: &Sources<'_>, r: &mut Results) {
    const HALVES: u32 = kind::HALVES;
    let (a, b) = (s.a(), s.b());
    for i in 0..WARP {
        let b = if has(mods, NEG_B) { negated::<HALVES>(b[i]) } else { b[i] };
        r.d[0][i] = sum::<HALVES>(a[i], b);
    }
}

macro_rules! by_kind {
    ($($(#[$doc:meta])* $name:ident: $of:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(m: u32) -> Option<AluFn> {
            Some(match m {
                0 => $of::<0>,
                1 => $of::<1>,
                2 => $of::<2>,
                3 => $of::<3>,
                5 => $of::<5>,
                7 => $of::<7>,
                _ => return None,
            })
        })*
    };
}

by_kind! {
    /// The `VIMNMX` of a [`kind`]; none for one that is not known.
    vimnmx_for: vimnmx;
    /// The `VIMNMX3` of a [`kind`]; none for one that is not known.
    vimnmx3_for: vimnmx3;
    /// The `VIADDMNMX` of a [`kind`]; none for one that is not known.
    viaddmnmx_for: viaddmnmx;
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, operands};
    use super::*;
    use proptest::prelude::*;

    const KINDS: [u32; 6] = [0, 1, 2, 3, 5, 7];

    /// A word as the numbers that the kind sees in it.
    fn numbers(m: u32, x: u32) -> Vec<i64> {
        let number = |bits: u32, width: u32| match m & kind::SIGNED {
            0 => i64::from(bits),
            _ => i64::from((bits << (32 - width)) as i32 >> (32 - width)),
        };
        match m & kind::HALVES {
            0 => vec![number(x, 32)],
            _ => vec![number(x & 0xffff, 16), number(x >> 16, 16)],
        }
    }

    /// A sum, taken back into the range of the kind.
    fn wrapped(m: u32, x: i64) -> i64 {
        let bits = if m & kind::HALVES != 0 { x as u32 & 0xffff } else { x as u32 };
        numbers(m, bits)[0]
    }

    fn extreme(m: u32, min: bool, of: &[i64]) -> i64 {
        let x = if min { of.iter().min() } else { of.iter().max() };
        let x = *x.expect("operands");
        if m & kind::RELU != 0 { x.max(0) } else { x }
    }

    proptest! {
        #[test]
        fn each_number_of_each_lane(o in operands(), n in 0usize..6, negate: bool) {
            let m = KINDS[n];
            let two = o.run(vimnmx_for(m).unwrap(), 0);
            let three = o.run(vimnmx3_for(m).unwrap(), 0);
            let sum = o.run(viaddmnmx_for(m).unwrap(), u32::from(negate) << NEG_B);
            for lane in 0..WARP {
                let [a, _, b, _, c, _] = o.lane(lane);
                let min = o.preds(lane)[0];
                let (a, b, c) = (numbers(m, a), numbers(m, b), numbers(m, c));
                for k in 0..a.len() {
                    let with = if negate { a[k] - b[k] } else { a[k] + b[k] };
                    let got = |r: &Results| numbers(m, r.d[0][lane])[k];
                    prop_assert_eq!(got(&two), extreme(m, min, &[a[k], b[k]]));
                    prop_assert_eq!(got(&three), extreme(m, min, &[a[k], b[k], c[k]]));
                    prop_assert_eq!(got(&sum), extreme(m, min, &[wrapped(m, with), c[k]]));
                    if m & kind::HALVES != 0 {
                        prop_assert_eq!(two.p[k] >> lane & 1 == 1, got(&two) == a[k]);
                    }
                }
            }
        }

        #[test]
        fn halves_are_added_apart(a: u32, b: u32) {
            let run = |negate: u32| Operands::splat(a, b, 0).run(viadd_halves, negate).d[0][5];
            let (plus, minus) = (run(0), run(1 << NEG_B));
            prop_assert_eq!(plus & 0xffff, a.wrapping_add(b) & 0xffff);
            prop_assert_eq!(plus >> 16, (a >> 16).wrapping_add(b >> 16) & 0xffff);
            prop_assert_eq!(minus & 0xffff, a.wrapping_sub(b) & 0xffff);
            prop_assert_eq!(minus >> 16, (a >> 16).wrapping_sub(b >> 16) & 0xffff);
        }
    }

    #[test]
    fn no_unsigned_number_is_kept_from_falling_below_0() {
        assert!(vimnmx_for(kind::RELU).is_none());
        assert!(vimnmx3_for(kind::RELU | kind::HALVES).is_none());
        assert!(viaddmnmx_for(8).is_none());
    }
}
