//! The two functions on the upper word of a double: seeds of 64-bit division and root.

use super::single::{rcp_mantissa, rsq_mantissa};

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7ff0_0000;
const NAN: u32 = 0x7fff_ffff;
const MANTISSA: u32 = 0x000f_ffff;

/// Upper word of the reciprocal.
#[inline]
pub(super) fn rcp64h(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, (x >> 20) & 2047, x & MANTISSA);
    let magnitude = match exponent {
        0 => INFINITY,
        2047 if mantissa != 0 => return NAN,
        2047 | 2046 => 0,
        _ => {
            let bits = ((2044 - exponent as i32) << 20) + (rcp_mantissa(mantissa << 3) >> 3) as i32;
            if bits < 1 << 20 { 0 } else { bits as u32 }
        }
    };
    sign | magnitude
}

/// Upper word of the reciprocal square root.
#[inline]
pub(super) fn rsq64h(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, (x >> 20) & 2047, x & MANTISSA);
    match exponent {
        0 => sign | INFINITY,
        2047 if sign == 0 && mantissa == 0 => 0,
        _ if sign != 0 || exponent == 2047 => NAN,
        _ => {
            let unbiased = exponent as i32 - 1023;
            let root = rsq_mantissa(mantissa << 3, unbiased & 1 != 0);
            (((1021 - (unbiased >> 1)) << 20) as u32) + (root >> 3)
        }
    }
}
