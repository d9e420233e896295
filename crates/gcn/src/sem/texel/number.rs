//! Number formats: what the bits of a channel are.

use upset_lanes::fp::narrow::{narrow, widen};
use upset_lanes::fp::{Format, Rounding};

/// What the bits of a channel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// From 0 to 1.
    Unorm,
    /// From -1 to 1; the lowest two codes are both -1.
    Snorm,
    /// An unsigned integer that becomes a floating-point number.
    Uscaled,
    /// A signed integer that becomes a floating-point number.
    Sscaled,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
    /// From -1 to 1 in even steps, none of which is 0.
    SnormOgl,
    /// A floating-point number.
    Float,
}

impl Number {
    /// Of a number format's number.
    pub const fn of(nfmt: u8) -> Number {
        match nfmt & 7 {
            0 => Number::Unorm,
            1 => Number::Snorm,
            2 => Number::Uscaled,
            3 => Number::Sscaled,
            4 => Number::Uint,
            5 => Number::Sint,
            6 => Number::SnormOgl,
            _ => Number::Float,
        }
    }

    /// One, as a register holds it.
    pub const fn one(self) -> u32 {
        match self {
            Number::Uint | Number::Sint => 1,
            _ => 0x3f80_0000,
        }
    }

    /// Channels of two bits have no sign before GFX9 (Mesa mends this as
    /// "alpha adjust" of 2_10_10_10).
    const fn of_two_bits(self) -> Number {
        match self {
            Number::Snorm | Number::SnormOgl => Number::Unorm,
            Number::Sscaled => Number::Uscaled,
            Number::Sint => Number::Uint,
            other => other,
        }
    }

    /// What a register gets of a channel of `width` bits (1 to 32).
    pub fn load(self, bits: u32, width: u8) -> u32 {
        let spare = 32 - u32::from(width);
        let unsigned = f64::from(bits);
        let signed = (bits << spare) as i32 >> spare;
        // The largest codes.
        let (all, half) = (f64::from(u32::MAX >> spare), f64::from(i32::MAX as u32 >> spare));
        let number = if width == 2 { self.of_two_bits() } else { self };
        // Quotients of integers this small round the same from double as at once.
        let value = match number {
            Number::Unorm => unsigned / all,
            Number::Snorm => (f64::from(signed) / half).max(-1.0),
            Number::Uscaled => unsigned,
            Number::Sscaled => f64::from(signed),
            Number::SnormOgl => (2.0 * f64::from(signed) + 1.0) / all,
            Number::Uint => return bits,
            Number::Sint => return signed as u32,
            Number::Float => return load_float(bits, width),
        };
        (value as f32).to_bits()
    }

    /// The bits of a channel of `width` bits that a register's value becomes:
    /// the nearest code, even ones first; what is out of range is clamped, and
    /// a NaN is zero.
    pub fn store(self, word: u32, width: u8) -> u32 {
        let spare = 32 - u32::from(width);
        let (all, half) = (u32::MAX >> spare, i32::MAX >> spare);
        let value = f64::from(f32::from_bits(word));
        // A cast saturates, and NaN is zero.
        let (top, bottom) = (f64::from(half), -f64::from(half));
        let code = match self {
            Number::Unorm => (value.clamp(0.0, 1.0) * f64::from(all)).round_ties_even() as u32,
            Number::Snorm => (value.clamp(-1.0, 1.0) * top).round_ties_even() as i32 as u32,
            Number::Uscaled => value.round_ties_even().clamp(0.0, f64::from(all)) as u32,
            Number::Sscaled => value.round_ties_even().clamp(bottom - 1.0, top) as i32 as u32,
            Number::Uint => word.min(all),
            Number::Sint => (word as i32).clamp(-half - 1, half) as u32,
            Number::SnormOgl => {
                let steps = (value.clamp(-1.0, 1.0) * f64::from(all) - 1.0) / 2.0;
                steps.round_ties_even() as i32 as u32
            }
            Number::Float => return store_float(word, width),
        };
        code & all
    }
}

/// The format of narrow channels; those of 10 and 11 bits have no sign. Widths
/// that have no floating-point format are left as they are.
const fn float(width: u8) -> Option<Format> {
    match width {
        16 => Some(Format::F16),
        11 => Some(Format { exp_bits: 5, frac_bits: 6 }),
        10 => Some(Format { exp_bits: 5, frac_bits: 5 }),
        _ => None,
    }
}

const QUIET: u32 = 0x7fc0_0000;

fn load_float(bits: u32, width: u8) -> u32 {
    let Some(f) = float(width) else { return bits };
    if f.is_nan(u64::from(bits)) {
        let sign = u32::from(u64::from(bits) & f.sign_bit() != 0) << 31;
        return sign | QUIET | (bits & f.frac_mask() as u32) << (23 - f.frac_bits);
    }
    (widen(f, bits) as f32).to_bits()
}

fn store_float(word: u32, width: u8) -> u32 {
    let Some(f) = float(width) else { return word };
    let magnitude = word & 0x7fff_ffff;
    let signed = width == 16;
    let sign = if signed { (word >> 31) << 15 } else { 0 };
    if magnitude > 0x7f80_0000 {
        let frac = (magnitude >> (23 - f.frac_bits)) & f.frac_mask() as u32;
        return sign | f.infinity() as u32 | 1 << (f.frac_bits - 1) | frac;
    }
    if !signed && word >> 31 == 1 {
        return 0;
    }
    sign | narrow(f, Rounding::Nearest, f64::from(f32::from_bits(magnitude)))
}
