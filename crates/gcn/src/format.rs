//! The encodings ("microcode formats") and how the first word tells them apart.

use crate::bits::get;

/// An encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Scalar, one source.
    Sop1,
    /// Scalar, two sources.
    Sop2,
    /// Scalar compare.
    Sopc,
    /// Scalar with a 16-bit constant.
    Sopk,
    /// Program control.
    Sopp,
    /// Scalar memory read.
    Smrd,
    /// Vector, one source.
    Vop1,
    /// Vector, two sources.
    Vop2,
    /// Vector compare.
    Vopc,
    /// Vector, three sources and modifiers; also the long form of the other three.
    Vop3,
    /// Parameter interpolation.
    Vintrp,
    /// Local and global data share.
    Ds,
    /// Untyped buffer access.
    Mubuf,
    /// Typed buffer access.
    Mtbuf,
    /// Image access.
    Mimg,
    /// Export.
    Exp,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 16] = [
        Format::Sop1,
        Format::Sop2,
        Format::Sopc,
        Format::Sopk,
        Format::Sopp,
        Format::Smrd,
        Format::Vop1,
        Format::Vop2,
        Format::Vopc,
        Format::Vop3,
        Format::Vintrp,
        Format::Ds,
        Format::Mubuf,
        Format::Mtbuf,
        Format::Mimg,
        Format::Exp,
    ];

    /// The format of an instruction that begins with this word.
    pub const fn of(word: u32) -> Option<Format> {
        // Shorter prefixes contain longer ones, so the longest are tried first.
        Some(match get(word, 23, 9) {
            0b1_0111_1101 => Format::Sop1,
            0b1_0111_1110 => Format::Sopc,
            0b1_0111_1111 => Format::Sopp,
            _ => match get(word, 25, 7) {
                0b011_1110 => Format::Vopc,
                0b011_1111 => Format::Vop1,
                0..=0b011_1101 => Format::Vop2,
                top => match top >> 1 {
                    0b10_0000..=0b10_1011 => Format::Sop2,
                    0b10_1100..=0b10_1111 => Format::Sopk,
                    0b11_0000 | 0b11_0001 => Format::Smrd,
                    0b11_0010 => Format::Vintrp,
                    0b11_0100 => Format::Vop3,
                    0b11_0110 => Format::Ds,
                    0b11_1000 => Format::Mubuf,
                    0b11_1010 => Format::Mtbuf,
                    0b11_1100 => Format::Mimg,
                    0b11_1110 => Format::Exp,
                    _ => return None,
                },
            },
        })
    }

    /// The bits that say so, and the place and width of the opcode.
    pub const fn layout(self) -> Layout {
        let (prefix, lo, width) = match self {
            Format::Sop1 => (0xbe80_0000, 8, 8),
            Format::Sop2 => (0x8000_0000, 23, 7),
            Format::Sopc => (0xbf00_0000, 16, 7),
            Format::Sopk => (0xb000_0000, 23, 5),
            Format::Sopp => (0xbf80_0000, 16, 7),
            Format::Smrd => (0xc000_0000, 22, 5),
            Format::Vop1 => (0x7e00_0000, 9, 8),
            Format::Vop2 => (0, 25, 6),
            Format::Vopc => (0x7c00_0000, 17, 8),
            Format::Vop3 => (0xd000_0000, 17, 9),
            Format::Vintrp => (0xc800_0000, 16, 2),
            Format::Ds => (0xd800_0000, 18, 8),
            Format::Mubuf => (0xe000_0000, 18, 7),
            Format::Mtbuf => (0xe800_0000, 16, 3),
            Format::Mimg => (0xf000_0000, 18, 7),
            // One instruction, no opcode: no bit of the word is read.
            Format::Exp => (0xf800_0000, 0, 0),
        };
        Layout { prefix, lo, width }
    }

    /// Words of an instruction, a literal not counted.
    pub const fn words(self) -> usize {
        match self {
            Format::Sop1
            | Format::Sop2
            | Format::Sopc
            | Format::Sopk
            | Format::Sopp
            | Format::Smrd
            | Format::Vop1
            | Format::Vop2
            | Format::Vopc
            | Format::Vintrp => 1,
            Format::Vop3
            | Format::Ds
            | Format::Mubuf
            | Format::Mtbuf
            | Format::Mimg
            | Format::Exp => 2,
        }
    }

    /// May an operand be a literal after the instruction?
    pub const fn takes_literal(self) -> bool {
        matches!(
            self,
            Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Vop1 | Format::Vop2 | Format::Vopc
        )
    }
}

/// Fixed bits of a format and the place of its opcode.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The fixed bits.
    pub prefix: u32,
    /// The opcode's lowest bit.
    pub lo: u32,
    /// The opcode's width.
    pub width: u32,
}

impl Layout {
    /// The opcode in a word.
    pub const fn op(self, word: u32) -> u16 {
        get(word, self.lo, self.width) as u16
    }
}
