//! Double-precision operations.

use super::mods::{self, sign_masks64};
use super::{LANE_BIT, WideOp, set_predicates, wide};
use crate::fp::double;
use crate::fp::lane::add_odd;
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
    let mut nan = 0;
    for i in 0..WARP {
        let x = f64::from_bits(s.a64(i) & aa ^ ax) + f64::from_bits(s.b64(i) & ba ^ bx);
        nan |= if x.is_nan() { u64::MAX } else { 0 };
        r.set64(i, x.to_bits());
    }
    if nan != 0 {
        each::<2>(m, s, r, |a, b, _| double::add_nearest(a, b));
    }
}

fn mul_nearest(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks64(m, 0), sign_masks64(m, 1));
    let mut nan = 0;
    for i in 0..WARP {
        let x = f64::from_bits(s.a64(i) & aa ^ ax) * f64::from_bits(s.b64(i) & ba ^ bx);
        nan |= if x.is_nan() { u64::MAX } else { 0 };
        r.set64(i, x.to_bits());
    }
    if nan != 0 {
        each::<2>(m, s, r, |a, b, _| double::mul_nearest(a, b));
    }
}

fn fma_nearest(m: u32, s: &Sources<'_>, r: &mut Results) {
    wide::<Fma>(m, s, r);
}

struct Fma;

impl WideOp for Fma {
    #[inline(always)]
    fn run<const FUSED: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
        if FUSED { fma_fused(m, s, r) } else { fma_in_parts(m, s, r) }
    }
}

/// By the host's own, where that is one instruction.
#[inline(always)]
fn fma_fused(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx), (ca, cx)) =
        (sign_masks64(m, 0), sign_masks64(m, 1), sign_masks64(m, 2));
    let mut nan = 0;
    for i in 0..WARP {
        let [a, b, c] =
            [s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx, s.c64(i) & ca ^ cx].map(f64::from_bits);
        let x = a.mul_add(b, c);
        nan |= if x.is_nan() { u64::MAX } else { 0 };
        r.set64(i, x.to_bits());
    }
    if nan != 0 {
        each::<3>(m, s, r, double::fma_nearest);
    }
}

/// From error-free parts, where it would be a call for each lane.
#[inline(always)]
fn fma_in_parts(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx), (ca, cx)) =
        (sign_masks64(m, 0), sign_masks64(m, 1), sign_masks64(m, 2));
    // Who executes it and has operands that need the long way, and the low words of
    // the factors of all who execute it.
    let (mut outside, mut low) = (0, [0; 2]);
    for (i, bit) in LANE_BIT.iter().enumerate() {
        let range = double::fma_factor_range(s.r[0][i], s.r[1][i])
            | double::fma_factor_range(s.r[2][i], s.r[3][i])
            | double::fma_addend_range(s.r[4][i], s.r[5][i]);
        let here = if s.active & bit != 0 { u32::MAX } else { 0 };
        outside |= if range >> 31 != 0 { *bit } else { 0 };
        low[0] |= s.r[0][i] & here;
        low[1] |= s.r[2][i] & here;
    }
    // Through arrays of doubles: words interleaved on the fly do not vectorise.
    let a: [f64; WARP] = std::array::from_fn(|i| f64::from_bits(s.a64(i) & aa ^ ax));
    let b: [f64; WARP] = std::array::from_fn(|i| f64::from_bits(s.b64(i) & ba ^ bx));
    let c: [f64; WARP] = std::array::from_fn(|i| f64::from_bits(s.c64(i) & ca ^ cx));
    if low[0].trailing_zeros() + low[1].trailing_zeros() >= f64::MANTISSA_DIGITS {
        // All products are exact (factors come from single precision, say): one sum
        // rounds.
        for i in 0..WARP {
            r.set64(i, (a[i] * b[i] + c[i]).to_bits());
        }
    } else {
        let mut parts = [[0.0; WARP]; 3];
        for i in 0..WARP {
            let (v, e1, e2) = double::fma_parts(a[i], b[i], c[i]);
            parts[0][i] = v;
            parts[1][i] = e1;
            parts[2][i] = e2;
        }
        for i in 0..WARP {
            r.set64(i, (parts[0][i] + add_odd(parts[1][i], parts[2][i])).to_bits());
        }
    }
    if outside & s.active != 0 {
        each::<3>(m, &Sources { active: outside & s.active, ..*s }, r, double::fma_nearest);
    }
}

/// Runs `f` on the sign-modified A, B, C of every lane that executes. A NaN
/// passes by the sign modifiers (an H200).
fn each<const OPERANDS: usize>(
    m: u32,
    s: &Sources<'_>,
    r: &mut Results,
    f: impl Fn(u64, u64, u64) -> u64,
) {
    let ((aa, ax), (ba, bx), (ca, cx)) =
        (sign_masks64(m, 0), sign_masks64(m, 1), sign_masks64(m, 2));
    for i in 0..WARP {
        if s.active & LANE_BIT[i] != 0 {
            let (a, b) = (s.a64(i), s.b64(i));
            let c = if OPERANDS == 3 { s.c64(i) } else { 0 };
            let number = || f(a & aa ^ ax, b & ba ^ bx, c & ca ^ cx);
            r.set64(i, double::propagated(a, b, c).unwrap_or_else(number));
        }
    }
}

fn add_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let rm = mods::get_rounding(m);
    each::<2>(m, s, r, |a, b, _| double::add(a, b, rm));
}

fn mul_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let rm = mods::get_rounding(m);
    each::<2>(m, s, r, |a, b, _| double::mul(a, b, rm));
}

fn fma_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let rm = mods::get_rounding(m);
    each::<3>(m, s, r, |a, b, c| double::fma(a, b, c, rm));
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

/// `DSETP`. The `.MIN`/`.MAX` forms answer "take A" in the first predicate,
/// combined with the predicate source, and "both are NaN" in the second, as it
/// is (an H200): compilers build `fmin(double)` from them.
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
        let wins = if m & MAX != 0 { key(a) > key(b) } else { key(a) <= key(b) };
        if !a_nan && (b_nan || wins) {
            take_a |= LANE_BIT[i];
        }
        if a_nan && b_nan {
            both_nan |= LANE_BIT[i];
        }
    }
    r.p = [mods::bool_op(m).apply(take_a, s.p[0]), both_nan];
}
