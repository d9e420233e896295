//! Typed buffer access.

use super::buffer::{load, store};
use crate::format::Format;
use crate::row::Row;
use crate::sem::buffer::Element::Typed;

const M: Format = Format::Mtbuf;

/// The table.
pub const ROWS: &[Row] = &[
    load(M, 0, "tbuffer_load_format_x", Typed(1)),
    load(M, 1, "tbuffer_load_format_xy", Typed(2)),
    load(M, 2, "tbuffer_load_format_xyz", Typed(3)),
    load(M, 3, "tbuffer_load_format_xyzw", Typed(4)),
    store(M, 4, "tbuffer_store_format_x", Typed(1)),
    store(M, 5, "tbuffer_store_format_xy", Typed(2)),
    store(M, 6, "tbuffer_store_format_xyz", Typed(3)),
    store(M, 7, "tbuffer_store_format_xyzw", Typed(4)),
];
