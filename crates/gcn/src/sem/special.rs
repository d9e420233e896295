//! Denormals and NaN, by their bits.
//!
//! Whether denormals are kept is a mask, made once for all lanes: what is left
//! of a number whose exponent is zero.

use super::Mode;

/// Sign of single precision.
pub const SIGN32: u32 = 1 << 31;
/// Infinity of single precision; its exponent field.
pub const INF32: u32 = 0xff << 23;
/// What sets a quiet NaN apart from a signalling one.
pub const QUIET32: u32 = 1 << 22;
/// The NaN that invalid operations generate.
pub const NAN32: u32 = SIGN32 | INF32 | QUIET32;

/// Sign of double precision.
pub const SIGN64: u64 = 1 << 63;
/// Infinity of double precision; its exponent field.
pub const INF64: u64 = 0x7ff << 52;
/// What sets a quiet NaN apart from a signalling one.
pub const QUIET64: u64 = 1 << 51;
/// The NaN that invalid operations generate.
pub const NAN64: u64 = SIGN64 | INF64 | QUIET64;

/// What is left of a denormal.
#[derive(Clone, Copy)]
pub struct Keep {
    /// Of single precision.
    pub single: u32,
    /// Of double precision.
    pub double: u64,
}

impl Keep {
    /// Only the signs, whatever the mode says.
    pub const SIGNS: Keep = Keep { single: SIGN32, double: SIGN64 };

    const fn new(flush32: bool, flush64: bool) -> Keep {
        Keep {
            single: if flush32 { SIGN32 } else { !0 },
            double: if flush64 { SIGN64 } else { !0 },
        }
    }

    /// Of sources.
    pub const fn inputs(mode: Mode) -> Keep {
        Keep::new(mode.flush_in32(), mode.flush_in64())
    }

    /// Of results.
    pub const fn outputs(mode: Mode) -> Keep {
        Keep::new(mode.flush_out32(), mode.flush_out64())
    }

    /// A number of single precision, flushed where it is denormal.
    #[inline(always)]
    pub const fn f32(self, x: u32) -> u32 {
        if x & INF32 == 0 { x & self.single } else { x }
    }

    /// A number of double precision, flushed where it is denormal.
    #[inline(always)]
    pub const fn f64(self, x: u64) -> u64 {
        if x & INF64 == 0 { x & self.double } else { x }
    }
}

/// Is it a NaN?
#[inline(always)]
pub const fn is_nan32(x: u32) -> bool {
    x & !SIGN32 > INF32
}

/// Is it a NaN?
#[inline(always)]
pub const fn is_nan64(x: u64) -> bool {
    x & !SIGN64 > INF64
}

/// A result, or the source made quiet where that is a NaN: hosts differ in
/// which NaN they return.
#[inline(always)]
pub const fn unless_nan32(x: u32, result: u32) -> u32 {
    if is_nan32(x) { x | QUIET32 } else { result }
}

/// A result, or the source made quiet where that is a NaN.
#[inline(always)]
pub const fn unless_nan64(x: u64, result: u64) -> u64 {
    if is_nan64(x) { x | QUIET64 } else { result }
}
