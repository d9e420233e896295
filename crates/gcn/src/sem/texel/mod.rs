//! Formats of buffers: what typed loads and stores make of bytes.

mod layout;
mod number;
mod shape;

pub use layout::Layout;
pub use number::Number;
pub use shape::Shape;
