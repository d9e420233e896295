//! Single precision: sums, products, both at once.
//!
//! The usual modes (to nearest, denormals all flushed or all kept) are loops
//! that the compiler turns into vector code; every other mode takes the exact
//! arithmetic, lane by lane.

use upset_lanes::fp::odd::add_odd;
use upset_lanes::fp::{Format, Rounding, exact};

use super::each::{each2, each3};
use super::nan::{INF32, Rules, SIGN32, flush32, is_nan32, nan32};
use super::vector::{Results, Sources};

#[inline(always)]
fn seen<const FLUSH: bool>(x: u32) -> u32 {
    if FLUSH { flush32(x) } else { x }
}

/// A number of the host as a result: its denormals flushed, its NaN ours.
#[inline(always)]
fn leave<const FLUSH: bool>(x: f32, nan: u32) -> u32 {
    if x.is_nan() { nan } else { seen::<FLUSH>(x.to_bits()) }
}

#[inline(always)]
fn near2<const FLUSH: bool>(a: u32, b: u32, f: impl Fn(f32, f32) -> f32) -> u32 {
    let (a, b) = (seen::<FLUSH>(a), seen::<FLUSH>(b));
    leave::<FLUSH>(f(f32::from_bits(a), f32::from_bits(b)), nan32([a, b]))
}

/// An operation on two sources: the host's, or the exact one.
#[inline(always)]
fn two(
    s: &Sources<'_>,
    r: &mut Results,
    near: impl Fn(f32, f32) -> f32,
    slow: impl Fn(Format, [u64; 2], Rounding) -> u64,
) {
    let rules = Rules::single(s.mode);
    let to = &mut r.d[0];
    match rules.nearest() {
        Some(true) => each2(s, to, |a, b| near2::<true>(a, b, &near)),
        Some(false) => each2(s, to, |a, b| near2::<false>(a, b, &near)),
        None => each2(s, to, |a, b| rules.exact([a.into(), b.into()], &slow) as u32),
    }
}

/// `v_add_f32`.
pub fn add_f32(s: &Sources<'_>, r: &mut Results) {
    two(s, r, |a, b| a + b, |f, [a, b], rm| exact::add(f, a, b, rm));
}

/// `v_sub_f32`, and `v_subrev_f32`, whose sources are exchanged before.
pub fn sub_f32(s: &Sources<'_>, r: &mut Results) {
    two(s, r, |a, b| a - b, |f, [a, b], rm| exact::add(f, a, b ^ f.sign_bit(), rm));
}

/// `v_mul_f32`.
pub fn mul_f32(s: &Sources<'_>, r: &mut Results) {
    two(s, r, |a, b| a * b, |f, [a, b], rm| exact::mul(f, a, b, rm));
}

/// Is it a zero, of either sign?
#[inline(always)]
fn is_zero(x: u32) -> bool {
    x & !SIGN32 == 0
}

#[inline(always)]
fn legacy_product(rules: Rules, a: u32, b: u32) -> u32 {
    let zero = is_zero(rules.source(a.into()) as u32) | is_zero(rules.source(b.into()) as u32);
    let product = rules.exact([a.into(), b.into()], |f, [a, b], rm| exact::mul(f, a, b, rm));
    if zero { 0 } else { product as u32 }
}

#[inline(always)]
fn near_legacy_product<const FLUSH: bool>(a: u32, b: u32) -> u32 {
    let zero = is_zero(seen::<FLUSH>(a)) | is_zero(seen::<FLUSH>(b));
    let product = near2::<FLUSH>(a, b, |a, b| a * b);
    if zero { 0 } else { product }
}

/// `v_mul_legacy_f32`: zero times anything is plus zero.
pub fn mul_legacy_f32(s: &Sources<'_>, r: &mut Results) {
    let rules = Rules::single(s.mode);
    let to = &mut r.d[0];
    match rules.nearest() {
        Some(true) => each2(s, to, near_legacy_product::<true>),
        Some(false) => each2(s, to, near_legacy_product::<false>),
        None => each2(s, to, |a, b| legacy_product(rules, a, b)),
    }
}

#[inline(always)]
fn is_lit_limit(b: u32, c: u32) -> bool {
    // Minus the largest number, minus infinity, NaN; not above zero, NaN.
    let odd_factor = b == 0xff7f_ffff || b == INF32 | SIGN32 || is_nan32(b);
    // A denormal is above zero here only where the mode keeps it.
    odd_factor || c & SIGN32 != 0 || is_zero(c) || is_nan32(c)
}

/// `v_mullit_f32`: the legacy product, or minus the largest number where the
/// exponent (B) or the light (C) is out of range.
pub fn mullit_f32(s: &Sources<'_>, r: &mut Results) {
    let rules = Rules::single(s.mode);
    each3(s, &mut r.d[0], |a, b, c| {
        let (b_seen, c_seen) = (rules.source(b.into()) as u32, rules.source(c.into()) as u32);
        if is_lit_limit(b_seen, c_seen) { 0xff7f_ffff } else { legacy_product(rules, a, b) }
    });
}

/// Product rounded, then sum rounded. `zero_wins` is the legacy rule.
#[inline(always)]
fn near_mad(a: u32, b: u32, c: u32, zero_wins: bool) -> u32 {
    let (a, b, c) = (flush32(a), flush32(b), flush32(c));
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let product = flush32((x * y).to_bits());
    let gone = zero_wins & (is_zero(a) | is_zero(b));
    let product = if gone { 0 } else { product };
    let sum = f32::from_bits(product) + f32::from_bits(c);
    // A NaN that is multiplied by a legacy zero is gone.
    let nan = if gone { nan32([c]) } else { nan32([a, b, c]) };
    leave::<true>(sum, nan)
}

fn slow_mad(rules: Rules, a: u32, b: u32, c: u32, zero_wins: bool) -> u32 {
    let gone = zero_wins && (is_zero(flush32(a)) || is_zero(flush32(b)));
    let (a, b) = if gone { (0, 0) } else { (a, b) };
    let result = rules.exact([a, b, c].map(u64::from), |f, [a, b, c], rm| {
        let product = exact::mul(f, a, b, rm);
        exact::add(f, f.flush(product), c, rm)
    });
    result as u32
}

/// Denormals are flushed whatever the mode says (CLRX; LLVM's
/// `isFMADLegalForFAddFSub` relies on it).
#[inline(always)]
fn mad(s: &Sources<'_>, r: &mut Results, zero_wins: bool) {
    let rules = Rules::single(s.mode).flushing();
    let to = &mut r.d[0];
    match rules.nearest() {
        Some(_) => each3(s, to, |a, b, c| near_mad(a, b, c, zero_wins)),
        None => each3(s, to, |a, b, c| slow_mad(rules, a, b, c, zero_wins)),
    }
}

/// `v_mad_f32`, `v_mac_f32`, `v_madmk_f32`, `v_madak_f32`: not fused.
pub fn mad_f32(s: &Sources<'_>, r: &mut Results) {
    mad(s, r, false);
}

/// `v_mad_legacy_f32`, `v_mac_legacy_f32`: zero times anything is plus zero.
pub fn mad_legacy_f32(s: &Sources<'_>, r: &mut Results) {
    mad(s, r, true);
}

/// `a * b + c` times `2^by`, rounded once: the product of two singles is exact
/// as a double, and a sum rounded to odd is as good as the exact one.
#[inline(always)]
pub fn near_fma<const FLUSH: bool>(a: u32, b: u32, c: u32, scale: f64) -> u32 {
    let (a, b, c) = (seen::<FLUSH>(a), seen::<FLUSH>(b), seen::<FLUSH>(c));
    let wide = |x: u32| f64::from(f32::from_bits(x));
    let sum = add_odd(wide(a) * wide(b), wide(c)) * scale;
    leave::<FLUSH>(sum as f32, nan32([a, b, c]))
}

/// `v_fma_f32`.
pub fn fma_f32(s: &Sources<'_>, r: &mut Results) {
    let rules = Rules::single(s.mode);
    let to = &mut r.d[0];
    match rules.nearest() {
        Some(true) => each3(s, to, |a, b, c| near_fma::<true>(a, b, c, 1.0)),
        Some(false) => each3(s, to, |a, b, c| near_fma::<false>(a, b, c, 1.0)),
        None => each3(s, to, |a, b, c| {
            let sources = [a, b, c].map(u64::from);
            rules.exact(sources, |f, [a, b, c], rm| exact::fma(f, a, b, c, rm)) as u32
        }),
    }
}

/// Beyond this any exponent overflows, or leaves nothing.
const FAR: i32 = 400;

#[inline(always)]
fn near_ldexp<const FLUSH: bool>(a: u32, b: u32) -> u32 {
    let a = seen::<FLUSH>(a);
    let power = ((b as i32).clamp(-FAR, FAR) + 1023) as u64;
    let scaled = f64::from(f32::from_bits(a)) * f64::from_bits(power << 52);
    leave::<FLUSH>(scaled as f32, nan32([a]))
}

/// `v_ldexp_f32`: A times two to the power of B, an integer.
pub fn ldexp_f32(s: &Sources<'_>, r: &mut Results) {
    let rules = Rules::single(s.mode);
    let to = &mut r.d[0];
    match rules.nearest() {
        Some(true) => each2(s, to, near_ldexp::<true>),
        Some(false) => each2(s, to, near_ldexp::<false>),
        None => each2(s, to, |a, b| {
            let by = (b as i32).clamp(-FAR, FAR);
            let scaled = |f, [a]: [u64; 1], rm| exact::Number::unpack(f, a).scale(by).pack(f, rm);
            rules.exact([a.into()], scaled) as u32
        }),
    }
}

#[cfg(test)]
mod tests;
