//! One row of the table.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::archs::Archs;
use super::column::{Col, Cond};
use crate::{Arch, Fields, Lower};

/// The operand forms (bits 9-11) a row covers, together with bit 91: bit `f`
/// stands for form `f` with bit 91 clear, bit `f + 8` for the same with bit 91 set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms(pub u16);

impl Forms {
    /// One form, bit 91 clear.
    pub const fn one(form: u8) -> Forms {
        Forms(1 << form)
    }
    /// One form, bit 91 set.
    pub const fn one91(form: u8) -> Forms {
        Forms(1 << (form + 8))
    }
    /// Forms of either set.
    pub const fn or(self, other: Forms) -> Forms {
        Forms(self.0 | other.0)
    }
    /// Forms that place a flexible operand at B: register, immediate,
    /// constant, bindless constant, uniform register.
    pub const B: Forms = Forms(1 << 1 | 1 << 4 | 1 << 5 | 1 << (5 + 8) | 1 << (6 + 8));
    /// Forms that place a flexible operand at C: register, immediate,
    /// constant, bindless constant, uniform register.
    pub const C: Forms = Forms(1 << 1 | 1 << 2 | 1 << 3 | 1 << (3 + 8) | 1 << (7 + 8));
    /// All nine forms of a three-source operation.
    pub const BC: Forms = Forms::B.or(Forms::C);
    /// These forms without those of `other`.
    pub const fn but(self, other: Forms) -> Forms {
        Forms(self.0 & !other.0)
    }
}

/// Which scoreboard fields an instruction may use; the others must hold 7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boards {
    /// Any values.
    Both,
    /// Nothing to write: bits 110-112 must be 7.
    Read,
    /// Bits 113-115 must be 7.
    Write,
    /// Both fields must be 7.
    None,
}

/// One instruction.
#[derive(Debug)]
pub struct Row {
    /// Name, unit, latency class.
    pub op: &'static OpDef,
    /// Architectures that have it in this shape.
    pub archs: Archs,
    /// Opcode, bits 0-8.
    pub code: u16,
    /// Operand forms, with bit 91.
    pub forms: Forms,
    /// Bit 91 means nothing up to sm_75 and must be clear from sm_80.
    pub loose91: bool,
    /// Further conditions that select this row among those of the same opcode.
    pub when: &'static [Cond],
    /// Modifiers in print order.
    pub mods: &'static [Col],
    /// Operands in print order.
    pub args: &'static [Col],
    /// Scoreboard fields in use.
    pub boards: Boards,
    /// Legal, but nvdisasm 11.8 prints neither address nor text.
    pub silent: bool,
    /// Later releases print the text of this row.
    pub later: bool,
    /// Guarded by a uniform predicate (`@UP0`).
    pub uniform: bool,
    /// Meaning; `None` = legal, not implemented.
    pub lower: Option<Lower>,
}

/// A row with the usual properties; the methods below change single columns.
pub const fn row(
    op: &'static OpDef,
    archs: Archs,
    code: u16,
    forms: Forms,
    mods: &'static [Col],
    args: &'static [Col],
) -> Row {
    Row {
        op,
        archs,
        code,
        forms,
        loose91: false,
        when: &[],
        mods,
        args,
        boards: Boards::Both,
        silent: false,
        later: false,
        uniform: false,
        lower: None,
    }
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
    /// Sets the scoreboard fields in use.
    pub const fn boards(mut self, boards: Boards) -> Row {
        self.boards = boards;
        self
    }
    /// Bit 91 is ignored up to sm_75.
    pub const fn loose91(mut self) -> Row {
        self.loose91 = true;
        self
    }
    /// Legal without text.
    pub const fn silent(mut self) -> Row {
        self.silent = true;
        self
    }
    /// Legal without text for nvdisasm 11.8; later ones have one.
    pub const fn later(mut self) -> Row {
        self.later = true;
        self.silent()
    }
    /// Guarded by a uniform predicate.
    pub const fn uniform(mut self) -> Row {
        self.uniform = true;
        self
    }

    /// Does the row cover this form and bit 91 on `arch`?
    pub(super) fn covers(&self, arch: Arch, form: u8, b91: bool) -> bool {
        let clear = self.forms.0 >> form & 1 == 1;
        let set = self.forms.0 >> (form + 8) & 1 == 1;
        match (b91, arch) {
            // Without a uniform datapath nothing looks at bit 91.
            (false, _) | (true, Arch::Sm70) => clear,
            (true, Arch::Sm75) => set || (clear && self.loose91),
            (true, _) => set,
        }
    }

    /// Do the selecting conditions hold?
    pub(super) fn selected(&self, f: &Fields) -> bool {
        self.when.iter().all(|c| c.holds(f))
    }
}

/// Shorthand for a row's [`OpDef`].
pub const fn op(name: &'static str, unit: Unit, latency: LatencyClass) -> OpDef {
    OpDef::new(name, unit, latency)
}

/// Stands in [`Fields`] until a row is found.
pub static UNKNOWN: OpDef = op("?", Unit::System, LatencyClass::None);
