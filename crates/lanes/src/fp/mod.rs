//! Floating point: pure functions from bits to bits.
//!
//! [`exact`] is the reference: every format, every rounding mode, exact integer
//! arithmetic. [`odd`] and [`narrow`] are the fast way to the same answers.

pub mod exact;
pub mod format;
pub mod narrow;
pub mod odd;
mod rounding;

pub use format::Format;
pub use rounding::Rounding;
