//! Texels: how their bits become what a register receives.

/// How a texel's bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelKind {
    /// Floating point (16 or 32 bits).
    Float,
    /// Signed integer.
    Signed,
    /// Unsigned integer.
    Unsigned,
}

/// Format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexFormat {
    /// Channels: 1, 2 or 4.
    pub channels: u8,
    /// Bits per channel: 8, 16 or 32.
    pub bits: u8,
    /// Interpretation.
    pub kind: TexelKind,
}

impl TexFormat {
    /// One 32-bit float.
    pub const F32: TexFormat = TexFormat { channels: 1, bits: 32, kind: TexelKind::Float };

    /// Bytes per texel.
    pub fn bytes(self) -> u64 {
        u64::from(self.channels) * u64::from(self.bits) / 8
    }

    /// Does a register receive a float? With `normalized`, integers are read
    /// as fractions of their range.
    pub fn reads_float(self, normalized: bool) -> bool {
        normalized || self.kind == TexelKind::Float
    }

    /// A channel's bits in register form.
    pub fn convert(self, raw: u32, normalized: bool) -> u32 {
        let bits = u32::from(self.bits);
        let signed = ((raw << (32 - bits)) as i32) >> (32 - bits);
        match (self.kind, normalized) {
            (TexelKind::Float, _) if bits == 16 => half_to_f32(raw as u16).to_bits(),
            (TexelKind::Float, _) => raw,
            (TexelKind::Unsigned, true) => (raw as f32 / ((1u64 << bits) - 1) as f32).to_bits(),
            // The smallest value and its successor both mean -1.
            (TexelKind::Signed, true) => {
                (signed as f32 / ((1u64 << (bits - 1)) - 1) as f32).max(-1.0).to_bits()
            }
            (TexelKind::Unsigned, false) => raw,
            (TexelKind::Signed, false) => signed as u32,
        }
    }
}

/// Exact widening of an FP16 value.
fn half_to_f32(h: u16) -> f32 {
    let sign = if h >> 15 == 1 { -1.0 } else { 1.0 };
    let exp = i32::from(h >> 10 & 31);
    let frac = f32::from(h & 1023);
    sign * match exp {
        0 => frac * 2f32.powi(-24),
        31 if frac == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + frac / 1024.0) * 2f32.powi(exp - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: TexelKind, bits: u8, normalized: bool, raw: u32) -> u32 {
        TexFormat { channels: 1, bits, kind }.convert(raw, normalized)
    }

    #[test]
    fn integers_widen_with_their_sign() {
        assert_eq!(read(TexelKind::Unsigned, 8, false, 0xfe), 0xfe);
        assert_eq!(read(TexelKind::Signed, 8, false, 0xfe), -2i32 as u32);
        assert_eq!(read(TexelKind::Signed, 16, false, 0x8000), -32768i32 as u32);
        assert_eq!(read(TexelKind::Signed, 32, false, 0x8000_0000), 0x8000_0000);
    }

    #[test]
    fn normalised_integers_are_fractions() {
        let f = |kind, bits, raw| f32::from_bits(read(kind, bits, true, raw));
        assert_eq!(f(TexelKind::Unsigned, 8, 255), 1.0);
        assert_eq!(f(TexelKind::Unsigned, 8, 51), 51.0 / 255.0);
        assert_eq!(f(TexelKind::Unsigned, 16, 0xffff), 1.0);
        assert_eq!(f(TexelKind::Signed, 8, 0x7f), 1.0);
        assert_eq!(f(TexelKind::Signed, 8, 0x81), -1.0);
        assert_eq!(f(TexelKind::Signed, 8, 0x80), -1.0);
    }

    #[test]
    fn halves_widen_exactly() {
        let f = |raw| f32::from_bits(read(TexelKind::Float, 16, false, raw));
        assert_eq!(f(0x3c00), 1.0);
        assert_eq!(f(0xc100), -2.5);
        assert_eq!(f(0x0001), 2f32.powi(-24));
        assert_eq!(f(0x7c00), f32::INFINITY);
        assert!(f(0x7e00).is_nan());
    }
}
