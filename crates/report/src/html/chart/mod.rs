//! Charts.

mod about;
mod alone;
mod area;
mod bars;
mod columns;
mod figure;
mod heat;
mod scale;
mod series;

pub use about::About;
pub use alone::file;
pub use area::{Curve, areas};
pub use bars::{Axis, BarRow, Bars, Mark};
pub use columns::Columns;
pub use heat::heat;
pub use series::Series;
