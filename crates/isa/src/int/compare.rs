//! Comparisons: `ISETP`, `IMNMX`, and how a comparison joins a predicate.

use super::{has, mask_where};
use crate::{Mask, Results, Sources, WARP};

/// How a comparison is joined with predicate source 0 (bits 0-1 of the modifiers).
pub mod join {
    /// `cmp & p`.
    pub const AND: u32 = 0;
    /// `cmp | p`.
    pub const OR: u32 = 1;
    /// `cmp ^ p`.
    pub const XOR: u32 = 2;
}

/// Comparison codes, as in the encoding.
pub mod cmp {
    /// Never.
    pub const F: u32 = 0;
    /// Less.
    pub const LT: u32 = 1;
    /// Equal.
    pub const EQ: u32 = 2;
    /// Less or equal.
    pub const LE: u32 = 3;
    /// Greater.
    pub const GT: u32 = 4;
    /// Not equal.
    pub const NE: u32 = 5;
    /// Greater or equal.
    pub const GE: u32 = 6;
    /// Always.
    pub const T: u32 = 7;
}

/// Modifier bit of [`isetp`]: `.EX`, the low words' answer is predicate source 1.
pub const EX: u32 = 2;

/// The comparison `OP` of two words.
#[inline]
fn holds<const OP: u32, const SIGNED: bool>(a: u32, b: u32) -> bool {
    // Adding 2^31 to both turns a signed comparison into an unsigned one.
    let bias = if SIGNED { 0x8000_0000 } else { 0 };
    let (a, b) = (a ^ bias, b ^ bias);
    match OP {
        cmp::F => false,
        cmp::LT => a < b,
        cmp::EQ => a == b,
        cmp::LE => a <= b,
        cmp::GT => a > b,
        cmp::NE => a != b,
        cmp::GE => a >= b,
        _ => true,
    }
}

/// Both predicate results of a `xSETP`: the comparison and its complement,
/// each joined with `p`.
#[inline]
pub fn joined(how: u32, compared: Mask, p: Mask) -> [Mask; 2] {
    match how & 3 {
        join::AND => [compared & p, !compared & p],
        join::OR => [compared | p, !compared | p],
        _ => [compared ^ p, !compared ^ p],
    }
}

/// `ISETP`: joins the comparison of A and B with predicate source 0. With
/// [`EX`], equal words take the answer of the low words from predicate source 1.
pub fn isetp<const OP: u32, const SIGNED: bool>(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    let mut m = mask_where(|i| holds::<OP, SIGNED>(a[i], b[i]));
    if has(mods, EX) && OP != cmp::F && OP != cmp::T {
        let equal = mask_where(|i| a[i] == b[i]);
        m = m & !equal | s.p[1] & equal;
    }
    r.p = joined(mods, m, s.p[0]);
}

/// The [`isetp`] of a comparison code.
pub fn isetp_for(op: u32, signed: bool) -> crate::AluFn {
    macro_rules! pick {
        ($($code:ident)*) => {
            match (op & 7, signed) {
                $((cmp::$code, true) => isetp::<{ cmp::$code }, true>,
                  (cmp::$code, false) => isetp::<{ cmp::$code }, false>,)*
                _ => isetp::<{ cmp::T }, false>,
            }
        };
    }
    pick!(F LT EQ LE GT NE GE)
}

/// `IMNMX` where the choice is fixed: minimum or maximum of A and B.
pub fn imnmx_fixed<const MIN: bool, const SIGNED: bool>(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    for i in 0..WARP {
        let (x, y) = (a[i], b[i]);
        r.d[0][i] = match (MIN, SIGNED) {
            (true, true) => (x as i32).min(y as i32) as u32,
            (true, false) => x.min(y),
            (false, true) => (x as i32).max(y as i32) as u32,
            (false, false) => x.max(y),
        };
    }
}

/// `IMNMX`: minimum in the lanes of predicate source 0, maximum elsewhere.
pub fn imnmx<const SIGNED: bool>(_: u32, s: &Sources<'_>, r: &mut Results) {
    let mut least = Results::default();
    imnmx_fixed::<true, SIGNED>(0, s, &mut least);
    imnmx_fixed::<false, SIGNED>(0, s, r);
    for i in 0..WARP {
        if s.p[0] >> i & 1 == 1 {
            r.d[0][i] = least.d[0][i];
        }
    }
}

/// `IABS` of B.
pub fn iabs(_: u32, s: &Sources<'_>, r: &mut Results) {
    let b = s.b();
    for i in 0..WARP {
        r.d[0][i] = (b[i] as i32).unsigned_abs();
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, of_lane, operands};
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn expected(op: u32, order: Ordering) -> bool {
        match op {
            cmp::F => false,
            cmp::LT => order.is_lt(),
            cmp::EQ => order.is_eq(),
            cmp::LE => order.is_le(),
            cmp::GT => order.is_gt(),
            cmp::NE => order.is_ne(),
            cmp::GE => order.is_ge(),
            _ => true,
        }
    }

    fn order(signed: bool, a: u32, b: u32) -> Ordering {
        if signed { (a as i32).cmp(&(b as i32)) } else { a.cmp(&b) }
    }

    proptest! {
        #[test]
        fn isetp_compares_and_joins(o in operands(), op in 0u32..8, signed: bool, how in 0u32..3) {
            let out = o.run(isetp_for(op, signed), how);
            for lane in 0..WARP {
                let [a, _, b, ..] = o.lane(lane);
                let c = expected(op, order(signed, a, b));
                let p = o.preds(lane)[0];
                let want = match how {
                    0 => (c && p, !c && p),
                    1 => (c || p, !c || p),
                    _ => (c != p, c == p),
                };
                let (_, _, x, y) = of_lane(&out, lane);
                prop_assert_eq!((x, y), want);
            }
        }

        /// The compiler compares 64-bit values as an unsigned low half, then `.EX`.
        #[test]
        fn extended_compare_is_a_64_bit_compare(x: u64, y: u64, same_high: bool, op in 1u32..7) {
            let y = if same_high { y & 0xffff_ffff | x & !0xffff_ffff } else { y };
            for signed in [false, true] {
                let mut low = Operands::splat(x as u32, y as u32, 0);
                low.p[0] = u32::MAX;
                let low = low.run(isetp_for(op, false), join::AND);
                let mut high = Operands::splat((x >> 32) as u32, (y >> 32) as u32, 0);
                high.p = [u32::MAX, low.p[0], 0];
                let got = high.run(isetp_for(op, signed), 1 << EX).p[0];
                let ord = if signed { (x as i64).cmp(&(y as i64)) } else { x.cmp(&y) };
                prop_assert_eq!(got, if expected(op, ord) { u32::MAX } else { 0 });
            }
        }

        #[test]
        fn min_max_and_abs(o in operands()) {
            let signed = o.run(imnmx::<true>, 0);
            let unsigned = o.run(imnmx::<false>, 0);
            let abs = o.run(iabs, 0);
            for lane in 0..WARP {
                let [a, _, b, ..] = o.lane(lane);
                let pick = |ord: Ordering| {
                    let least = if ord.is_lt() { a } else { b };
                    let most = if ord.is_lt() { b } else { a };
                    if o.preds(lane)[0] { least } else { most }
                };
                prop_assert_eq!(signed.d[0][lane], pick(order(true, a, b)));
                prop_assert_eq!(unsigned.d[0][lane], pick(order(false, a, b)));
                prop_assert_eq!(abs.d[0][lane], (b as i32).wrapping_abs() as u32);
            }
        }
    }
}
