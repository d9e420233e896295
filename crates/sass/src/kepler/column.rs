//! Column types: the pieces a row's text and legality are composed of.

use super::{Fields, Form};
use crate::table::print::Out;

/// A condition on an encoded word.
#[derive(Clone, Copy, Debug)]
pub enum Cond {
    /// The bit is set.
    Set(u8),
    /// The bit is clear.
    Clear(u8),
    /// Bits `lo .. lo + width` equal the value.
    Eq(u8, u8, u32),
    /// Bits `lo .. lo + width` differ from the value.
    Ne(u8, u8, u32),
    /// The form is another.
    NotForm(Form),
    /// All hold.
    All(&'static [Cond]),
    /// At least one holds.
    Any(&'static [Cond]),
}

impl Cond {
    /// Does the word fulfil the condition?
    pub fn holds(&self, f: &Fields) -> bool {
        match *self {
            Cond::Set(b) => f.bit(b.into()),
            Cond::Clear(b) => !f.bit(b.into()),
            Cond::Eq(lo, w, v) => f.bits(lo.into(), w.into()) == u64::from(v),
            Cond::Ne(lo, w, v) => f.bits(lo.into(), w.into()) != u64::from(v),
            Cond::NotForm(form) => f.form != form,
            Cond::All(cs) => cs.iter().all(|c| c.holds(f)),
            Cond::Any(cs) => cs.iter().any(|c| c.holds(f)),
        }
    }
}

/// How a 20-bit immediate is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imm {
    /// Signed, hexadecimal.
    Int,
    /// Unsigned, hexadecimal.
    Hex,
    /// The upper 20 bits of an FP32.
    F32,
    /// The upper 20 bits of an FP64.
    F64,
    /// As the type in bits 12-13 says: FP16, FP32 or FP64.
    Typed,
    /// A shift of 6 bits.
    Shift,
}

/// A source operand: where its decorations are. Bit 0 stands for "none".
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Sign inversion: `-R1`, of an immediate `.NEG`.
    pub neg: u8,
    /// Absolute value: `|R1|`, of an immediate `.ABS`.
    pub abs: u8,
    /// Bitwise complement: `~R1`, of an immediate `.INV`.
    pub inv: u8,
    /// How an immediate is printed.
    pub imm: Imm,
    /// The part of the source that the word selects (`.B1`, `.H1`).
    pub part: Option<fn(&Fields) -> &'static str>,
}

/// An undecorated integer.
pub const INT: Source = Source { neg: 0, abs: 0, inv: 0, imm: Imm::Int, part: None };
/// An undecorated FP32.
pub const F32: Source = INT.imm(Imm::F32);
/// An undecorated FP64.
pub const F64: Source = INT.imm(Imm::F64);

impl Source {
    /// With sign inversion.
    pub const fn neg(mut self, bit: u8) -> Source {
        self.neg = bit;
        self
    }
    /// With absolute value.
    pub const fn abs(mut self, bit: u8) -> Source {
        self.abs = bit;
        self
    }
    /// With complement.
    pub const fn inv(mut self, bit: u8) -> Source {
        self.inv = bit;
        self
    }
    /// With another immediate.
    pub const fn imm(mut self, imm: Imm) -> Source {
        self.imm = imm;
        self
    }
    /// With selectable parts.
    pub const fn part(mut self, part: fn(&Fields) -> &'static str) -> Source {
        self.part = Some(part);
        self
    }
}

/// A piece of an instruction's text. Pieces before the first operand are
/// modifiers and bring their own dot; operands are separated by the printer.
#[derive(Clone, Copy, Debug)]
pub enum Col {
    // Modifiers.
    /// Always printed.
    Lit(&'static str),
    /// Printed when the bit is set.
    Flag(u8, &'static str),
    /// Printed when the bit is clear.
    Unless(u8, &'static str),
    /// Bits `lo .. lo + width` index a list of names, one for every value; a
    /// value without meaning has the name that nvdisasm gives it.
    Enum(u8, u8, &'static [&'static str]),
    /// As `Enum`, from scattered bits, least significant first.
    Scatter(&'static [u8], &'static [&'static str]),

    // Operands.
    /// Destination, bits 2-9, with `.CC` when the bit is set.
    Dst(u8),
    /// Source A, bits 10-17.
    A(Source),
    /// Source B as the form places it.
    B(Source),
    /// Source C as the form places it.
    C(Source),
    /// A plain register at the bit.
    R(u8),
    /// A register that is not printed when it is `RZ`.
    ROpt(u8),
    /// A predicate, e.g. `P0`, `PT`.
    P(u8),
    /// A predicate with negation bit.
    Pn(u8, u8),
    /// A predicate that is not printed when it is `PT`.
    POpt(u8),
    /// An unsigned number in hexadecimal at bits `lo .. lo + width`.
    Hex(u8, u8),
    /// As `Hex`, not printed when zero.
    HexOpt(u8, u8),
    /// A signed number in hexadecimal.
    Signed(u8, u8),
    /// The FP32 in bits 23-54.
    Float32,
    /// The constant of bits 23-41.
    Const,
    /// A memory operand `[R1+0x10]`: what stands before it, the lowest bit and
    /// the width of the signed byte offset; the base is in bits 10-17.
    Mem(&'static str, u8, u8),
    /// A memory operand without offset.
    At,
    /// An operand from a list of names (same rules as `Enum`, without dot).
    Name(u8, u8, &'static [&'static str]),
    /// A fixed operand.
    Word(&'static str),
    /// Appended to the operand printed last when the bit is set.
    Suffix(u8, &'static str),

    // Composition.
    /// The columns apply when the condition holds.
    When(Cond, &'static [Col]),
    /// The first columns apply when the condition holds, else the second.
    Either(Cond, &'static [Col], &'static [Col]),
    /// The word is illegal unless the condition holds. Prints nothing.
    Must(Cond),
    /// Anything else. The second argument is the byte offset of the word.
    Fn(fn(&Fields, u64, &mut Out)),
}

/// Is the word legal as far as these columns are concerned?
pub(crate) fn legal(cols: &[Col], f: &Fields) -> bool {
    cols.iter().all(|col| match *col {
        Col::When(c, then) => !c.holds(f) || legal(then, f),
        Col::Either(c, then, other) => legal(if c.holds(f) { then } else { other }, f),
        Col::Must(c) => c.holds(f),
        _ => true,
    })
}

/// The number made of scattered bits, least significant first.
pub(crate) fn scatter(f: &Fields, bits: &[u8]) -> usize {
    bits.iter().enumerate().map(|(i, b)| usize::from(f.bit(u32::from(*b))) << i).sum()
}
