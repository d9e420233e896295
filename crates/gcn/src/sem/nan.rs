//! Which NaN an operation returns, and what becomes of denormals.
//!
//! The first NaN among the sources comes out, made quiet; an operation that
//! makes one of numbers gives [`NAN32`] or [`NAN64`]. The host's own choice is
//! never used: Rust does not promise one.

use upset_lanes::fp::{Format, Rounding};

use super::Mode;

/// The NaN of an invalid operation (`v_div_fixup_f32` documents it).
pub const NAN32: u32 = 0xffc0_0000;
/// As that, in double precision.
pub const NAN64: u64 = 0xfff8_0000_0000_0000;
/// What makes a NaN quiet.
pub const QUIET32: u32 = 1 << 22;
/// As that, in double precision.
pub const QUIET64: u64 = 1 << 51;
/// The sign.
pub const SIGN32: u32 = 1 << 31;
/// As that, in double precision.
pub const SIGN64: u64 = 1 << 63;
/// Infinity, and the mask of the exponent.
pub const INF32: u32 = 0x7f80_0000;
/// As that, in double precision.
pub const INF64: u64 = 0x7ff0_0000_0000_0000;

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

/// Is it a signalling NaN?
#[inline(always)]
pub const fn is_signalling32(x: u32) -> bool {
    is_nan32(x) && x & QUIET32 == 0
}

/// Is it a signalling NaN?
#[inline(always)]
pub const fn is_signalling64(x: u64) -> bool {
    is_nan64(x) && x & QUIET64 == 0
}

/// The NaN of an operation on these sources, in the order that decides.
#[inline(always)]
pub fn nan32<const N: usize>(sources: [u32; N]) -> u32 {
    let mut nan = NAN32;
    for x in sources.into_iter().rev() {
        nan = if is_nan32(x) { x | QUIET32 } else { nan };
    }
    nan
}

/// As that, in double precision.
#[inline(always)]
pub fn nan64<const N: usize>(sources: [u64; N]) -> u64 {
    let mut nan = NAN64;
    for x in sources.into_iter().rev() {
        nan = if is_nan64(x) { x | QUIET64 } else { nan };
    }
    nan
}

/// A denormal becomes a zero of its sign.
#[inline(always)]
pub const fn flush32(x: u32) -> u32 {
    if x & INF32 == 0 { x & SIGN32 } else { x }
}

/// What the mode says about one precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The precision.
    pub format: Format,
    /// How results are rounded.
    pub rounding: Rounding,
    /// Denormal sources are zeroes.
    pub flush_in: bool,
    /// Denormal results become zeroes.
    pub flush_out: bool,
}

impl Rules {
    /// Of single precision.
    pub fn single(mode: Mode) -> Rules {
        Rules {
            format: Format::F32,
            rounding: mode.round32(),
            flush_in: mode.flush_in32(),
            flush_out: mode.flush_out32(),
        }
    }

    /// Of double precision.
    pub fn double(mode: Mode) -> Rules {
        Rules {
            format: Format::F64,
            rounding: mode.round64(),
            flush_in: mode.flush_in64(),
            flush_out: mode.flush_out64(),
        }
    }

    /// The same with denormals flushed.
    pub const fn flushing(self) -> Rules {
        Rules { flush_in: true, flush_out: true, ..self }
    }

    /// Whether denormals are flushed, in the usual modes: to nearest, sources and
    /// results treated alike. None in the others.
    #[inline]
    pub fn nearest(self) -> Option<bool> {
        let usual = self.rounding == Rounding::Nearest && self.flush_in == self.flush_out;
        usual.then_some(self.flush_in)
    }

    /// A source as the operation sees it.
    #[inline]
    pub const fn source(self, x: u64) -> u64 {
        if self.flush_in { self.format.flush(x) } else { x }
    }

    /// A result as it leaves.
    #[inline]
    pub const fn result(self, x: u64) -> u64 {
        if self.flush_out { self.format.flush(x) } else { x }
    }

    /// The NaN of an operation on these sources, where one of them is a NaN.
    pub fn taken_over(self, sources: &[u64]) -> Option<u64> {
        let nan = sources.iter().find(|&&x| self.format.is_nan(x))?;
        Some(nan | 1 << (self.format.frac_bits - 1))
    }

    /// The NaN of an invalid operation.
    pub const fn invalid(self) -> u64 {
        let f = self.format;
        f.sign_bit() | f.infinity() | 1 << (f.frac_bits - 1)
    }

    /// An operation on any of the modes: `f` gets the format, numbers and the
    /// rounding.
    pub fn exact<const N: usize>(
        self,
        sources: [u64; N],
        f: impl Fn(Format, [u64; N], Rounding) -> u64,
    ) -> u64 {
        let seen = sources.map(|x| self.source(x));
        if let Some(nan) = self.taken_over(&seen) {
            return nan;
        }
        let result = f(self.format, seen, self.rounding);
        if self.format.is_nan(result) { self.invalid() } else { self.result(result) }
    }
}
