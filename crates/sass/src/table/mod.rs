//! The instruction table: one row per instruction.
//!
//! A [`Row`] is everything this crate knows about an instruction: which bits
//! select it, what is printed and in which order, which values are illegal,
//! where it executes, and (column `lower`) what it does. Decoder, disassembler
//! and execution read the same row, so they cannot disagree.
//!
//! `docs/adding-an-opcode.md` walks through a row.

pub mod column;
pub mod number;
pub mod print;

mod asynchronous;
mod atomic;
mod barrier;
mod convert;
mod float;
mod flow;
mod flow_target;
mod graphics;
mod half;
mod hidden;
mod hopper;
mod int;
mod memory;
mod memory_address;
mod memory_order;
mod movement;
mod predicate;
mod surface;
mod system;
mod system_registers;
mod tensor;
mod tensor_group;
mod texture;
mod uniform;
mod warp;

#[cfg(test)]
mod tests;

use upset_isa::{LatencyClass, OpDef, Unit};

use crate::{Arch, Fields, Lower, Word};
pub use column::{Col, Cond, Imm, Operand};

/// A set of architectures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Archs(u8);

impl Archs {
    /// sm_70.
    pub const SM70: Archs = Archs(1);
    /// sm_75.
    pub const SM75: Archs = Archs(2);
    /// sm_80.
    pub const SM80: Archs = Archs(4);
    /// sm_90.
    pub const SM90: Archs = Archs(8);
    /// Every architecture.
    pub const ALL: Archs = Archs(15);
    /// Up to Turing.
    pub const TO75: Archs = Archs(3);
    /// Up to Ampere.
    pub const TO80: Archs = Archs(7);
    /// From Turing (those with a uniform datapath).
    pub const FROM75: Archs = Archs(14);
    /// From Ampere.
    pub const FROM80: Archs = Archs(12);

    /// Is `arch` a member?
    pub const fn has(self, arch: Arch) -> bool {
        let bit = match arch {
            Arch::Sm70 => 1,
            Arch::Sm75 => 2,
            Arch::Sm80 => 4,
            Arch::Sm90 => 8,
        };
        self.0 & bit != 0
    }

    /// Members of either set.
    pub const fn or(self, other: Archs) -> Archs {
        Archs(self.0 | other.0)
    }
}

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
    /// Legal, but nvdisasm prints neither address nor text.
    pub silent: bool,
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
    /// Guarded by a uniform predicate.
    pub const fn uniform(mut self) -> Row {
        self.uniform = true;
        self
    }

    /// Does the row cover this form and bit 91 on `arch`?
    fn covers(&self, arch: Arch, form: u8, b91: bool) -> bool {
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
    fn selected(&self, f: &Fields) -> bool {
        self.when.iter().all(|c| c.holds(f))
    }
}

/// Shorthand for a row's [`OpDef`].
pub const fn op(name: &'static str, unit: Unit, latency: LatencyClass) -> OpDef {
    OpDef::new(name, unit, latency)
}

/// Stands in [`Fields`] until a row is found.
pub static UNKNOWN: OpDef = op("?", Unit::System, LatencyClass::None);

/// The families, in the order in which rows are tried.
pub static FAMILIES: &[&[Row]] = &[
    asynchronous::ROWS,
    atomic::ROWS,
    barrier::ROWS,
    convert::ROWS,
    float::ROWS,
    flow::ROWS,
    graphics::ROWS,
    half::ROWS,
    hidden::ROWS,
    hopper::ROWS,
    int::ROWS,
    memory::ROWS,
    movement::ROWS,
    predicate::ROWS,
    surface::ROWS,
    system::ROWS,
    tensor::ROWS,
    tensor_group::ROWS,
    texture::ROWS,
    uniform::ROWS,
    warp::ROWS,
];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|f| f.iter())
}

/// Rows by architecture, opcode, form and bit 91.
struct Index {
    /// For each key, the range of `list` that holds its rows.
    spans: Vec<(u32, u32)>,
    list: Vec<&'static Row>,
}

static INDEX: std::sync::LazyLock<Index> = std::sync::LazyLock::new(Index::build);

/// Opcode and form (12 bits) and bit 91.
const KEYS: usize = 1 << 13;

impl Index {
    fn build() -> Index {
        let mut index = Index { spans: Vec::with_capacity(4 * KEYS), list: Vec::new() };
        let mut by_code: Vec<Vec<&'static Row>> = vec![Vec::new(); 512];
        for row in rows() {
            by_code[usize::from(row.code & 511)].push(row);
        }
        for arch in Arch::ALL {
            for key in 0..KEYS {
                let start = index.list.len() as u32;
                let (form, b91) = ((key >> 9 & 7) as u8, key >> 12 == 1);
                index.list.extend(
                    by_code[key & 511]
                        .iter()
                        .filter(|r| r.archs.has(arch) && r.covers(arch, form, b91)),
                );
                index.spans.push((start, index.list.len() as u32));
            }
        }
        index
    }
}

/// The rows that share `word`'s opcode, form and bit 91, in the order they are tried.
pub fn candidates(word: Word, arch: Arch) -> &'static [&'static Row] {
    let key = word.bits(0, 12) as usize | usize::from(word.bit(91)) << 12;
    let (start, end) = INDEX.spans[arch as usize * KEYS + key];
    &INDEX.list[start as usize..end as usize]
}

/// The row that `f`'s word selects. `f.op` is not consulted.
pub(crate) fn select(f: &Fields) -> Option<&'static Row> {
    candidates(f.word, f.arch).iter().copied().find(|r| r.selected(f))
}
