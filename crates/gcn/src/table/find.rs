//! From a format and an opcode to a row.

use super::{
    ds, exp, mimg, mtbuf, mubuf, smrd, sop1, sop2, sopc, sopk, sopp, vintrp, vop1, vop2, vop3, vopc,
};
use crate::format::Format;
use crate::row::Row;

/// The rows of a format, in the order of their opcodes.
pub const fn rows(format: Format) -> &'static [Row] {
    match format {
        Format::Sop1 => sop1::ROWS,
        Format::Sop2 => sop2::ROWS,
        Format::Sopc => sopc::ROWS,
        Format::Sopk => sopk::ROWS,
        Format::Sopp => sopp::ROWS,
        Format::Smrd => smrd::ROWS,
        Format::Vop1 => vop1::ROWS,
        Format::Vop2 => vop2::ROWS,
        Format::Vopc => vopc::ROWS,
        Format::Vop3 => vop3::ROWS,
        Format::Vintrp => vintrp::ROWS,
        Format::Ds => ds::ROWS,
        Format::Mubuf => mubuf::ROWS,
        Format::Mtbuf => mtbuf::ROWS,
        Format::Mimg => mimg::ROWS,
        Format::Exp => exp::ROWS,
    }
}

/// The row of an opcode, in the numbering of the format that encodes it: the
/// long form has the numbers of all vector formats.
pub fn find(format: Format, op: u16) -> Option<&'static Row> {
    match (format, op) {
        (Format::Vop3, 0..256) => long(Format::Vopc, op),
        (Format::Vop3, 256..320) => long(Format::Vop2, op - 256),
        (Format::Vop3, 384..) => long(Format::Vop1, op - 384),
        _ => own(format, op),
    }
}

fn long(format: Format, op: u16) -> Option<&'static Row> {
    own(format, op).filter(|row| row.long)
}

fn own(format: Format, op: u16) -> Option<&'static Row> {
    let rows = rows(format);
    rows.binary_search_by_key(&op, |row| row.op).ok().map(|i| &rows[i])
}
