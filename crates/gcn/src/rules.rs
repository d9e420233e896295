//! Which operands an instruction may have.

use crate::format::Format;
use crate::inst::{Detail, Inst};
use crate::operand::{Operand, SGPRS, TTMPS};
use crate::row::{Place, Row, Slot, Specials};

/// A rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Broken {
    /// The operand's code means nothing.
    #[error("an operand has a reserved code")]
    Reserved,
    /// The operand cannot stand in this place.
    #[error("an operand is not of the kind that belongs there")]
    Place,
    /// Registers in a group that is not aligned or reaches beyond the last.
    #[error("a group of registers is not aligned or does not exist")]
    Group,
    /// More than one scalar value.
    #[error("a vector instruction can read one scalar value only")]
    Scalars,
    /// LDS as an operand, where it cannot be.
    #[error("this instruction cannot read LDS as an operand")]
    Lds,
    /// Flags that exclude each other.
    #[error("flags exclude each other")]
    Flags,
    /// The result overlaps a source.
    #[error("the result must not overlap a source")]
    Overlap,
    /// A target or vertex that does not exist.
    #[error("no such target or vertex")]
    Target,
}

/// Are the operands allowed?
pub fn check(inst: &Inst) -> Result<(), Broken> {
    let dst = Slot { kind: crate::row::bits(inst.result_dwords()), ..inst.row.dst };
    operand(inst.dst, dst)?;
    operand(inst.flag, inst.row.flag)?;
    for (n, src) in inst.src.into_iter().enumerate() {
        operand(src, inst.slot(n))?;
    }
    lds(inst)?;
    scalars(inst)?;
    apart(inst)?;
    detail(inst)
}

fn ensure(holds: bool, broken: Broken) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(broken) }
}

fn operand(op: Operand, slot: Slot) -> Result<(), Broken> {
    if op == Operand::None {
        // An offset or a flag says that there is none.
        return Ok(());
    }
    ensure(!matches!(op, Operand::Reserved(_)), Broken::Reserved)?;
    let register = op.is_scalar_register();
    let vector = matches!(op, Operand::Vgpr(_));
    let allowed = match slot.place {
        Place::None => false,
        Place::Scalar | Place::Carry => register,
        Place::Loaded => register && !matches!(op, Operand::M0 | Operand::ExecLo | Operand::ExecHi),
        Place::Descriptor => matches!(op, Operand::Sgpr(_) | Operand::Ttmp(_)),
        Place::ScalarSource => !vector && op != Operand::LdsDirect,
        Place::ScalarInline => op.is_scalar() || op.is_inline(),
        Place::Vector | Place::VectorOnly => vector,
        Place::VectorOrLds => vector || op == Operand::LdsDirect,
        Place::VectorSource => true,
        Place::Literal => matches!(op, Operand::Literal(_)),
    };
    ensure(allowed, Broken::Place)?;
    ensure(group(op, slot.kind.dwords), Broken::Group)
}

/// Do so many registers from here on exist, and may they be named together?
fn group(op: Operand, dwords: u8) -> bool {
    let scalars =
        |first: u8, all: u8| first.is_multiple_of(dwords.clamp(1, 4)) && first + dwords <= all;
    match op {
        Operand::Sgpr(n) => scalars(n, SGPRS),
        Operand::Ttmp(n) => scalars(n, TTMPS),
        Operand::Vgpr(n) => u16::from(n) + u16::from(dwords) <= 256,
        Operand::VccLo | Operand::TbaLo | Operand::TmaLo | Operand::ExecLo => dwords <= 2,
        Operand::VccHi | Operand::TbaHi | Operand::TmaHi | Operand::ExecHi | Operand::M0 => {
            dwords == 1
        }
        Operand::LdsDirect => dwords == 1,
        Operand::None
        | Operand::Int(_)
        | Operand::Float(_)
        | Operand::Vccz
        | Operand::Execz
        | Operand::Scc
        | Operand::Literal(_)
        | Operand::Reserved(_) => true,
    }
}

/// LDS can be the first source only, and not of instructions that exchange theirs.
fn lds(inst: &Inst) -> Result<(), Broken> {
    let first = inst.src[0] == Operand::LdsDirect;
    let other = inst.src[1..].contains(&Operand::LdsDirect);
    ensure(!(other || first && inst.row.reversed), Broken::Lds)
}

/// Vector instructions read at most one scalar value, as often as they like;
/// VCC as a carry is one, and so is a literal.
fn scalars(inst: &Inst) -> Result<(), Broken> {
    let vector = matches!(inst.format, Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3);
    if !vector {
        return Ok(());
    }
    // What is read without being named counts. A register and a pair that begins
    // with it are two values.
    let mut read = None;
    for (special, value) in [(Specials::VCC, (Operand::VccLo, 2)), (Specials::M0, (Operand::M0, 1))]
    {
        if inst.row.reads.has(special) {
            read = Some(value);
        }
    }
    for (n, src) in inst.src.into_iter().enumerate() {
        let is_value = src.is_scalar() || matches!(src, Operand::Literal(_));
        if !is_value {
            continue;
        }
        let value = (src, inst.slot(n).kind.dwords);
        ensure(read.is_none_or(|other| other == value), Broken::Scalars)?;
        read = Some(value);
    }
    Ok(())
}

/// Instructions that write their result before all sources are read.
fn apart(inst: &Inst) -> Result<(), Broken> {
    let range = |op: Operand, dwords: u8| match op {
        Operand::Vgpr(n) => u16::from(n)..u16::from(n) + u16::from(dwords),
        _ => 0..0,
    };
    let dst = range(inst.dst, inst.result_dwords());
    let overlaps = (0..inst.src.len()).any(|n| {
        let src = range(inst.src[n], inst.slot(n).kind.dwords);
        src.start < dst.end && dst.start < src.end
    });
    ensure(!(inst.row.apart && overlaps), Broken::Overlap)
}

fn detail(inst: &Inst) -> Result<(), Broken> {
    match inst.detail {
        Detail::Buffer(b) => {
            let one_address = !b.addr64 || !(b.offen || b.idxen);
            ensure(one_address && !(b.lds && b.tfe), Broken::Flags)
        }
        Detail::Image(i) => ensure(channels(inst.row, i.dmask), Broken::Flags),
        Detail::Share(s) => ensure(s.gds || !inst.row.global_only, Broken::Flags),
        // Render targets, depth, nothing, positions, parameters.
        Detail::Export(e) => ensure(matches!(e.target, 0..=9 | 12..=15 | 32..=63), Broken::Target),
        Detail::Interp(i) => ensure(i.vertex <= 2, Broken::Target),
        Detail::None | Detail::Imm(_) | Detail::Scalar(_) | Detail::Modifiers(_) => Ok(()),
    }
}

/// May an image instruction have this mask of channels?
fn channels(row: &Row, dmask: u8) -> bool {
    if row.gathers {
        return dmask.is_power_of_two();
    }
    if row.returns_by_glc {
        // Elements of one dword or of two.
        return match row.src[3].kind.dwords {
            1 => matches!(dmask, 1 | 3),
            _ => matches!(dmask, 3 | 15),
        };
    }
    true
}
