//! Floating point as GPUs compute it: pure functions from bits to bits.
//!
//! [`exact`] is the reference: every format, every rounding mode, exact
//! integer arithmetic. [`lane`] holds the fast equivalents for one lane (host
//! arithmetic with exact error terms, so the answers are the same on every
//! machine), and [`warp`] the warp-wide operations that instructions lower to.

mod cond;
pub mod convert;
pub mod double;
pub mod half;
pub mod lane;
pub mod mufu;
mod nan;
#[cfg(test)]
mod tests;
pub mod warp;

pub use cond::Cond;
pub use nan::{NAN16, NAN32, NAN64};
pub use upset_lanes::fp::{Format, Rounding, exact, format, narrow, odd};
