//! A decoded instruction.

use crate::format::Format;
use crate::operand::Operand;
use crate::row::{Kind, Place, Raises, Row, Slot, Specials, bits};

/// A decoded instruction. Bits that mean nothing to it are not kept.
///
/// Operands that the short forms imply (VCC as carry or as the result of a
/// compare) are named like all others, so both forms look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    /// Its row.
    pub row: &'static Row,
    /// How it is encoded: the row's own format or, of vector instructions, the long one.
    pub format: Format,
    /// The result.
    pub dst: Operand,
    /// The second result: carries and flags.
    pub flag: Operand,
    /// The sources, as in the row.
    pub src: [Operand; 4],
    /// What is particular to the format.
    pub detail: Detail,
}

/// What is particular to a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    None,
    /// A 16-bit constant.
    Imm(u16),
    /// Scalar memory.
    Scalar(Scalar),
    /// The long vector form.
    Modifiers(Modifiers),
    /// Data share.
    Share(Share),
    /// Buffers, typed and untyped.
    Buffer(Buffer),
    /// Images.
    Image(Image),
    /// Export.
    Export(Export),
    /// Interpolation.
    Interp(Interp),
}

/// Scalar memory: where the offset comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scalar {
    /// An offset in dwords; without it the second source is one in bytes.
    pub offset: Option<u8>,
}

/// Modifiers of the long vector form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Sources whose sign is cleared (bit n: source n).
    pub abs: u8,
    /// Sources whose sign is changed, after that.
    pub neg: u8,
    /// The result is multiplied: 0 by 1, 1 by 2, 2 by 4, 3 by a half.
    pub omod: u8,
    /// The result is limited to 0 to 1.
    pub clamp: bool,
}

/// Data share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The offset, or two of them in its bytes.
    pub offset: u16,
    /// Global instead of local.
    pub gds: bool,
}

/// Buffers, typed and untyped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// The offset in bytes, 12 bits.
    pub offset: u16,
    /// A register gives an offset.
    pub offen: bool,
    /// A register gives an index.
    pub idxen: bool,
    /// A pair of registers gives an address.
    pub addr64: bool,
    /// Globally coherent; of atomics: the old value is returned.
    pub glc: bool,
    /// System-level coherent.
    pub slc: bool,
    /// A further register tells of pages that are not there.
    pub tfe: bool,
    /// The data goes to LDS.
    pub lds: bool,
    /// Data format of a typed access.
    pub dfmt: u8,
    /// Number format of a typed access.
    pub nfmt: u8,
}

impl Buffer {
    /// Registers of the vector address.
    pub const fn address(&self) -> u8 {
        if self.addr64 { 2 } else { self.offen as u8 + self.idxen as u8 }
    }
}

/// Images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Channels.
    pub dmask: u8,
    /// Coordinates are not normalised.
    pub unorm: bool,
    /// Globally coherent; of atomics: the old value is returned.
    pub glc: bool,
    /// An array.
    pub da: bool,
    /// The descriptor has 128 bits.
    pub r128: bool,
    /// A further register tells of pages that are not there.
    pub tfe: bool,
    /// A warning about the level of detail is wanted.
    pub lwe: bool,
    /// System-level coherent.
    pub slc: bool,
}

/// Export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// Which of the values are sent.
    pub enabled: u8,
    /// Where to.
    pub target: u8,
    /// Two values in a register.
    pub compressed: bool,
    /// The last one.
    pub done: bool,
    /// EXEC is the mask of valid pixels.
    pub valid_mask: bool,
}

/// Interpolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interp {
    /// The attribute.
    pub attribute: u8,
    /// Its channel.
    pub channel: u8,
    /// The vertex, where the source is none but that.
    pub vertex: u8,
}

impl Inst {
    /// Length in bytes, the literal included.
    pub fn length(&self) -> usize {
        4 * (self.format.words() + usize::from(self.literal().is_some()))
    }

    /// The literal that follows, if one does.
    pub fn literal(&self) -> Option<u32> {
        self.src.iter().find_map(|src| match src {
            Operand::Literal(value) => Some(*value),
            _ => None,
        })
    }

    /// What may stand in source `n`, in this encoding.
    pub const fn slot(&self, n: usize) -> Slot {
        let slot = self.row.src[n];
        match (self.format, slot.place) {
            // The long form has nine bits for each source.
            (Format::Vop3, Place::Vector) => Place::VectorSource.of(slot.kind),
            _ => Slot { kind: self.width(n, slot.kind), ..slot },
        }
    }

    /// Addresses and data of memory are as wide as the flags say.
    const fn width(&self, n: usize, kind: Kind) -> Kind {
        match (self.detail, n) {
            (Detail::Buffer(b), 0) => bits(b.address()),
            (Detail::Image(image), 3) => bits(self.channels(&image)),
            _ => kind,
        }
    }

    /// Width of the result, in dwords, the status word of a load included.
    pub const fn result_dwords(&self) -> u8 {
        match self.detail {
            Detail::Buffer(b) => self.row.dst.kind.dwords + b.tfe as u8,
            Detail::Image(image) => self.channels(&image) + image.tfe as u8,
            _ => self.row.dst.kind.dwords,
        }
    }

    /// Dwords that the mask of channels selects; none selects one.
    const fn channels(&self, image: &Image) -> u8 {
        match image.dmask.count_ones() as u8 {
            _ if self.row.gathers => 4,
            0 => 1,
            n => n,
        }
    }

    /// Special registers that it reads, named or not.
    pub fn reads(&self) -> Specials {
        let mut all = self.row.reads;
        for src in self.src {
            all = all.or(special(src));
        }
        if self.row.reads_dst {
            all = all.or(special(self.dst));
        }
        // LDS is addressed by M0 there.
        let lds = self.src.contains(&Operand::LdsDirect)
            || matches!(self.detail, Detail::Buffer(b) if b.lds);
        if lds { all.or(Specials::M0) } else { all }
    }

    /// Special registers that it writes, named or not.
    pub fn writes(&self) -> Specials {
        self.row.writes.or(special(self.dst)).or(special(self.flag))
    }

    /// Counters that it raises.
    pub fn raises(&self) -> Raises {
        match self.detail {
            // The data of global data share leaves the registers late, as exports do.
            Detail::Share(share) if share.gds => Raises { exp: 1, ..self.row.raises },
            _ => self.row.raises,
        }
    }
}

fn special(operand: Operand) -> Specials {
    match operand {
        Operand::VccLo | Operand::VccHi | Operand::Vccz => Specials::VCC,
        Operand::ExecLo | Operand::ExecHi | Operand::Execz => Specials::EXEC,
        Operand::M0 => Specials::M0,
        Operand::Scc => Specials::SCC,
        _ => Specials::NONE,
    }
}
