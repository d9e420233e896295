//! The multi-function unit (`MUFU`), bit for bit.
//!
//! All functions are table rows evaluated by one quadratic interpolator, as
//! recovered from the answers of a real GPU: see `docs/mufu.md` for what was
//! found and how, and `tests` for how it is checked over every input.

mod double;
mod half;
mod interpolate;
mod single;
mod tables;

use crate::Lanes;

/// A function of the multi-function unit, numbered as instructions encode it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Func {
    /// Cosine of an angle in turns (code multiplies by 1/2π first).
    Cos,
    /// Sine of an angle in turns.
    Sin,
    /// Power of two.
    Ex2,
    /// Logarithm to base two.
    Lg2,
    /// Reciprocal.
    Rcp,
    /// Reciprocal square root.
    Rsq,
    /// Reciprocal of a double, high words only.
    Rcp64H,
    /// Reciprocal square root of a double, high words only.
    Rsq64H,
    /// Square root.
    Sqrt,
    /// Hyperbolic tangent (from sm_75 on).
    Tanh,
}

impl Func {
    /// All of them, in encoding order.
    pub const ALL: [Func; 10] = [
        Func::Cos,
        Func::Sin,
        Func::Ex2,
        Func::Lg2,
        Func::Rcp,
        Func::Rsq,
        Func::Rcp64H,
        Func::Rsq64H,
        Func::Sqrt,
        Func::Tanh,
    ];

    /// From the encoded number.
    pub fn from_bits(bits: u32) -> Option<Func> {
        Func::ALL.get(bits as usize).copied()
    }
}

/// Calls `$body` with `$f` bound to the function's own code, so that a loop in
/// `$body` is compiled once per function and chooses nothing per lane.
macro_rules! with_function {
    ($func:expr, $f:ident => $body:expr) => {
        match $func {
            Func::Cos => with_function!(@ single::cos, $f => $body),
            Func::Sin => with_function!(@ single::sin, $f => $body),
            Func::Ex2 => with_function!(@ single::ex2, $f => $body),
            Func::Lg2 => with_function!(@ single::lg2, $f => $body),
            Func::Rcp => with_function!(@ single::rcp, $f => $body),
            Func::Rsq => with_function!(@ single::rsq, $f => $body),
            Func::Rcp64H => with_function!(@ double::rcp64h, $f => $body),
            Func::Rsq64H => with_function!(@ double::rsq64h, $f => $body),
            Func::Sqrt => with_function!(@ single::sqrt, $f => $body),
            Func::Tanh => with_function!(@ single::tanh, $f => $body),
        }
    };
    (@ $code:path, $f:ident => $body:expr) => {{
        let $f = $code;
        $body
    }};
}

/// One lane in single precision (or the high word of a double for the 64H functions).
#[inline]
pub fn f32(func: Func, x: u32) -> u32 {
    with_function!(func, f => f(x))
}

/// One lane in half precision. The hardware has no 64H functions in this format.
#[inline]
pub fn f16(func: Func, x: u16) -> u16 {
    half::narrow_f16(f32(func, half::widen_f16(x)))
}

/// One lane in bfloat16. The hardware has no 64H functions in this format.
#[inline]
pub fn bf16(func: Func, x: u16) -> u16 {
    (f32(func, u32::from(x) << 16) >> 16) as u16
}

/// A whole warp of [`fn@f32`].
pub fn eval(func: Func, x: &Lanes) -> Lanes {
    with_function!(func, f => x.map(f))
}

/// A whole warp of [`fn@f16`]: lower halves in, lower halves out, upper halves zero.
pub fn eval_f16(func: Func, x: &Lanes) -> Lanes {
    with_function!(func, f => x.map(|x| half::narrow_f16(f(half::widen_f16(x as u16))).into()))
}

/// A whole warp of [`bf16`]: lower halves in, lower halves out, upper halves zero.
pub fn eval_bf16(func: Func, x: &Lanes) -> Lanes {
    with_function!(func, f => x.map(|x| f(x << 16) >> 16))
}

#[cfg(test)]
mod tests;
