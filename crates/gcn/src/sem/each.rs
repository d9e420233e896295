//! Lane by lane: loops that the compiler turns into vector code, as long as
//! what is done to a lane has no branches.

use upset_lanes::{Lanes, Mask, WARP};

use super::vector::{Results, Sources};

/// 32 bits to 32 bits.
#[inline(always)]
pub fn each(s: &Sources<'_>, r: &mut Results, f: impl Fn(u32) -> u32) {
    for (d, &a) in r.d[0].iter_mut().zip(s.a()) {
        *d = f(a);
    }
}

/// 32 bits to 64 bits.
#[inline(always)]
pub fn each_to64(s: &Sources<'_>, r: &mut Results, f: impl Fn(u32) -> u64) {
    for (lane, &a) in s.a().iter().enumerate() {
        r.set64(lane, f(a));
    }
}

/// 64 bits to 32 bits.
#[inline(always)]
pub fn each_from64(s: &Sources<'_>, r: &mut Results, f: impl Fn(u64) -> u32) {
    for (lane, d) in r.d[0].iter_mut().enumerate() {
        *d = f(s.a64(lane));
    }
}

/// 64 bits to 64 bits.
#[inline(always)]
pub fn each64(s: &Sources<'_>, r: &mut Results, f: impl Fn(u64) -> u64) {
    for lane in 0..WARP {
        r.set64(lane, f(s.a64(lane)));
    }
}

/// Each lane of two sources.
#[inline(always)]
pub fn each2(s: &Sources<'_>, to: &mut Lanes, f: impl Fn(u32, u32) -> u32) {
    let (a, b) = (s.a(), s.b());
    for l in 0..32 {
        to[l] = f(a[l], b[l]);
    }
}

/// Each lane of three sources.
#[inline(always)]
pub fn each3(s: &Sources<'_>, to: &mut Lanes, f: impl Fn(u32, u32, u32) -> u32) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for l in 0..32 {
        to[l] = f(a[l], b[l], c[l]);
    }
}

/// Each lane of two sources of 64 bits.
#[inline(always)]
pub fn each2x64(s: &Sources<'_>, r: &mut Results, f: impl Fn(u64, u64) -> u64) {
    for l in 0..32 {
        r.set64(l, f(s.a64(l), s.b64(l)));
    }
}

/// Each lane of three sources of 64 bits.
#[inline(always)]
pub fn each3x64(s: &Sources<'_>, r: &mut Results, f: impl Fn(u64, u64, u64) -> u64) {
    for l in 0..32 {
        r.set64(l, f(s.a64(l), s.b64(l), s.c64(l)));
    }
}

/// A bit for each lane.
#[inline(always)]
pub fn gather(f: impl Fn(usize) -> bool) -> Mask {
    let mut bits = 0;
    for l in 0..32 {
        bits |= Mask::from(f(l)) << l;
    }
    bits
}
