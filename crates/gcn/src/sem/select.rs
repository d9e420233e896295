//! One of several values: minimum, maximum, median, and by a bit.
//!
//! Nothing is flushed here, whatever the mode says (LLVM, review D11829: not
//! before GFX9).

use super::each::{each2, each2x64, each3};
use super::nan::{QUIET32, QUIET64, is_nan32, is_nan64, is_signalling32, is_signalling64};
use super::vector::{Results, Sources};

/// `v_cndmask_b32`: B where the lane's bit is set, else A.
pub fn cndmask_b32(s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    for l in 0..32 {
        let all = (s.bits >> l & 1).wrapping_neg();
        r.d[0][l] = a[l] & !all | b[l] & all;
    }
}

/// Orders numbers as integers; minus zero comes before plus zero.
#[inline(always)]
fn key32(x: u32) -> i32 {
    (x ^ ((x as i32 >> 31) as u32 >> 1)) as i32
}

#[inline(always)]
fn key64(x: u64) -> i64 {
    (x ^ ((x as i64 >> 63) as u64 >> 1)) as i64
}

/// The value that NaN rules leave: `chosen` is the outcome for numbers. A NaN
/// loses against a number. With MODE.IEEE a signalling one wins, made quiet.
#[inline(always)]
fn ruled32<const IEEE: bool>(a: u32, b: u32, chosen: u32) -> u32 {
    let mut x = if is_nan32(b) { a } else { chosen };
    x = if is_nan32(a) { b } else { x };
    if IEEE {
        x = if is_signalling32(b) { b | QUIET32 } else { x };
        x = if is_signalling32(a) { a | QUIET32 } else { x };
    }
    x
}

#[inline(always)]
fn min32<const IEEE: bool>(a: u32, b: u32) -> u32 {
    ruled32::<IEEE>(a, b, if key32(a) < key32(b) { a } else { b })
}

#[inline(always)]
fn max32<const IEEE: bool>(a: u32, b: u32) -> u32 {
    ruled32::<IEEE>(a, b, if key32(a) > key32(b) { a } else { b })
}

/// The median; the minimum where one of them is a NaN.
#[inline(always)]
fn med32<const IEEE: bool>(a: u32, b: u32, c: u32) -> u32 {
    let any = is_nan32(a) | is_nan32(b) | is_nan32(c);
    let least = min32::<IEEE>(min32::<IEEE>(a, b), c);
    let (low, high) = if key32(a) < key32(b) { (a, b) } else { (b, a) };
    let top = if key32(c) < key32(high) { c } else { high };
    let median = if key32(top) > key32(low) { top } else { low };
    if any { least } else { median }
}

/// Defines functions of single precision that ask for MODE.IEEE once.
macro_rules! by_ieee {
    ($($(#[$doc:meta])* $name:ident: $each:ident($f:ident);)*) => {$(
        $(#[$doc])*
        pub fn $name(s: &Sources<'_>, r: &mut Results) {
            if s.mode.ieee() {
                $each(s, &mut r.d[0], $f::<true>);
            } else {
                $each(s, &mut r.d[0], $f::<false>);
            }
        }
    )*};
}

#[inline(always)]
fn min3<const IEEE: bool>(a: u32, b: u32, c: u32) -> u32 {
    min32::<IEEE>(min32::<IEEE>(a, b), c)
}

#[inline(always)]
fn max3<const IEEE: bool>(a: u32, b: u32, c: u32) -> u32 {
    max32::<IEEE>(max32::<IEEE>(a, b), c)
}

by_ieee! {
    /// `v_min_f32`.
    min_f32: each2(min32);
    /// `v_max_f32`.
    max_f32: each2(max32);
    /// `v_min3_f32`.
    min3_f32: each3(min3);
    /// `v_max3_f32`.
    max3_f32: each3(max3);
    /// `v_med3_f32`.
    med3_f32: each3(med32);
}

/// `v_min_legacy_f32`: a compare and a choice, B where the compare fails.
pub fn min_legacy_f32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| if f32::from_bits(a) < f32::from_bits(b) { a } else { b });
}

/// `v_max_legacy_f32`.
pub fn max_legacy_f32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| if f32::from_bits(a) >= f32::from_bits(b) { a } else { b });
}

#[inline(always)]
fn ruled64(ieee: bool, a: u64, b: u64, chosen: u64) -> u64 {
    if ieee && is_signalling64(a) {
        a | QUIET64
    } else if ieee && is_signalling64(b) {
        b | QUIET64
    } else if is_nan64(a) {
        b
    } else if is_nan64(b) {
        a
    } else {
        chosen
    }
}

/// `v_min_f64`.
pub fn min_f64(s: &Sources<'_>, r: &mut Results) {
    let ieee = s.mode.ieee();
    each2x64(s, r, |a, b| ruled64(ieee, a, b, if key64(a) < key64(b) { a } else { b }));
}

/// `v_max_f64`.
pub fn max_f64(s: &Sources<'_>, r: &mut Results) {
    let ieee = s.mode.ieee();
    each2x64(s, r, |a, b| ruled64(ieee, a, b, if key64(a) > key64(b) { a } else { b }));
}

/// Defines integer functions of two or three sources.
macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident: $each:ident $f:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(s: &Sources<'_>, r: &mut Results) {
            $each(s, &mut r.d[0], $f);
        }
    )*};
}

#[inline(always)]
fn median<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

integers! {
    /// `v_min_i32`.
    min_i32: each2 |a, b| (a as i32).min(b as i32) as u32;
    /// `v_max_i32`.
    max_i32: each2 |a, b| (a as i32).max(b as i32) as u32;
    /// `v_min_u32`.
    min_u32: each2 |a, b| a.min(b);
    /// `v_max_u32`.
    max_u32: each2 |a, b| a.max(b);
    /// `v_min3_i32`.
    min3_i32: each3 |a, b, c| (a as i32).min(b as i32).min(c as i32) as u32;
    /// `v_min3_u32`.
    min3_u32: each3 |a, b, c| a.min(b).min(c);
    /// `v_max3_i32`.
    max3_i32: each3 |a, b, c| (a as i32).max(b as i32).max(c as i32) as u32;
    /// `v_max3_u32`.
    max3_u32: each3 |a, b, c| a.max(b).max(c);
    /// `v_med3_i32`.
    med3_i32: each3 |a, b, c| median(a as i32, b as i32, c as i32) as u32;
    /// `v_med3_u32`.
    med3_u32: each3 median;
}

#[cfg(test)]
mod tests;
