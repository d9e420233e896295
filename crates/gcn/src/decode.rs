//! From words to instructions.

use crate::bits::{flag, get};
use crate::format::Format;
use crate::inst::{Buffer, Detail, Export, Image, Inst, Interp, Modifiers, Scalar, Share};
use crate::operand::Operand;
use crate::row::{Imm, Place, Row};
use crate::rules::{self, Broken};
use crate::table;

/// Why words are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The code ends within the instruction.
    #[error("the code ends within an instruction")]
    Truncated,
    /// No encoding begins like this.
    #[error("{0:#010x} begins no instruction")]
    Format(u32),
    /// The encoding has no such opcode.
    #[error("{0:?} has no opcode {1}")]
    Opcode(Format, u16),
    /// The opcode exists, but not with these operands.
    #[error("{0}: {1}")]
    Operands(&'static str, Broken),
}

/// Decodes the instruction at the beginning of `words`.
pub fn decode(words: &[u32]) -> Result<Inst, Illegal> {
    let inst = read(words)?;
    match rules::check(&inst) {
        Ok(()) => Ok(inst),
        Err(broken) => Err(Illegal::Operands(inst.row.name, broken)),
    }
}

/// What the words say, whether or not the operands are allowed: for tools that
/// show code as it is. Engines use [`decode`].
pub fn read(words: &[u32]) -> Result<Inst, Illegal> {
    let first = *words.first().ok_or(Illegal::Truncated)?;
    let format = Format::of(first).ok_or(Illegal::Format(first))?;
    let op = format.layout().op(first);
    let row = table::find(format, op).ok_or(Illegal::Opcode(format, op))?;
    let second = match format.words() {
        1 => 0,
        _ => *words.get(1).ok_or(Illegal::Truncated)?,
    };
    let mut inst = fields(row, format, first, second);
    literal(&mut inst, words)?;
    Ok(inst)
}

/// All instructions of a piece of code with their place, in dwords. An illegal
/// word is taken for one that is alone.
pub fn listed(words: &[u32]) -> impl Iterator<Item = (usize, Result<Inst, Illegal>)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = words.get(at..).filter(|rest| !rest.is_empty())?;
        let (here, inst) = (at, decode(rest));
        at += inst.map_or(1, |inst| inst.length() / 4);
        Some((here, inst))
    })
}

/// Fills in the literal.
fn literal(inst: &mut Inst, words: &[u32]) -> Result<(), Illegal> {
    let always = inst.row.src.iter().any(|slot| slot.place == Place::Literal);
    if inst.literal().is_none() || !(always || inst.format.takes_literal()) {
        // The code of a literal means nothing where none may follow.
        for src in &mut inst.src {
            if let Operand::Literal(_) = src {
                *src = Operand::Reserved(crate::operand::LITERAL as u8);
            }
        }
        return Ok(());
    }
    let value = *words.get(inst.format.words()).ok_or(Illegal::Truncated)?;
    for src in &mut inst.src {
        if let Operand::Literal(_) = src {
            *src = Operand::Literal(value);
        }
    }
    Ok(())
}

/// An eight-bit field that the row takes for a vector register or a scalar source.
fn eight(place: Place, code: u32) -> Operand {
    match place {
        Place::None => Operand::None,
        Place::Vector => Operand::Vgpr(code as u8),
        Place::Literal => Operand::Literal(0),
        Place::Carry => Operand::VccLo,
        _ => Operand::of(code),
    }
}

fn named(place: Place, code: u32) -> Operand {
    if place == Place::None { Operand::None } else { Operand::of(code) }
}

const NONE: Operand = Operand::None;

fn fields(row: &'static Row, format: Format, w: u32, x: u32) -> Inst {
    let places = row.src.map(|slot| slot.place);
    let dst = row.dst.place;
    let empty = Inst { row, format, dst: NONE, flag: NONE, src: [NONE; 4], detail: Detail::None };
    let imm = if row.imm == Imm::None { 0 } else { w as u16 };
    match format {
        Format::Sop1 => Inst {
            dst: named(dst, get(w, 16, 7)),
            src: [named(places[0], get(w, 0, 8)), NONE, NONE, NONE],
            ..empty
        },
        Format::Sop2 => Inst {
            dst: named(dst, get(w, 16, 7)),
            src: [Operand::of(get(w, 0, 8)), Operand::of(get(w, 8, 8)), NONE, NONE],
            ..empty
        },
        Format::Sopc => Inst {
            src: [Operand::of(get(w, 0, 8)), Operand::of(get(w, 8, 8)), NONE, NONE],
            ..empty
        },
        Format::Sopk => {
            // The register is the result or, where there is none, the source.
            let register = get(w, 16, 7);
            let src = match places[0] {
                Place::Literal => Operand::Literal(0),
                place => named(place, register),
            };
            Inst {
                dst: named(dst, register),
                src: [src, NONE, NONE, NONE],
                detail: Detail::Imm(imm),
                ..empty
            }
        }
        Format::Sopp => Inst { detail: Detail::Imm(imm), ..empty },
        Format::Smrd => {
            let offset = (places[1] != Place::None && flag(w, 8)).then_some(w as u8);
            let register = if offset.is_some() { NONE } else { named(places[1], get(w, 0, 8)) };
            Inst {
                dst: named(dst, get(w, 15, 7)),
                src: [named(places[0], 2 * get(w, 9, 6)), register, NONE, NONE],
                detail: Detail::Scalar(Scalar { offset }),
                ..empty
            }
        }
        Format::Vop1 => Inst {
            dst: eight(dst, get(w, 17, 8)),
            src: [named(places[0], get(w, 0, 9)), NONE, NONE, NONE],
            ..empty
        },
        Format::Vop2 => {
            // The register of the second field is the last vector source: a
            // literal may stand before it.
            let second = get(w, 9, 8);
            Inst {
                dst: eight(dst, get(w, 17, 8)),
                flag: eight(row.flag.place, 0),
                src: [
                    Operand::of(get(w, 0, 9)),
                    eight(places[1], second),
                    eight(places[2], second),
                    NONE,
                ],
                ..empty
            }
        }
        Format::Vopc => Inst {
            dst: Operand::VccLo,
            src: [Operand::of(get(w, 0, 9)), Operand::Vgpr(get(w, 9, 8) as u8), NONE, NONE],
            ..empty
        },
        Format::Vop3 => long(row, w, x),
        Format::Vintrp => Inst {
            dst: Operand::Vgpr(get(w, 18, 8) as u8),
            src: [eight(places[0], get(w, 0, 8)), NONE, NONE, NONE],
            detail: Detail::Interp(Interp {
                attribute: get(w, 10, 6) as u8,
                channel: get(w, 8, 2) as u8,
                vertex: if places[0] == Place::None { get(w, 0, 8) as u8 } else { 0 },
            }),
            ..empty
        },
        Format::Ds => Inst {
            dst: eight(dst, get(x, 24, 8)),
            src: [
                eight(places[0], get(x, 0, 8)),
                eight(places[1], get(x, 8, 8)),
                eight(places[2], get(x, 16, 8)),
                NONE,
            ],
            detail: Detail::Share(Share { offset: w as u16, gds: flag(w, 17) }),
            ..empty
        },
        Format::Mubuf | Format::Mtbuf => buffer(empty, w, x),
        Format::Mimg => image(empty, w, x),
        Format::Exp => {
            let enabled = get(w, 0, 4) as u8;
            let compressed = flag(w, 10);
            // Which values register `n` holds: two if they are compressed.
            let mask = |n: usize| if compressed { [3, 12, 0, 0][n] } else { 1 << n };
            let value = |n: usize| {
                let register = Operand::Vgpr(get(x, 8 * n as u32, 8) as u8);
                if enabled & mask(n) != 0 { register } else { NONE }
            };
            Inst {
                src: [value(0), value(1), value(2), value(3)],
                detail: Detail::Export(Export {
                    enabled,
                    target: get(w, 4, 6) as u8,
                    compressed,
                    done: flag(w, 11),
                    valid_mask: flag(w, 12),
                }),
                ..empty
            }
        }
    }
}

/// The long form, of all vector formats.
fn long(row: &'static Row, w: u32, x: u32) -> Inst {
    let source = |n: usize| named(row.src[n].place, get(x, 9 * n as u32, 9));
    // Where there is a second result, it stands in the place of ABS and CLAMP.
    let with_flag = row.flag.place != Place::None;
    let float = |n: usize| u8::from(row.src[n].kind.number.is_float());
    let can = (0..3).fold(0, |can, n| can | float(n) << n);
    let float_result = row.dst.kind.number.is_float();
    Inst {
        row,
        format: Format::Vop3,
        dst: match row.dst.place {
            Place::Vector => Operand::Vgpr(get(w, 0, 8) as u8),
            place => named(place, get(w, 0, 8)),
        },
        flag: named(row.flag.place, get(w, 8, 7)),
        src: [source(0), source(1), source(2), Operand::None],
        detail: Detail::Modifiers(Modifiers {
            abs: if with_flag { 0 } else { get(w, 8, 3) as u8 & can },
            neg: get(x, 29, 3) as u8 & can,
            omod: if float_result { get(x, 27, 2) as u8 } else { 0 },
            clamp: float_result && !with_flag && flag(w, 11),
        }),
    }
}

fn buffer(empty: Inst, w: u32, x: u32) -> Inst {
    let row = empty.row;
    if row.src[1].place == Place::None {
        // The whole cache: nothing to address.
        return Inst { detail: Detail::Buffer(Buffer::default()), ..empty };
    }
    let typed = empty.format == Format::Mtbuf;
    let loads = row.dst.place != Place::None && !row.returns_by_glc;
    let fields = Buffer {
        offset: get(w, 0, 12) as u16,
        offen: flag(w, 12),
        idxen: flag(w, 13),
        glc: flag(w, 14),
        addr64: flag(w, 15),
        lds: row.to_lds && flag(w, 16),
        dfmt: if typed { get(w, 19, 4) as u8 } else { 0 },
        nfmt: if typed { get(w, 23, 3) as u8 } else { 0 },
        slc: flag(x, 22),
        // Only loads have a register to spare.
        tfe: loads && flag(x, 23),
    };
    let address = if fields.address() == 0 { NONE } else { Operand::Vgpr(get(x, 0, 8) as u8) };
    let (dst, data) = data(row, fields.glc, get(x, 8, 8));
    Inst {
        dst,
        src: [address, Operand::of(4 * get(x, 16, 5)), Operand::of(get(x, 24, 8)), data],
        detail: Detail::Buffer(fields),
        ..empty
    }
}

fn image(empty: Inst, w: u32, x: u32) -> Inst {
    let row = empty.row;
    let loads = row.dst.place != Place::None && !row.returns_by_glc;
    let fields = Image {
        dmask: get(w, 8, 4) as u8,
        unorm: flag(w, 12),
        glc: flag(w, 13),
        da: flag(w, 14),
        r128: flag(w, 15),
        tfe: loads && flag(w, 16),
        lwe: flag(w, 17),
        slc: flag(w, 25),
    };
    let (dst, data) = data(row, fields.glc, get(x, 8, 8));
    Inst {
        dst,
        src: [
            Operand::Vgpr(get(x, 0, 8) as u8),
            Operand::of(4 * get(x, 16, 5)),
            named(row.src[2].place, 4 * get(x, 21, 5)),
            data,
        ],
        detail: Detail::Image(fields),
        ..empty
    }
}

/// The data register as result and as source.
fn data(row: &Row, glc: bool, code: u32) -> (Operand, Operand) {
    let register = Operand::Vgpr(code as u8);
    let returns = row.dst.place != Place::None && (glc || !row.returns_by_glc);
    let takes = row.src[3].place != Place::None;
    (if returns { register } else { NONE }, if takes { register } else { NONE })
}
