//! The functions in single precision. Denormals count as zero and become zero.

use super::interpolate::{X_BITS, interpolate};
use super::tables;

pub(super) const NAN: u32 = 0x7fff_ffff;
const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const HIDDEN: u32 = 0x0080_0000;
const MANTISSA: u32 = 0x007f_ffff;

/// A 23-bit fraction selects one of 64 rows with its upper bits.
#[inline]
fn row_of(fraction: u32) -> usize {
    (fraction >> X_BITS) as usize & 63
}

/// 1/m of a mantissa in [1, 2): 2^24 / m, from 2^23 to 2^24.
#[inline]
pub(super) fn rcp_mantissa(mantissa: u32) -> u32 {
    let row = tables::RCP[(mantissa >> 16) as usize & 127];
    (interpolate(row, mantissa << 1, 14, 4047) >> 16) as u32
}

/// 1/sqrt(m) of m in [1, 2), or of 2m when `odd`: from 2^23 to 2^24.
#[inline]
pub(super) fn rsq_mantissa(mantissa: u32, odd: bool) -> u32 {
    if mantissa == 0 && !odd {
        return 1 << 24; // the table falls just short of one
    }
    let row = tables::RSQ[row_of(mantissa) | usize::from(odd) << 6];
    (interpolate(row, mantissa, 14, -1) >> 16) as u32
}

/// Reciprocal.
#[inline]
pub(super) fn rcp(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, (x >> 23) & 255, x & MANTISSA);
    let magnitude = match exponent {
        0 => INFINITY,
        255 if mantissa != 0 => return NAN,
        255 | 254 => 0,
        _ => {
            let bits = ((252 - exponent as i32) << 23) + rcp_mantissa(mantissa) as i32;
            if bits < HIDDEN as i32 { 0 } else { bits as u32 }
        }
    };
    sign | magnitude
}

/// Reciprocal square root.
#[inline]
pub(super) fn rsq(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, (x >> 23) & 255, x & MANTISSA);
    match exponent {
        0 => sign | INFINITY,
        255 if sign == 0 && mantissa == 0 => 0,
        _ if sign != 0 || exponent == 255 => NAN,
        _ => {
            let unbiased = exponent as i32 - 127;
            (((125 - (unbiased >> 1)) << 23) as u32) + rsq_mantissa(mantissa, unbiased & 1 != 0)
        }
    }
}

/// Square root.
#[inline]
pub(super) fn sqrt(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, (x >> 23) & 255, x & MANTISSA);
    match exponent {
        0 => sign,
        255 if sign == 0 && mantissa == 0 => INFINITY,
        _ if sign != 0 || exponent == 255 => NAN,
        _ => {
            let unbiased = exponent as i32 - 127;
            let row = tables::SQRT[row_of(mantissa) | ((unbiased & 1) as usize) << 6];
            let root = (interpolate(row, mantissa, 15, -1) >> 17) as u32;
            (((126 + (unbiased >> 1)) << 23) as u32) + root
        }
    }
}

/// Power of two.
#[inline]
pub(super) fn ex2(x: u32) -> u32 {
    let (negative, exponent, mantissa) = (x & SIGN != 0, (x >> 23) & 255, x & MANTISSA);
    if exponent >= 134 {
        return match (exponent == 255 && mantissa != 0, negative) {
            (true, _) => NAN,
            (false, true) => 0,
            (false, false) => INFINITY,
        };
    }
    // The argument in units of 2^-23, cut off; a negative one is complemented, not
    // negated, unless it is a whole number (as far as this unit can see).
    let wide = u64::from(if exponent == 0 { 0 } else { mantissa | HIDDEN });
    let magnitude = (wide << 7 >> (134 - exponent).min(63)) as i32;
    let fixed = match (negative, magnitude & MANTISSA as i32) {
        (false, _) => magnitude,
        (true, 0) => -magnitude,
        (true, _) => !magnitude,
    };
    let fraction = fixed as u32 & MANTISSA;
    let power = (interpolate(tables::EX2[row_of(fraction)], fraction, 13, 6114) >> 15) as i32;
    let bits = (((fixed >> 23) + 126) << 23) + power;
    if bits < HIDDEN as i32 { 0 } else { bits as u32 }
}

/// A value in units of 2^-38 as a float, cut off.
#[inline]
fn from_fixed(value: u64) -> u32 {
    if value == 0 {
        return 0;
    }
    let zeros = value.leading_zeros();
    ((127 + 63 - 38 - 1 - zeros) << 23) + (value << zeros >> 40) as u32
}

/// Binary logarithm.
#[inline]
pub(super) fn lg2(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, (x >> 23) & 255, x & MANTISSA);
    match exponent {
        0 => return SIGN | INFINITY,
        255 if sign == 0 && mantissa == 0 => return INFINITY,
        _ if sign != 0 || exponent == 255 => return NAN,
        _ => {}
    }
    if x == ONE {
        return 0; // the table gives a little more
    }
    let whole = (i64::from(exponent) - 127) << 38;
    let value = whole + interpolate(tables::LG2[row_of(mantissa)], mantissa, 12, 837);
    // Complemented rather than negated; the lowest two bits are not there.
    let (sign, magnitude) = if value < 0 { (SIGN, !value) } else { (0, value) };
    sign | from_fixed(magnitude as u64 & !3)
}

/// Sine of a number of quarter turns in units of 2^-23, `turn` quarters ahead.
#[inline]
fn wave(x: u32, turn: u32) -> u32 {
    let (exponent, mantissa) = ((x >> 23) & 255, x & MANTISSA);
    if exponent == 255 {
        return NAN;
    }
    // The argument counts whole turns: keep 25 bits below the point.
    let wide = u64::from(if exponent == 0 { 0 } else { mantissa | HIDDEN });
    let phase = match exponent {
        0..125 => (wide >> (125 - exponent).min(63)) as u32,
        125..150 => (wide << (exponent - 125)) as u32,
        _ => 0,
    };
    let quarter = (phase >> 23) + turn;
    let fraction = if quarter & 1 == 0 { phase } else { !phase } & MANTISSA;
    let sine = interpolate(tables::SIN[row_of(fraction)], fraction, 12, 0);
    (quarter & 2) << 30 | from_fixed(sine as u64)
}

/// Sine of `x` turns.
#[inline]
pub(super) fn sin(x: u32) -> u32 {
    match wave(x, 0) {
        NAN => NAN,
        sine => sine ^ (x & SIGN),
    }
}

/// Cosine of `x` turns.
#[inline]
pub(super) fn cos(x: u32) -> u32 {
    wave(x, 1)
}

/// Hyperbolic tangent.
#[inline]
pub(super) fn tanh(x: u32) -> u32 {
    /// First row of each block, and bits that do not matter there, for exponents 119 to 129.
    const BLOCKS: [(usize, u32); 11] = [
        (0, 6),
        (1, 6),
        (2, 6),
        (3, 5),
        (5, 5),
        (7, 4),
        (11, 4),
        (15, 4),
        (19, 3),
        (27, 2),
        (43, 3),
    ];
    let (sign, exponent, mantissa) = (x & SIGN, (x >> 23) & 255, x & MANTISSA);
    let Some(&(first, unused)) = BLOCKS.get((exponent as usize).wrapping_sub(119)) else {
        return match exponent {
            0..119 => x, // tanh x = x here
            255 if mantissa != 0 => NAN,
            _ => sign | ONE,
        };
    };
    let argument = mantissa >> unused;
    let row = tables::TANH[first + (argument >> X_BITS) as usize];
    let value = interpolate(row, argument, 16, 0) as u64;
    // Fixed-point with the block's own scale; from 126 on the scale stays.
    sign | (from_fixed(value) - ((128 - exponent.min(126)) << 23))
}
