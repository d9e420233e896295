//! What a lane moves between memory and registers.

use super::layout::Layout;
use super::number::Number;

/// What a lane moves between memory and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// So many dwords as they are.
    Dwords(u8),
    /// One or two bytes, extended to a dword.
    Small {
        /// How many.
        bytes: u8,
        /// Their sign is extended.
        signed: bool,
    },
    /// Channels of a format.
    Texel {
        /// Where they are.
        layout: Layout,
        /// What they are.
        number: Number,
        /// Which of them each register has: 0 zero, 1 one, 4 to 7 a channel.
        select: [u8; 4],
        /// Registers.
        registers: u8,
    },
    /// A format that does not exist: reads zero, writes nothing.
    Invalid,
}

/// Registers have the channels in their order.
pub const IDENTITY: [u8; 4] = [4, 5, 6, 7];

impl Shape {
    /// Channels of a format by its numbers.
    pub const fn texel(dfmt: u8, nfmt: u8, select: [u8; 4], registers: u8) -> Shape {
        match Layout::of(dfmt) {
            Some(layout) => {
                Shape::Texel { layout, number: Number::of(nfmt), select, registers }.plain()
            }
            None => Shape::Invalid,
        }
    }

    /// Dwords that no conversion changes are just that: the usual case of code
    /// that knows typed accesses only.
    const fn plain(self) -> Shape {
        let Shape::Texel { layout, number, select, registers } = self else { return self };
        let whole = matches!(number, Number::Uint | Number::Sint | Number::Float);
        let mut n = 0;
        while n < 4 {
            let here = n < registers as usize;
            let same = if here {
                layout.widths[n] == 32 && select[n] == IDENTITY[n]
            } else {
                layout.widths[n] == 0
            };
            if !(whole && same) {
                return self;
            }
            n += 1;
        }
        Shape::Dwords(registers)
    }

    /// Channels of a format that an instruction names: none is exchanged.
    pub const fn typed(dfmt: u8, nfmt: u8, registers: u8) -> Shape {
        Shape::texel(dfmt, nfmt, IDENTITY, registers)
    }

    /// Bytes in memory.
    pub const fn bytes(self) -> u8 {
        match self {
            Shape::Dwords(n) => 4 * n,
            Shape::Small { bytes, .. } => bytes,
            Shape::Texel { layout, .. } => layout.bytes(),
            Shape::Invalid => 0,
        }
    }

    /// What addresses are rounded down to a multiple of: a dword, or what is
    /// smaller than that (CLRX, "Buffer addressing").
    pub const fn alignment(self) -> u64 {
        match self.bytes() {
            0 | 1 => 1,
            2 | 3 => 2,
            _ => 4,
        }
    }

    /// What registers get of a lane's bytes; bytes that are not there are zero.
    pub fn load_lane(self, bytes: &[u8]) -> [u32; 4] {
        let mut all = [0; 16];
        let len = bytes.len().min(16);
        all[..len].copy_from_slice(&bytes[..len]);
        let texel = u128::from_le_bytes(all);
        let word = texel as u32;
        match self {
            Shape::Dwords(_) => [0, 32, 64, 96].map(|at| (texel >> at) as u32),
            Shape::Small { bytes: 1, signed } => {
                [if signed { word as i8 as u32 } else { word & 0xff }, 0, 0, 0]
            }
            Shape::Small { signed, .. } => {
                [if signed { word as i16 as u32 } else { word & 0xffff }, 0, 0, 0]
            }
            Shape::Texel { layout, number, select, registers } => {
                let bits = layout.unpack(texel);
                first(registers, |r| match select[r] {
                    1 => number.one(),
                    code @ 4..=7 => match (layout.widths[usize::from(code - 4)], code) {
                        // Of channels that are not there the last one is one.
                        (0, 7) => number.one(),
                        (0, _) => 0,
                        (width, _) => number.load(bits[usize::from(code - 4)], width),
                    },
                    _ => 0,
                })
            }
            Shape::Invalid => [0; 4],
        }
    }

    /// What registers get of an access out of range: zero, but one where the
    /// descriptor says so.
    pub fn outside(self) -> [u32; 4] {
        match self {
            Shape::Texel { number, select, registers, .. } => {
                first(registers, |r| if select[r] == 1 { number.one() } else { 0 })
            }
            _ => [0; 4],
        }
    }

    /// The bytes that registers become, and how many.
    pub fn store_lane(self, words: [u32; 4]) -> ([u8; 16], usize) {
        let texel = match self {
            Shape::Texel { layout, number, select, registers } => {
                let mut channels = [0; 4];
                for (c, channel) in channels.iter_mut().enumerate() {
                    // Channels that no register has are stored as zero.
                    let from = (0..usize::from(registers.min(4)))
                        .find(|&r| usize::from(select[r]) == 4 + c);
                    if let (Some(r), width @ 1..) = (from, layout.widths[c]) {
                        *channel = number.store(words[r], width);
                    }
                }
                layout.pack(channels)
            }
            _ => words.into_iter().rev().fold(0, |all, word| all << 32 | u128::from(word)),
        };
        (texel.to_le_bytes(), usize::from(self.bytes()))
    }
}

/// Values of the first registers, and zeroes.
fn first(registers: u8, value: impl Fn(usize) -> u32) -> [u32; 4] {
    std::array::from_fn(|r| if r < usize::from(registers) { value(r) } else { 0 })
}
