//! Interpolation of parameters: legal, not implemented.

use crate::format::Format;
use crate::row::{F32, Place, Row, Specials, Unit};

const fn row(op: u16, name: &'static str) -> Row {
    Row::new(Format::Vintrp, op, name, Unit::Valu)
        .dst(Place::Vector.of(F32))
        .src1(Place::Vector.of(F32))
        .reads(Specials::M0.or(Specials::EXEC))
        .not_implemented()
}

/// The table.
pub const ROWS: &[Row] = &[
    row(0, "v_interp_p1_f32"),
    row(1, "v_interp_p2_f32").reads_dst(),
    // Its source is a vertex, not a register.
    Row { src: [crate::row::NO; 4], ..row(2, "v_interp_mov_f32") },
];
