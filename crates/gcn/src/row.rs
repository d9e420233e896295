//! One row of a table: what is known about an instruction besides its meaning.

use crate::bit_flow::BitFlow;
use crate::format::Format;
use crate::sem::Does;
use crate::sem::vector::Pace;

/// The unit an instruction is issued to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The scalar ALU.
    Salu,
    /// The vector ALU.
    Valu,
    /// Branches and messages.
    Branch,
    /// Scalar memory.
    Smem,
    /// Vector memory: buffers and images.
    Vmem,
    /// Local and global data share.
    Lds,
    /// Exports.
    Export,
    /// None: consumed in the wave's instruction buffer.
    Internal,
}

/// What the bits of an operand are, as far as the encoding cares: only
/// floating-point operands have modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// Bits or integers.
    Bits,
    /// Floating-point.
    Float,
    /// Floating-point of 16 bits in the lower half of a dword.
    Half,
}

impl Number {
    /// Is it floating-point of any width?
    pub const fn is_float(self) -> bool {
        match self {
            Number::Bits => false,
            Number::Float | Number::Half => true,
        }
    }
}

/// Width and kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// 32-bit words.
    pub dwords: u8,
    /// What they are.
    pub number: Number,
}

/// 32 bits.
pub const B32: Kind = bits(1);
/// 64 bits.
pub const B64: Kind = bits(2);
/// 128 bits.
pub const B128: Kind = bits(4);
/// Half precision.
pub const F16: Kind = Kind { dwords: 1, number: Number::Half };
/// Single precision.
pub const F32: Kind = Kind { dwords: 1, number: Number::Float };
/// Double precision.
pub const F64: Kind = Kind { dwords: 2, number: Number::Float };

/// So many dwords of bits.
pub const fn bits(dwords: u8) -> Kind {
    Kind { dwords, number: Number::Bits }
}

/// What may stand in an operand's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// There is no such operand.
    None,
    /// A scalar register that can be written: SGPRs, VCC, M0, EXEC, the trap handler's.
    Scalar,
    /// One of those, but neither M0 nor EXEC: what scalar loads can write.
    Loaded,
    /// SGPRs or the trap handler's only: descriptors.
    Descriptor,
    /// A scalar source: register, value or constant, literals included.
    ScalarSource,
    /// A scalar source that is no literal.
    ScalarInline,
    /// A vector register.
    Vector,
    /// A vector register in a nine-bit field.
    VectorOnly,
    /// A vector register in a nine-bit field, or a dword of LDS.
    VectorOrLds,
    /// Any source of a vector instruction.
    VectorSource,
    /// VCC in the short form, which has no field for it; any pair in the long form.
    Carry,
    /// A literal that always follows.
    Literal,
}

/// One operand of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// What may stand there.
    pub place: Place,
    /// What it holds.
    pub kind: Kind,
}

/// No operand.
pub const NO: Slot = Slot { place: Place::None, kind: bits(0) };

impl Place {
    /// A slot of this place.
    pub const fn of(self, kind: Kind) -> Slot {
        Slot { place: self, kind }
    }
}

/// A set of registers that instructions use without naming them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Specials(u8);

impl Specials {
    /// The empty set.
    pub const NONE: Specials = Specials(0);
    /// The scalar condition code.
    pub const SCC: Specials = Specials(1);
    /// VCC, or a part of it.
    pub const VCC: Specials = Specials(2);
    /// EXEC, or a part of it.
    pub const EXEC: Specials = Specials(4);
    /// M0.
    pub const M0: Specials = Specials(8);

    /// Members of either set.
    pub const fn or(self, other: Specials) -> Specials {
        Specials(self.0 | other.0)
    }

    /// Members of this set that are not in the other.
    pub const fn without(self, other: Specials) -> Specials {
        Specials(self.0 & !other.0)
    }

    /// Are all members of `other` in this set?
    pub const fn has(self, other: Specials) -> bool {
        self.0 & other.0 == other.0
    }
}

/// How far an instruction raises the counters of outstanding operations when it issues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Raises {
    /// Vector memory.
    pub vm: u8,
    /// LDS, GDS, scalar memory, messages.
    pub lgkm: u8,
    /// Exports; data of stores that has yet to be read.
    pub exp: u8,
}

/// How a 16-bit constant is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Imm {
    /// There is none, or it is ignored.
    None,
    /// A number.
    Number,
    /// A number that goes without saying when it is zero.
    Optional,
    /// A distance in dwords from the next instruction.
    Branch,
    /// Counters to wait for.
    Waitcnt,
    /// A message.
    Message,
    /// A hardware register, or some bits of it.
    Hwreg,
}

/// Which offsets a data share instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offsets {
    /// One of 16 bits.
    One,
    /// Two of 8 bits, in units of the element.
    Two,
}

/// Do we execute it?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Yes, or it is meant to.
    Planned,
    /// Legal, but outside of what we model.
    NotImplemented,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The mnemonic, without `_e32` or `_e64`.
    pub name: &'static str,
    /// Its own (short) format.
    pub format: Format,
    /// The opcode in that format.
    pub op: u16,
    /// Who executes it.
    pub unit: Unit,
    /// The result. Of loads and atomics the data register.
    pub dst: Slot,
    /// The second result: carries and flags, one bit for each lane.
    pub flag: Slot,
    /// The sources. Of vector memory: address, descriptor, offset or sampler, data.
    pub src: [Slot; 4],
    /// The 16-bit constant.
    pub imm: Imm,
    /// The offsets of data share instructions.
    pub offsets: Offsets,
    /// Is the old value of the result a source as well?
    pub reads_dst: bool,
    /// Does it return the old value only when GLC is set?
    pub returns_by_glc: bool,
    /// May the data of a load go to LDS instead of registers?
    pub to_lds: bool,
    /// Does it return four values, whatever its mask of channels?
    pub gathers: bool,
    /// Must the result be apart from the sources?
    pub apart: bool,
    /// Are the sources exchanged before use?
    pub reversed: bool,
    /// Is it for the global data share only?
    pub global_only: bool,
    /// Is there a long (VOP3) form?
    pub long: bool,
    /// What it reads besides its operands. Vector instructions read EXEC, but for few.
    pub reads: Specials,
    /// What it writes besides its operands.
    pub writes: Specials,
    /// Counters.
    pub raises: Raises,
    /// Do we execute it?
    pub status: Status,
    /// What it does.
    pub does: Does,
    /// How long it keeps a SIMD unit.
    pub pace: Pace,
    /// How bits go from its operands to its result.
    pub bits: BitFlow,
}

/// Rows are the same when they are the same opcode.
impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (self.format, self.op) == (other.format, other.op)
    }
}

impl Eq for Row {}

impl Row {
    /// A row without operands.
    pub const fn new(format: Format, op: u16, name: &'static str, unit: Unit) -> Row {
        Row {
            name,
            format,
            op,
            unit,
            dst: NO,
            flag: NO,
            src: [NO; 4],
            imm: Imm::None,
            offsets: Offsets::One,
            reads_dst: false,
            returns_by_glc: false,
            to_lds: false,
            gathers: false,
            apart: false,
            reversed: false,
            global_only: false,
            long: false,
            reads: Specials::NONE,
            writes: Specials::NONE,
            raises: Raises { vm: 0, lgkm: 0, exp: 0 },
            status: Status::Planned,
            does: Does::Absent,
            pace: Pace::Full,
            bits: BitFlow::Any,
        }
    }

    /// With a result.
    pub const fn dst(self, dst: Slot) -> Row {
        Row { dst, ..self }
    }

    /// With a second result.
    pub const fn flag(self, flag: Slot) -> Row {
        Row { flag, ..self }
    }

    /// With one source.
    pub const fn src1(self, a: Slot) -> Row {
        Row { src: [a, NO, NO, NO], ..self }
    }

    /// With two sources.
    pub const fn src2(self, a: Slot, b: Slot) -> Row {
        Row { src: [a, b, NO, NO], ..self }
    }

    /// With three sources.
    pub const fn src3(self, a: Slot, b: Slot, c: Slot) -> Row {
        Row { src: [a, b, c, NO], ..self }
    }

    /// With four sources.
    pub const fn src4(self, src: [Slot; 4]) -> Row {
        Row { src, ..self }
    }

    /// With a 16-bit constant.
    pub const fn imm(self, imm: Imm) -> Row {
        Row { imm, ..self }
    }

    /// Reads these as well.
    pub const fn reads(self, more: Specials) -> Row {
        Row { reads: self.reads.or(more), ..self }
    }

    /// Writes these as well.
    pub const fn writes(self, more: Specials) -> Row {
        Row { writes: self.writes.or(more), ..self }
    }

    /// Acts on all lanes, whatever EXEC says.
    pub const fn any_lane(self) -> Row {
        Row { reads: self.reads.without(Specials::EXEC), ..self }
    }

    /// The old value of the result is a source.
    pub const fn reads_dst(self) -> Row {
        Row { reads_dst: true, ..self }
    }

    /// Issued to another unit than its neighbours.
    pub const fn on(self, unit: Unit) -> Row {
        Row { unit, ..self }
    }

    /// Its sources are exchanged before use.
    pub const fn reversed(self) -> Row {
        Row { reversed: true, ..self }
    }

    /// Has no long form.
    pub const fn short_only(self) -> Row {
        Row { long: false, ..self }
    }

    /// Raises counters.
    pub const fn raises(self, vm: u8, lgkm: u8, exp: u8) -> Row {
        Row { raises: Raises { vm, lgkm, exp }, ..self }
    }

    /// With a meaning.
    pub const fn does(self, does: Does) -> Row {
        Row { does, ..self }
    }

    /// At another pace than most.
    pub const fn pace(self, pace: Pace) -> Row {
        Row { pace, ..self }
    }

    /// With a way for bits.
    pub const fn bits(self, bits: BitFlow) -> Row {
        Row { bits, ..self }
    }

    /// Legal, but not executed.
    pub const fn not_implemented(self) -> Row {
        Row { status: Status::NotImplemented, ..self }
    }

    /// The opcode of the long form, which all vector formats share.
    pub const fn long_op(&self) -> u16 {
        match self.format {
            Format::Vop2 => 256 + self.op,
            Format::Vop1 => 384 + self.op,
            _ => self.op,
        }
    }
}
