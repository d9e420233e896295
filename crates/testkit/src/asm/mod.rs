//! A small assembler: the instructions that generated programs are made of,
//! for sm_70, sm_75, sm_80 and sm_90.
//!
//! A function per instruction returns its [`Code`]: opcode, operands and
//! modifiers. Guard and scheduling fields come later, from whoever knows what
//! stands around the instruction. Encodings: `docs/sass-encoding.md`; every
//! function is checked by decoding what it returns.

mod control;
pub mod cubin;
pub mod float;
pub mod flow;
pub mod int;
pub mod memory;
pub mod moves;
mod operand;
pub mod uniform;
pub mod warp;

#[cfg(test)]
mod tests;

pub use control::Control;
pub use operand::{P, PT, R, RZ, Src, U, URZ, constant};
use upset_sass::Word;

/// An instruction without its scheduling fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub u128);

/// Operand forms, bits 9-11.
mod form {
    pub const REG: u128 = 1;
    pub const C_IMM: u128 = 2;
    pub const C_CONST: u128 = 3;
    pub const IMM: u128 = 4;
    pub const CONST: u128 = 5;
    pub const UNIFORM: u128 = 6;
    pub const C_UNIFORM: u128 = 7;
}

/// Bit 91: a uniform register takes part.
const WITH_UNIFORM: u128 = 1 << 91;

impl Code {
    /// Opcode (bits 0-8) and form, always executed.
    fn new(opcode: u16, form: u128) -> Code {
        Code(u128::from(opcode) | form << 9 | 7 << 12)
    }

    /// Puts `value` at bit `lo`; the bits there must still be clear.
    fn at(self, lo: u32, value: impl Into<u128>) -> Code {
        Code(self.0 | value.into() << lo)
    }

    /// Sets a bit if `on`.
    fn flag(self, bit: u32, on: bool) -> Code {
        self.at(bit, u8::from(on))
    }

    fn dst(self, d: R) -> Code {
        self.at(16, d.0)
    }

    fn a(self, a: R) -> Code {
        self.at(24, a.0)
    }

    fn c(self, c: R) -> Code {
        self.at(64, c.0)
    }

    /// A predicate source and its negation.
    fn pred(self, lo: u32, not: u32, p: P) -> Code {
        self.at(lo, p.index).flag(not, p.not)
    }

    /// The flexible operand in bits 32-63 with the form it asks for: at B, or
    /// with `at_c` at C.
    fn flexible(opcode: u16, src: Src, at_c: bool) -> Code {
        let form = |b, c| if at_c { c } else { b };
        match src {
            Src::Reg(r) => Code::new(opcode, form::REG).at(32, r.0),
            Src::Imm(v) => Code::new(opcode, form(form::IMM, form::C_IMM)).at(32, v),
            Src::Const { bank, offset } => {
                let code = Code::new(opcode, form(form::CONST, form::C_CONST));
                code.at(40, offset / 4).at(54, bank)
            }
            Src::Uniform(u) => {
                let code = Code::new(opcode, form(form::UNIFORM, form::C_UNIFORM));
                Code(code.at(32, u.0).0 | WITH_UNIFORM)
            }
        }
    }

    /// Executed only where `p` holds.
    pub fn guard(self, p: P) -> Code {
        Code(self.0 & !(15 << 12)).pred(12, 15, p)
    }

    /// With A negated (complemented in instructions with `.X`).
    pub fn neg_a(self) -> Code {
        self.flag(72, true)
    }

    /// With B negated; not for immediates.
    pub fn neg_b(self) -> Code {
        let c_form = matches!(self.0 >> 9 & 7, form::C_IMM | form::C_CONST | form::C_UNIFORM);
        self.flag(if c_form { 75 } else { 63 }, true)
    }

    /// With C negated; not for immediates.
    pub fn neg_c(self) -> Code {
        let c_form = matches!(self.0 >> 9 & 7, form::C_CONST | form::C_UNIFORM);
        self.flag(if c_form { 63 } else { 75 }, true)
    }

    /// The word, with scheduling fields.
    pub fn word(self, control: Control) -> Word {
        Word(self.0 | control.bits())
    }
}
