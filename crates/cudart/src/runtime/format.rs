//! Formats of texels, as the API numbers them.

use upset_device::{TexFormat, TexelKind};

use crate::abi::ChannelDesc;
use crate::error::{Error, Result};

/// A channel descriptor's meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// How a texel lies in memory.
    pub texel: TexFormat,
    /// Integers are always read as fractions.
    pub normalized: bool,
}

/// The format of a channel descriptor.
pub fn format_of(desc: ChannelDesc) -> Result<Format> {
    let (kind, normalized) = match desc.kind {
        0 => (TexelKind::Signed, false),
        1 => (TexelKind::Unsigned, false),
        2 => (TexelKind::Float, false),
        5..=10 => (TexelKind::Unsigned, true),
        11..=16 => (TexelKind::Signed, true),
        // Planar and block-compressed formats.
        4 | 17..=30 => return Err(Error::NOT_SUPPORTED),
        _ => return Err(Error::INVALID_CHANNEL_DESCRIPTOR),
    };
    let channels = desc.bits.iter().take_while(|&&b| b != 0).count();
    let bits = desc.bits[0];
    let is_even = desc.bits[..channels].iter().all(|&b| b == bits)
        && desc.bits[channels..].iter().all(|&b| b == 0);
    let is_known = matches!(
        (kind, normalized, bits),
        (TexelKind::Float, _, 16 | 32) | (_, false, 8 | 16 | 32) | (_, true, 8 | 16)
    ) && (kind != TexelKind::Float || bits != 8);
    if !is_even || !is_known || !matches!(channels, 1 | 2 | 4) {
        return Err(Error::INVALID_CHANNEL_DESCRIPTOR);
    }
    let texel = TexFormat { channels: channels as u8, bits: bits as u8, kind };
    Ok(Format { texel, normalized })
}

/// The format of a resource view, if it is another than the resource's.
pub fn view_format(number: i32) -> Result<Option<TexFormat>> {
    const KINDS: [(u8, TexelKind); 8] = [
        (8, TexelKind::Unsigned),
        (8, TexelKind::Signed),
        (16, TexelKind::Unsigned),
        (16, TexelKind::Signed),
        (32, TexelKind::Unsigned),
        (32, TexelKind::Signed),
        (16, TexelKind::Float),
        (32, TexelKind::Float),
    ];
    match number {
        0 => Ok(None),
        // Every kind with one, two and four channels.
        1..=24 => {
            let i = number as usize - 1;
            let (bits, kind) = KINDS[i / 3];
            Ok(Some(TexFormat { channels: 1 << (i % 3), bits, kind }))
        }
        25..=34 => Err(Error::NOT_SUPPORTED),
        _ => Err(Error::INVALID_VALUE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desc(bits: [i32; 4], kind: i32) -> ChannelDesc {
        ChannelDesc { bits, kind }
    }

    #[test]
    fn channel_descriptors_name_formats() {
        let f = |bits, kind| format_of(desc(bits, kind)).map(|f| (f.texel.bytes(), f.normalized));
        assert_eq!(f([32, 0, 0, 0], 2), Ok((4, false)));
        assert_eq!(f([8, 8, 8, 8], 1), Ok((4, false)));
        assert_eq!(f([16, 16, 0, 0], 2), Ok((4, false)));
        assert_eq!(f([32, 32, 32, 32], 0), Ok((16, false)));
        assert_eq!(f([8, 8, 8, 8], 7), Ok((4, true)));
        for (bits, kind) in [
            ([8, 8, 8, 0], 1),
            ([8, 16, 0, 0], 1),
            ([0, 8, 0, 0], 1),
            ([8, 0, 0, 0], 2),
            ([64, 0, 0, 0], 0),
            ([0, 0, 0, 0], 0),
            ([32, 0, 0, 0], 5),
            ([32, 0, 0, 0], 3),
            ([-8, 0, 0, 0], 0),
        ] {
            assert_eq!(f(bits, kind), Err(Error::INVALID_CHANNEL_DESCRIPTOR), "{bits:?} {kind}");
        }
        assert_eq!(f([8, 8, 8, 8], 17), Err(Error::NOT_SUPPORTED));
    }

    #[test]
    fn view_formats_run_through_kinds_and_channels() {
        let f = |n| view_format(n).expect("known").map(|f| (f.bits, f.kind, f.channels));
        assert_eq!(f(0), None);
        assert_eq!(f(1), Some((8, TexelKind::Unsigned, 1)));
        assert_eq!(f(0x0c), Some((16, TexelKind::Signed, 4)));
        assert_eq!(f(0x14), Some((16, TexelKind::Float, 2)));
        assert_eq!(f(0x18), Some((32, TexelKind::Float, 4)));
        assert_eq!(view_format(0x19), Err(Error::NOT_SUPPORTED));
    }
}
