//! Packed half precision (FP16 and BF16), one element at a time.
//!
//! Elements are widened to double, where every product is exact; the sum is
//! rounded to odd and then once to the result's format.

use super::lane::add_odd;
use super::narrow::{narrow, widen};
use super::{Format, Rounding};

/// Modifiers of a packed operation.
#[derive(Clone, Copy, Debug)]
pub struct HalfMode {
    /// Format of packed operands.
    pub input: Format,
    /// Format of the result: as `input`, or FP32 for `.F32` forms.
    pub output: Format,
    /// Denormal inputs and results become zero.
    pub ftz: bool,
    /// As `ftz`, and zero times anything is `+0`.
    pub fmz: bool,
    /// Clamp the result to `[0, 1]`.
    pub sat: bool,
    /// Negative results become `+0`.
    pub relu: bool,
}

impl HalfMode {
    /// Widens one element, flushing as the mode asks.
    #[inline(always)]
    pub fn element(&self, bits: u32) -> f64 {
        let bits = if self.ftz | self.fmz { self.input.flush(bits.into()) as u32 } else { bits };
        widen(self.input, bits)
    }

    #[inline(always)]
    fn product(&self, a: f64, b: f64) -> f64 {
        if self.fmz & ((a == 0.0) | (b == 0.0)) { 0.0 } else { a * b }
    }

    #[inline(always)]
    fn round(&self, x: f64) -> u32 {
        let top = if self.sat && x > 1.0 { 1.0 } else { x };
        // Of NaN saturation makes zero, the other does not.
        let low = (self.sat | self.relu) & (x <= 0.0) | self.sat & x.is_nan();
        let x = if low { 0.0 } else { top };
        // `.F32` is a conversion behind the operation: compilers merge the two
        // where the result has to be rounded first.
        let x = match self.output == self.input {
            true => x,
            false => widen(self.input, narrow(self.input, Rounding::Nearest, x)),
        };
        let bits = narrow(self.output, Rounding::Nearest, x);
        if self.ftz | self.fmz { self.output.flush(bits.into()) as u32 } else { bits }
    }

    /// `a + b`.
    #[inline(always)]
    pub fn add(&self, a: f64, b: f64) -> u32 {
        self.round(add_odd(a, b))
    }

    /// `a * b`.
    #[inline(always)]
    pub fn mul(&self, a: f64, b: f64) -> u32 {
        self.round(self.product(a, b))
    }

    /// `a * b + c`.
    #[inline(always)]
    pub fn fma(&self, a: f64, b: f64, c: f64) -> u32 {
        self.round(add_odd(self.product(a, b), c))
    }
}

/// Minimum or maximum of two elements of format `f`: a NaN loses against a
/// number unless `nan`, `-0 < +0`.
#[inline(always)]
pub fn min_max(f: Format, a: u32, b: u32, max: bool, nan: bool) -> u32 {
    let (a_nan, b_nan) = (f.is_nan(a.into()), f.is_nan(b.into()));
    if (a_nan && b_nan) || (nan && (a_nan || b_nan)) {
        return f.nan() as u32;
    }
    if a_nan {
        return b;
    }
    if b_nan {
        return a;
    }
    let sign = f.sign_bit() as u32;
    let key = |x: u32| if x & sign != 0 { -((x ^ sign) as i32) - 1 } else { x as i32 };
    if (key(a) < key(b)) != max { a } else { b }
}
