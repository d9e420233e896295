//! Pieces of which pages are made, for studies that make one of their own: the
//! frame, charts, tables, colours.

pub use crate::html::{
    About, Axis, BarRow, Bars, Mark, Table, esc, frame, prose, share, step_of, steps_legend,
    structure_class, value,
};
