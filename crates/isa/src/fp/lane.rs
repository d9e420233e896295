//! Single precision, one lane: written without branches so that loops over a
//! warp vectorise on any host.

use super::narrow::{is_tiny, narrow};
pub use super::odd::{add_odd, sum_odd};
use super::{Format, NAN32, Rounding};

/// Mask of the FP32 exponent field.
const EXP: u32 = 0x7f80_0000;
/// The FP32 sign bit.
const SIGN: u32 = 0x8000_0000;

/// Denormals become zero of the same sign, if `FTZ`.
#[inline(always)]
pub fn flush<const FTZ: bool>(bits: u32) -> u32 {
    let keep = if FTZ && bits & EXP == 0 { SIGN } else { u32::MAX };
    bits & keep
}

/// [`flush`] with a run-time switch.
#[inline(always)]
pub fn flush_if(ftz: bool, bits: u32) -> u32 {
    if ftz { flush::<true>(bits) } else { bits }
}

/// Clamp to `[0, 1]`; NaN and both zeroes become `+0`.
#[inline(always)]
pub fn saturate(bits: u32) -> u32 {
    let x = f32::from_bits(bits);
    let top = if x < 1.0 { bits } else { 0x3f80_0000 };
    if x > 0.0 { top } else { 0 }
}

/// What happens to every FP32 result: canonical NaN, flush, saturation.
#[inline(always)]
pub fn finish<const FTZ: bool, const SAT: bool>(x: f32) -> u32 {
    let bits = flush::<FTZ>(x.to_bits());
    if SAT {
        saturate(bits)
    } else if x.is_nan() {
        NAN32
    } else {
        bits
    }
}

/// `a + b` rounded to nearest.
#[inline(always)]
pub fn add<const FTZ: bool, const SAT: bool>(a: u32, b: u32) -> u32 {
    finish::<FTZ, SAT>(f32::from_bits(flush::<FTZ>(a)) + f32::from_bits(flush::<FTZ>(b)))
}

/// Zero of the same sign for what becomes a denormal single (see [`is_tiny`]).
#[inline(always)]
fn flush_tiny(ftz: bool, rm: Rounding, x: f64) -> f64 {
    if ftz & is_tiny(Format::F32, rm, x) { 0f64.copysign(x) } else { x }
}

/// `a * b` rounded to nearest.
#[inline(always)]
pub fn mul<const FTZ: bool, const SAT: bool>(a: u32, b: u32) -> u32 {
    let [a, b] = [a, b].map(|x| f64::from(f32::from_bits(flush::<FTZ>(x))));
    finish::<FTZ, SAT>(flush_tiny(FTZ, Rounding::Nearest, a * b) as f32)
}

/// [`mul`] from the rounded product alone, which can only be wrong where that
/// is the smallest normal number: the top bit of the second result says so.
#[inline(always)]
pub fn mul_or_edge<const FTZ: bool, const SAT: bool>(a: u32, b: u32) -> (u32, u32) {
    edge::<FTZ, SAT>(f32::from_bits(flush::<FTZ>(a)) * f32::from_bits(flush::<FTZ>(b)))
}

/// `a * b + c` rounded once, to nearest.
///
/// The product of two singles is exact in double; the sum is rounded to odd,
/// which a second rounding cannot tell from the exact value.
#[inline(always)]
pub fn fma<const FTZ: bool, const SAT: bool>(a: u32, b: u32, c: u32) -> u32 {
    let [a, b, c] = [a, b, c].map(|x| f64::from(f32::from_bits(flush::<FTZ>(x))));
    finish::<FTZ, SAT>(flush_tiny(FTZ, Rounding::Nearest, add_odd(a * b, c)) as f32)
}

/// [`fma`] rounded twice, which can only be wrong where the double looks like a
/// tie between singles: the top bit of the second result says so.
#[inline(always)]
pub fn fma_or_tie<const FTZ: bool, const SAT: bool>(a: u32, b: u32, c: u32) -> (u32, u32) {
    let [a, b, c] = [a, b, c].map(|x| f64::from(f32::from_bits(flush::<FTZ>(x))));
    let sum = a * b + c;
    let (low, high) = (sum.to_bits() as u32, (sum.to_bits() >> 32) as u32);
    // Half a unit in the last place of a normal single: zero minus one is negative.
    let tie = ((low & 0x1fff_ffff) ^ 0x1000_0000).wrapping_sub(1);
    // Up to the smallest normal single units are larger; no sum but zero itself
    // has a zero high word.
    let magnitude = high & !SIGN;
    let small = magnitude.wrapping_sub(0x3810_0001) & magnitude.wrapping_neg();
    (finish::<FTZ, SAT>(sum as f32), tie | small)
}

/// [`fma`] by the host's own, where that is one instruction: as [`mul_or_edge`].
#[inline(always)]
pub fn fma_or_edge<const FTZ: bool, const SAT: bool>(a: u32, b: u32, c: u32) -> (u32, u32) {
    let [a, b, c] = [a, b, c].map(|x| f32::from_bits(flush::<FTZ>(x)));
    edge::<FTZ, SAT>(a.mul_add(b, c))
}

/// A rounded result, and whether it has to be looked at more closely: only where it
/// is the smallest normal number it can hide one that is flushed.
#[inline(always)]
fn edge<const FTZ: bool, const SAT: bool>(x: f32) -> (u32, u32) {
    let from_smallest = (x.to_bits() & !SIGN) ^ 0x0080_0000;
    (finish::<FTZ, SAT>(x), if FTZ { from_smallest.wrapping_sub(1) } else { 0 })
}

/// Modifiers of a general FP32 multiply-add.
#[derive(Clone, Copy, Debug)]
pub struct FmaMode {
    /// Rounding direction.
    pub rm: Rounding,
    /// Denormal inputs and results become zero.
    pub ftz: bool,
    /// As `ftz`, and zero times anything is `+0` (`.FMZ`).
    pub fmz: bool,
    /// Clamp the result to `[0, 1]`.
    pub sat: bool,
    /// The product is scaled by `2^scale` before rounding (`FMUL.M2` … `.D8`).
    pub scale: i32,
}

impl FmaMode {
    /// Plain IEEE arithmetic in one rounding direction.
    pub fn ieee(rm: Rounding) -> FmaMode {
        FmaMode { rm, ftz: false, fmz: false, sat: false, scale: 0 }
    }

    #[inline(always)]
    fn prepare(&self, bits: u32) -> f64 {
        f64::from(f32::from_bits(flush_if(self.ftz | self.fmz, bits)))
    }

    #[inline(always)]
    fn product(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.prepare(a), self.prepare(b));
        // A power of two between 1/8 and 8: exact in double.
        let product = a * b * f64::from_bits(((1023 + self.scale) as u64) << 52);
        if self.fmz & ((a == 0.0) | (b == 0.0)) { 0.0 } else { product }
    }

    #[inline(always)]
    fn round(&self, x: f64) -> u32 {
        let bits = narrow(Format::F32, self.rm, flush_tiny(self.ftz | self.fmz, self.rm, x));
        if self.sat { saturate(bits) } else { bits }
    }

    /// `a * b`.
    #[inline(always)]
    pub fn mul(&self, a: u32, b: u32) -> u32 {
        self.round(self.product(a, b))
    }

    /// `a + b`.
    #[inline(always)]
    pub fn add(&self, a: u32, b: u32) -> u32 {
        self.sum(self.prepare(a), self.prepare(b))
    }

    /// `a * b + c`.
    #[inline(always)]
    pub fn fma(&self, a: u32, b: u32, c: u32) -> u32 {
        self.sum(self.product(a, b), self.prepare(c))
    }

    #[inline(always)]
    fn sum(&self, a: f64, b: f64) -> u32 {
        self.round(sum_odd(self.rm, a, b))
    }
}

/// Minimum or maximum: a NaN loses against a number, `-0 < +0`.
#[inline(always)]
pub fn min_max(a: u32, b: u32, max: bool) -> u32 {
    // Flip the magnitude of negatives: an integer order that agrees with the
    // order of numbers, zeroes included.
    let key = |x: u32| (x ^ (((x as i32) >> 31) as u32 >> 1)) as i32;
    let less = key(a) < key(b);
    let pick = if less != max { a } else { b };
    let (a_nan, b_nan) = (a & !SIGN > EXP, b & !SIGN > EXP);
    let pick = if b_nan { a } else { pick };
    let pick = if a_nan { b } else { pick };
    if a_nan & b_nan { NAN32 } else { pick }
}

/// `FCHK`: must the division `a / b` take the slow path?
///
/// Only the exponents matter; the bounds are those of an H200, from all pairs
/// of exponents among its answers. They leave the fast path (a reciprocal, a
/// Newton step, a residual) clear of denormals and overflow.
#[inline(always)]
pub fn division_needs_care(a: u32, b: u32) -> bool {
    let exponent = |x: u32| ((x & EXP) >> 23) as i32;
    let (ea, eb) = (exponent(a), exponent(b));
    let quotient = ea - eb;
    !(25..=254).contains(&ea) || !(2..=251).contains(&eb) || !(-124..=126).contains(&quotient)
}
