//! Charts.

mod bars;
mod columns;
mod figure;
mod scale;

pub use bars::{Axis, Bars, Mark, Row};
pub use columns::Columns;
pub use figure::About;
