//! Half formats: widened exactly, computed in single precision, cut off.

use super::single::NAN;

/// A half-precision number as single precision; denormals become normal numbers.
#[inline]
pub(super) fn widen_f16(x: u16) -> u32 {
    let x = u32::from(x);
    let (sign, exponent, mantissa) = ((x & 0x8000) << 16, (x >> 10) & 31, x & 0x3ff);
    let magnitude = match (exponent, mantissa) {
        (31, 0) => 0x7f80_0000,
        (31, _) => NAN,
        (0, 0) => 0,
        (0, _) => {
            let shift = mantissa.leading_zeros() - 8;
            ((125 - shift) << 23) + (mantissa << shift)
        }
        _ => ((exponent + 112) << 23) | mantissa << 13,
    };
    sign | magnitude
}

/// A single-precision number as half precision, cut off; small answers become
/// denormals, large ones infinity.
#[inline]
pub(super) fn narrow_f16(x: u32) -> u16 {
    let (exponent, mantissa) = ((x >> 23) & 255, x & 0x007f_ffff);
    let magnitude = match exponent {
        255 if mantissa != 0 => return 0x7fff,
        143..=255 => 0x7c00,
        113..=142 => ((exponent - 112) << 10) | mantissa >> 13,
        103..=112 => (mantissa | 0x0080_0000) >> (126 - exponent),
        _ => 0,
    };
    ((x >> 16 & 0x8000) | magnitude) as u16
}
