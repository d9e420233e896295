//! Double-precision operations.

use super::mods::{self, sign_masks64};
use super::{LANE_BIT, set_predicates};
use crate::fp::double;
use crate::fp::{Cond, Rounding};
use crate::{AluFn, Mask, Results, Sources, WARP};

/// `DSETP.MIN` / `.MAX`: first bit of the operation's own field, second = maximum.
pub const MIN_MAX: u32 = 1 << mods::OWN;
/// With [`MIN_MAX`]: the maximum.
pub const MAX: u32 = 2 << mods::OWN;

/// `DADD` (operands A and B).
pub fn dadd(m: u32) -> AluFn {
    if mods::get_rounding(m) == Rounding::Nearest { add_nearest } else { add_general }
}

/// `DMUL`.
pub fn dmul(m: u32) -> AluFn {
    if mods::get_rounding(m) == Rounding::Nearest { mul_nearest } else { mul_general }
}

/// `DFMA`.
pub fn dfma(m: u32) -> AluFn {
    if mods::get_rounding(m) == Rounding::Nearest { fma_nearest } else { fma_general }
}

fn add_nearest(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks64(m, 0), sign_masks64(m, 1));
    for i in 0..WARP {
        r.set64(i, double::add_nearest(s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx));
    }
}

fn mul_nearest(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks64(m, 0), sign_masks64(m, 1));
    for i in 0..WARP {
        r.set64(i, double::mul_nearest(s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx));
    }
}

fn fma_nearest(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx), (ca, cx)) =
        (sign_masks64(m, 0), sign_masks64(m, 1), sign_masks64(m, 2));
    let mut outside: Mask = 0;
    for i in 0..WARP {
        let (a, b, c) = (s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx, s.c64(i) & ca ^ cx);
        r.set64(i, double::fma_in_range(a, b, c));
        outside |= if double::fma_is_in_range(a, b, c) { 0 } else { LANE_BIT[i] };
    }
    let mut redo = outside & s.active;
    while redo != 0 {
        let i = redo.trailing_zeros() as usize;
        redo &= redo - 1;
        let (a, b, c) = (s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx, s.c64(i) & ca ^ cx);
        r.set64(i, double::fma(a, b, c, Rounding::Nearest));
    }
}

/// Runs `f` on the sign-modified A, B, C of every lane that executes.
fn each(m: u32, s: &Sources<'_>, r: &mut Results, f: impl Fn(u64, u64, u64) -> u64) {
    let ((aa, ax), (ba, bx), (ca, cx)) =
        (sign_masks64(m, 0), sign_masks64(m, 1), sign_masks64(m, 2));
    for i in 0..WARP {
        if s.active & LANE_BIT[i] != 0 {
            r.set64(i, f(s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx, s.c64(i) & ca ^ cx));
        }
    }
}

fn add_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let rm = mods::get_rounding(m);
    each(m, s, r, |a, b, _| double::add(a, b, rm));
}

fn mul_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let rm = mods::get_rounding(m);
    each(m, s, r, |a, b, _| double::mul(a, b, rm));
}

fn fma_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let rm = mods::get_rounding(m);
    each(m, s, r, |a, b, c| double::fma(a, b, c, rm));
}

fn compare(cond: Cond, m: u32, s: &Sources<'_>) -> Mask {
    let ((aa, ax), (ba, bx)) = (sign_masks64(m, 0), sign_masks64(m, 1));
    let mut mask = 0;
    for i in 0..WARP {
        let x = f64::from_bits(s.a64(i) & aa ^ ax);
        let y = f64::from_bits(s.b64(i) & ba ^ bx);
        mask |= if cond.holds(x < y, x == y, x > y) { LANE_BIT[i] } else { 0 };
    }
    mask
}

/// `DSETP`. The `.MIN`/`.MAX` forms answer "take A" in the first predicate and
/// "both are NaN" in the second: compilers build `fmin(double)` from them.
pub fn dsetp(m: u32, s: &Sources<'_>, r: &mut Results) {
    if m & MIN_MAX == 0 {
        r.p = set_predicates(m, compare(mods::cond(m), m, s), s.p[0]);
        return;
    }
    let ((aa, ax), (ba, bx)) = (sign_masks64(m, 0), sign_masks64(m, 1));
    let (mut take_a, mut both_nan) = (0, 0);
    for i in 0..WARP {
        let (a, b) = (s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx);
        let (a_nan, b_nan) = (double::is_nan(a), double::is_nan(b));
        let key = |x: u64| (x ^ (((x as i64) >> 63) as u64 >> 1)) as i64;
        let wins = if m & MAX != 0 { key(a) > key(b) } else { key(a) < key(b) };
        if !a_nan && (b_nan || wins) {
            take_a |= LANE_BIT[i];
        }
        if a_nan && b_nan {
            both_nan |= LANE_BIT[i];
        }
    }
    let op = mods::bool_op(m);
    r.p = [op.apply(take_a, s.p[0]), op.apply(both_nan, s.p[0])];
}
