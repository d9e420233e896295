//! Charts.

mod bars;
mod columns;
mod figure;
mod scale;

pub use bars::{Axis, BarRow, Bars, Mark};
pub use columns::Columns;
pub use figure::About;
