//! Writing instructions down: from names and operands to lines of code.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use upset_gcn::inst::{Buffer, Detail, Inst, Modifiers, Scalar, Share};
use upset_gcn::operand::Operand;
use upset_gcn::row::{Place, Row, Slot, Status};
use upset_gcn::{Format, rules, table};

use super::shape::Shape;
use crate::Rng;

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub usize);

/// A line of code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Line {
    /// Here is a label.
    Label(Label),
    /// An instruction.
    Plain(Inst),
    /// A branch.
    Jump(Inst, Label),
    /// An instruction whose literal is the distance from one label to another.
    Distance(Inst, Label, Label),
    /// A jump to a register, which holds the address of a label, or onward.
    Call(Inst, Label),
}

/// Rows by their names.
pub(crate) fn row(name: &str) -> &'static Row {
    static ROWS: OnceLock<BTreeMap<&'static str, &'static Row>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let all = Format::ALL.into_iter().flat_map(table::rows);
        all.map(|row| (row.name, row)).collect()
    });
    rows.get(name).copied().unwrap_or_else(|| panic!("no instruction is called {name}"))
}

/// Rows of a format that are executed.
pub(crate) fn rows(format: Format) -> impl Iterator<Item = &'static Row> {
    table::rows(format).iter().filter(|row| row.status == Status::Planned)
}

/// An instruction without operands.
pub(crate) fn bare(row: &'static Row) -> Inst {
    let detail = match row.format {
        Format::Sopp | Format::Sopk => Detail::Imm(0),
        Format::Smrd => Detail::Scalar(Scalar::default()),
        Format::Vop3 => Detail::Modifiers(Modifiers::default()),
        Format::Ds => Detail::Share(Share::default()),
        Format::Mubuf | Format::Mtbuf => Detail::Buffer(Buffer::default()),
        _ => Detail::None,
    };
    let none = Operand::None;
    Inst { row, format: row.format, dst: none, flag: none, src: [none; 4], detail }
}

/// The long form of a vector instruction.
pub(crate) fn lengthened(inst: Inst) -> Inst {
    match inst.format {
        Format::Vop1 | Format::Vop2 | Format::Vopc => {
            Inst { format: Format::Vop3, detail: Detail::Modifiers(Modifiers::default()), ..inst }
        }
        _ => inst,
    }
}

/// An instruction with a result and sources; carries are VCC. The long form is
/// taken where the short one does not have these operands.
pub(crate) fn inst(name: &str, dst: Operand, sources: &[Operand]) -> Inst {
    let mut inst = bare(row(name));
    inst.dst = dst;
    if inst.row.flag.place == Place::Carry {
        inst.flag = Operand::VccLo;
    }
    inst.src[..sources.len()].copy_from_slice(sources);
    if inst.row.src[2].place == Place::Carry && sources.len() < 3 {
        inst.src[2] = Operand::VccLo;
    }
    if is_short(&inst) { inst } else { lengthened(inst) }
}

/// Can the short form have these operands? Carries are VCC there.
pub(crate) fn is_short(inst: &Inst) -> bool {
    let vcc =
        |slot: Slot, operand: Operand| slot.place != Place::Carry || operand == Operand::VccLo;
    let carries = vcc(inst.row.dst, inst.dst)
        && vcc(inst.row.flag, inst.flag)
        && vcc(inst.row.src[2], inst.src[2]);
    carries && rules::check(inst).is_ok()
}

/// One with a 16-bit constant.
pub(crate) fn constant(name: &str, imm: u16) -> Inst {
    Inst { detail: Detail::Imm(imm), ..bare(row(name)) }
}

/// The hardware register MODE: bits from `first` on, so many of them.
pub(crate) fn mode_bits(first: u32, count: u32) -> u16 {
    (1 | first << 6 | (count - 1) << 11) as u16
}

/// Where statements are written down.
pub(crate) struct Emitter<'a> {
    /// Geometry and sizes.
    pub shape: &'a Shape,
    /// Details of the statement at hand.
    pub rng: Rng,
    /// What has been written.
    pub lines: Vec<Line>,
    /// Where functions begin.
    pub functions: Vec<Label>,
    labels: usize,
}

impl Emitter<'_> {
    /// Nothing written yet; so many functions.
    pub fn new(shape: &Shape, functions: usize) -> Emitter<'_> {
        let functions: Vec<Label> = (0..functions).map(Label).collect();
        let labels = functions.len();
        Emitter { shape, rng: Rng::new(0), lines: Vec::new(), functions, labels }
    }

    /// A label that has yet to be placed.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Places a label here.
    pub fn place(&mut self, label: Label) {
        self.lines.push(Line::Label(label));
    }

    /// Writes an instruction down.
    pub fn push(&mut self, inst: Inst) {
        self.lines.push(Line::Plain(inst));
    }

    /// Writes down an instruction with a result and sources.
    pub fn op(&mut self, name: &str, dst: Operand, sources: &[Operand]) {
        self.push(inst(name, dst, sources));
    }

    /// Writes down an instruction with a 16-bit constant.
    pub fn imm(&mut self, name: &str, imm: u16) {
        self.push(constant(name, imm));
    }

    /// Writes a branch down.
    pub fn jump(&mut self, name: &str, to: Label) {
        self.lines.push(Line::Jump(constant(name, 0), to));
    }

    /// One time in so many.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.rng.below(n) == 0
    }
}
