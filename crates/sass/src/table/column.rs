//! Column types: the pieces a row's text and legality are composed of.

use super::archs::Archs;
use super::out::Out;
use crate::Fields;

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
    /// The value of bits `lo .. lo + width` (at most 6 bits) is in the set, given as a bit mask.
    In(u8, u8, u64),
    /// As `In`, from scattered bits (at most 6), least significant first.
    Among(&'static [u8], u64),
    /// The architecture is in the set.
    Arch(Archs),
    /// The operand form (bits 9-11) is in the set, given as a bit mask.
    Form(u8),
    /// All hold.
    All(&'static [Cond]),
    /// At least one holds.
    Any(&'static [Cond]),
    /// It does not hold.
    Not(&'static Cond),
    /// Anything else.
    Fn(fn(&Fields) -> bool),
}

impl Cond {
    /// Does the word fulfil the condition?
    pub fn holds(&self, f: &Fields) -> bool {
        match *self {
            Cond::Set(b) => f.bit(b.into()),
            Cond::Clear(b) => !f.bit(b.into()),
            Cond::Eq(lo, w, v) => f.bits(lo.into(), w.into()) == u64::from(v),
            Cond::Ne(lo, w, v) => f.bits(lo.into(), w.into()) != u64::from(v),
            Cond::In(lo, w, set) => set >> (f.bits(lo.into(), w.into()) & 63) & 1 == 1,
            Cond::Among(bits, set) => set >> (scatter(f, bits) & 63) & 1 == 1,
            Cond::Arch(archs) => archs.has(f.arch),
            Cond::Form(set) => set >> f.form & 1 == 1,
            Cond::All(cs) => cs.iter().all(|c| c.holds(f)),
            Cond::Any(cs) => cs.iter().any(|c| c.holds(f)),
            Cond::Not(c) => !c.holds(f),
            Cond::Fn(test) => test(f),
        }
    }
}

/// How an immediate in bits 32-63 is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imm {
    /// Unsigned, hexadecimal.
    Hex,
    /// Signed, hexadecimal.
    Int,
    /// FP32.
    F32,
    /// High word of an FP64.
    F64,
    /// FP16 in the low half.
    F16,
    /// BF16 in the low half.
    Bf16,
    /// Two FP16, high half first.
    F16x2,
    /// Two BF16, high half first.
    Bf16x2,
}

/// A source operand that the form places: how it is decorated.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Has a sign-inversion bit: `-R1`.
    pub neg: bool,
    /// Has an absolute-value bit: `|R1|`.
    pub abs: bool,
    /// The sign bit stands for bitwise complement: `~R1`.
    pub inv: bool,
    /// Fixed suffix.
    pub suffix: &'static str,
    /// Names of the parts that two bits select (`.H1`, `.B2`…); empty: no such bits.
    pub parts: &'static [&'static str],
    /// A third bit of the part's number, 0 = none.
    pub part_bit: u8,
    /// Where the two bits are, 0 = where the operand usually has them.
    pub parts_at: u8,
    /// A packed pair of halves: other places for the decorations of the register
    /// in bits 64-71.
    pub packed: bool,
    /// A uniform register (6 bits) where others have a vector register.
    pub uniform: bool,
    /// The register can be kept in the reuse cache.
    pub reuse: bool,
    /// How an immediate is printed.
    pub imm: Imm,
}

/// An undecorated integer operand with hexadecimal immediate.
pub const PLAIN: Operand = Operand {
    neg: false,
    abs: false,
    inv: false,
    suffix: "",
    parts: &[],
    part_bit: 0,
    parts_at: 0,
    packed: false,
    uniform: false,
    reuse: true,
    imm: Imm::Hex,
};

impl Operand {
    /// With a sign-inversion bit.
    pub const fn neg(mut self) -> Operand {
        self.neg = true;
        self
    }
    /// With an absolute-value bit.
    pub const fn abs(mut self) -> Operand {
        self.abs = true;
        self
    }
    /// With a complement bit.
    pub const fn inv(mut self) -> Operand {
        self.neg = true;
        self.inv = true;
        self
    }
    /// With a suffix.
    pub const fn suffix(mut self, suffix: &'static str) -> Operand {
        self.suffix = suffix;
        self
    }
    /// With selectable parts.
    pub const fn parts(mut self, parts: &'static [&'static str]) -> Operand {
        self.parts = parts;
        self
    }
    /// With a third bit for the part's number.
    pub const fn part_bit(mut self, bit: u8) -> Operand {
        self.part_bit = bit;
        self
    }
    /// With the bits for the part's number at another place.
    pub const fn parts_at(mut self, lo: u8) -> Operand {
        self.parts_at = lo;
        self
    }
    /// A packed pair of halves.
    pub const fn packed(mut self) -> Operand {
        self.packed = true;
        self.parts = &["", ".F32", ".H0_H0", ".H1_H1"];
        self
    }
    /// A uniform register.
    pub const fn uniform(mut self) -> Operand {
        self.uniform = true;
        self.reuse = false;
        self
    }
    /// Never kept in the reuse cache (operations of variable latency).
    pub const fn no_reuse(mut self) -> Operand {
        self.reuse = false;
        self
    }
    /// With another immediate.
    pub const fn imm(mut self, imm: Imm) -> Operand {
        self.imm = imm;
        self
    }
}

/// Marks an illegal value in the name list of a [`Col::Enum`].
pub const ILLEGAL: &str = "!";
/// Marks a value in the name list that prints `.INVALIDn`.
pub const INVALID: &str = "?";

/// Marks a value in the name list that prints `.???n` (sm_80 and later).
pub const UNNAMED: &str = "#";

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
    /// Bits `lo .. lo + width` index a list of names: `""` prints nothing,
    /// [`ILLEGAL`] makes the word illegal, [`INVALID`] and values beyond the
    /// list print `.INVALIDn`, [`UNNAMED`] prints `.???n`.
    Enum(u8, u8, &'static [&'static str]),
    /// As `Enum`, from scattered bits, least significant first.
    Scatter(&'static [u8], &'static [&'static str]),

    // Operands.
    /// Source A, bits 24-31 (sign 72, absolute 73, reuse 122).
    A(Operand),
    /// Source B as the form places it (reuse 123).
    B(Operand),
    /// Source C as the form places it (reuse 124).
    C(Operand),
    /// The second source of a two-source operation whose flexible operand is C:
    /// form 1 finds its register in bits 32-39 (reuse 124).
    C32(Operand),
    /// A plain register at the bit, e.g. `R4`; 16 is the destination.
    R(u8),
    /// A register with a suffix, e.g. `R4.64`.
    RSuffix(u8, &'static str),
    /// A register that is not printed when it is `RZ`.
    ROpt(u8),
    /// A uniform register (6 bits).
    U(u8),
    /// A uniform register that is not printed when it is `URZ`.
    UOpt(u8),
    /// A predicate, e.g. `P0`, `PT`.
    P(u8),
    /// A predicate with negation bit.
    Pn(u8, u8),
    /// A predicate destination that is not printed when it is `PT`.
    POpt(u8),
    /// A predicate source that is not printed when it reads true (`PT`).
    PnTrue(u8, u8),
    /// A predicate source that is not printed when it reads false (`!PT`).
    PnFalse(u8, u8),
    /// A uniform predicate.
    Up(u8),
    /// A uniform predicate with negation bit.
    Upn(u8, u8),
    /// A uniform predicate destination that is not printed when it is `UPT`.
    UpOpt(u8),
    /// A uniform predicate source that is not printed when it reads true.
    UpnTrue(u8, u8),
    /// A uniform predicate source that is not printed when it reads false.
    UpnFalse(u8, u8),
    /// An unsigned number in hexadecimal at bits `lo .. lo + width`.
    Hex(u8, u8),
    /// A signed number in hexadecimal.
    Signed(u8, u8),
    /// An operand from a list of names (same rules as `Enum`, without dot).
    Name(u8, u8, &'static [&'static str]),
    /// A name from a list, appended to the operand printed last.
    Suffix(u8, u8, &'static [&'static str]),
    /// A constant `c[bank][offset]` or `cx[UR][offset]` in bits 32-58.
    Const,
    /// A fixed operand.
    Word(&'static str),

    // Composition.
    /// The columns apply when the condition holds.
    When(Cond, &'static [Col]),
    /// The first columns apply when the condition holds, else the second.
    Either(Cond, &'static [Col], &'static [Col]),
    /// The word is illegal unless the condition holds. Prints nothing.
    Must(Cond),
    /// The word is legal but has no text when the condition holds.
    Hide(Cond),
    /// Whatever the others cannot say.
    Fn(fn(&Fields, u64, &mut Out)),
}

/// Sources whose registers can be kept in the reuse cache: bit 0 A, 1 B, 2 C.
/// `None` when no source of the instruction has that ability.
pub(crate) fn reuse_slots(cols: &[Col], f: &Fields) -> Option<u8> {
    cols.iter()
        .filter_map(|col| match *col {
            Col::A(o) if o.reuse => Some(1),
            Col::B(o) if o.reuse => Some(if matches!(f.form, 1 | 2 | 3 | 7) { 2 } else { 0 }),
            Col::C(o) if o.reuse => Some(if matches!(f.form, 1 | 4 | 5 | 6) { 4 } else { 0 }),
            Col::C32(o) if o.reuse => Some(if f.form == 1 { 4 } else { 0 }),
            Col::When(c, then) if c.holds(f) => reuse_slots(then, f),
            Col::Either(c, then, other) => reuse_slots(if c.holds(f) { then } else { other }, f),
            _ => None,
        })
        .reduce(|a, b| a | b)
}

/// Is the word legal as far as these columns are concerned?
pub(crate) fn legal(cols: &[Col], f: &Fields) -> bool {
    cols.iter().all(|col| match *col {
        Col::Enum(lo, w, names) | Col::Name(lo, w, names) | Col::Suffix(lo, w, names) => {
            names.get(f.bits(lo.into(), w.into()) as usize) != Some(&ILLEGAL)
        }
        Col::Scatter(bits, names) => names.get(scatter(f, bits)) != Some(&ILLEGAL),
        Col::When(c, then) => !c.holds(f) || legal(then, f),
        Col::Either(c, then, other) => legal(if c.holds(f) { then } else { other }, f),
        Col::Must(c) => c.holds(f),
        _ => true,
    })
}

/// Is the word one of those that nvdisasm accepts and prints nothing for?
pub(crate) fn hidden(cols: &[Col], f: &Fields) -> bool {
    cols.iter().any(|col| match *col {
        Col::Hide(c) => c.holds(f),
        Col::When(c, then) => c.holds(f) && hidden(then, f),
        Col::Either(c, then, other) => hidden(if c.holds(f) { then } else { other }, f),
        _ => false,
    })
}

/// The number made of scattered bits, least significant first.
pub(crate) fn scatter(f: &Fields, bits: &[u8]) -> usize {
    bits.iter().enumerate().map(|(i, b)| usize::from(f.bit(u32::from(*b))) << i).sum()
}
