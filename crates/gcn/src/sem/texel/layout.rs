//! Data formats: which bits are which channel.

/// Widths of channels from the lowest bit on; channels that are not there have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Bits of each.
    pub widths: [u8; 4],
}

impl Layout {
    /// Of a data format's number. Names in the manual begin with the highest
    /// channel: 2_10_10_10 has two bits on top (CLRX, "data formats").
    pub const fn of(dfmt: u8) -> Option<Layout> {
        let widths = match dfmt {
            1 => [8, 0, 0, 0],
            2 => [16, 0, 0, 0],
            3 => [8, 8, 0, 0],
            4 => [32, 0, 0, 0],
            5 => [16, 16, 0, 0],
            6 => [11, 11, 10, 0],
            7 => [10, 11, 11, 0],
            8 => [2, 10, 10, 10],
            9 => [10, 10, 10, 2],
            10 => [8, 8, 8, 8],
            11 => [32, 32, 0, 0],
            12 => [16, 16, 16, 16],
            13 => [32, 32, 32, 0],
            14 => [32, 32, 32, 32],
            // 0 is invalid, 15 reserved.
            _ => return None,
        };
        Some(Layout { widths })
    }

    /// Bytes of all channels.
    pub const fn bytes(self) -> u8 {
        let [x, y, z, w] = self.widths;
        (x + y + z + w) / 8
    }

    /// The bits of each channel.
    pub fn unpack(self, texel: u128) -> [u32; 4] {
        let mut rest = texel;
        self.widths.map(|width| {
            let value = rest & mask(width);
            rest >>= width;
            value as u32
        })
    }

    /// The texel of channels; bits that do not fit are cut off.
    pub fn pack(self, channels: [u32; 4]) -> u128 {
        let (mut texel, mut at) = (0, 0);
        for (value, width) in channels.into_iter().zip(self.widths) {
            // The channel after the last bit of 128 has no width and no bits.
            texel |= (u128::from(value) & mask(width)).checked_shl(at).unwrap_or(0);
            at += u32::from(width);
        }
        texel
    }
}

const fn mask(width: u8) -> u128 {
    (1 << width) - 1
}
