//! Rows of lanes, and floating point that no vendor owns: formats, rounding,
//! exact arithmetic. What a vendor adds (which NaN, what is flushed) is in the
//! crate of its instructions.

#![forbid(unsafe_code)]

pub mod fp;
mod rows;
mod wide;

pub use rows::{Lanes, Mask, WARP};
pub use wide::{Work, widest};
