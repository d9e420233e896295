//! Export: one instruction, legal, not implemented.

use crate::format::Format;
use crate::row::{B32, Place, Row, Slot, Specials, Unit};

const VALUE: Slot = Place::Vector.of(B32);

/// The table.
pub const ROWS: &[Row] = &[Row::new(Format::Exp, 0, "exp", Unit::Export)
    .src4([VALUE; 4])
    .reads(Specials::EXEC)
    .raises(0, 0, 1)
    .not_implemented()];
