//! One row of the table.

use upset_isa::OpDef;

use super::column::{Col, Cond};
use super::{Fields, Form, Lower};

/// The words of one form: class (bits 0-1) and opcode (bits 52-63) under a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// Bits 0-1.
    pub class: u8,
    /// Bits of the opcode that select; the others are operands.
    pub mask: u16,
    /// Their values.
    pub value: u16,
    /// Where operands are.
    pub form: Form,
}

impl Code {
    /// The opcodes that have this form.
    pub fn opcodes(&self) -> impl Iterator<Item = u16> {
        let free = !self.mask & 0xfff;
        let possible = self.value & !self.mask == 0 && self.value <= 0xfff;
        let first = possible.then_some(0);
        let rest =
            move |used: &u16| Some((used | !free).wrapping_add(1) & free).filter(|n| *n != 0);
        let value = self.value;
        std::iter::successors(first, rest).map(move |used| value | used)
    }
}

/// The forms of an instruction, at most four.
#[derive(Clone, Copy, Debug)]
pub struct Codes([Option<Code>; 4]);

/// The bit of the opcode that is the sign of an immediate.
const SIGN: u16 = 0x080;

impl Codes {
    /// One form of its own.
    pub const fn one(class: u8, mask: u16, value: u16) -> Codes {
        Codes([Some(Code { class, mask, value, form: Form::Own }), None, None, None])
    }

    /// Register, immediate and constant as B. `reg` is the opcode without its
    /// two upper bits, `mask` the part of it that selects.
    pub const fn b(reg: u16, imm: u16, mask: u16) -> Codes {
        Codes([
            reg_code(reg | 0xc00, mask, Form::Reg),
            reg_code(reg | 0x400, mask, Form::ConstB),
            imm_code(imm, mask),
            None,
        ])
    }

    /// Register, immediate and constant as B, constant as C.
    pub const fn bc(reg: u16, imm: u16, mask: u16) -> Codes {
        let Codes([a, b, c, _]) = Codes::b(reg, imm, mask);
        Codes([a, b, c, reg_code(reg | 0x800, mask, Form::ConstC)])
    }

    /// Register and immediate as B.
    pub const fn no_const(reg: u16, imm: u16, mask: u16) -> Codes {
        Codes([reg_code(reg | 0xc00, mask, Form::Reg), imm_code(imm, mask), None, None])
    }

    /// The forms.
    pub fn iter(&self) -> impl Iterator<Item = &Code> {
        self.0.iter().flatten()
    }
}

const fn reg_code(value: u16, mask: u16, form: Form) -> Option<Code> {
    Some(Code { class: 2, mask: mask | 0xc00, value, form })
}

const fn imm_code(value: u16, mask: u16) -> Option<Code> {
    Some(Code { class: 1, mask: (mask | 0xc00) & !SIGN, value, form: Form::Imm })
}

/// One instruction.
#[derive(Debug)]
pub struct Row {
    /// Name, unit, latency class.
    pub op: &'static OpDef,
    /// Forms.
    pub codes: Codes,
    /// Further conditions that select this row among those of the same opcode.
    pub when: &'static [Cond],
    /// Modifiers in print order.
    pub mods: &'static [Col],
    /// Operands in print order.
    pub args: &'static [Col],
    /// Has a guard predicate in bits 18-21.
    pub guarded: bool,
    /// Has a join flag (`.S`) in bit 22.
    pub joins: bool,
    /// Meaning; `None` = legal, not implemented.
    pub lower: Option<Lower>,
}

/// A row with the usual properties; the methods below change single columns.
pub const fn row(
    op: &'static OpDef,
    codes: Codes,
    mods: &'static [Col],
    args: &'static [Col],
) -> Row {
    Row { op, codes, when: &[], mods, args, guarded: true, joins: true, lower: None }
}

impl Row {
    /// Sets the meaning.
    pub const fn lower(mut self, lower: Lower) -> Row {
        self.lower = Some(lower);
        self
    }
    /// Restricts the row to words that fulfil all conditions.
    pub const fn when(mut self, when: &'static [Cond]) -> Row {
        self.when = when;
        self
    }
    /// A flow instruction: bit 22 means nothing.
    pub const fn flow(mut self) -> Row {
        self.joins = false;
        self
    }
    /// Without guard.
    pub const fn unguarded(mut self) -> Row {
        self.guarded = false;
        self
    }

    /// Do the selecting conditions hold?
    pub(super) fn selected(&self, f: &Fields) -> bool {
        self.when.iter().all(|c| c.holds(f))
    }
}
