//! What instructions do: pure functions from operand values to results.
//!
//! They know no wave, no cycle and no register: a vector function works on rows
//! of 32 lanes (a wave of 64 calls it twice), a scalar one on numbers, and an
//! access to memory is a description. [`crate::wave`] brings them operands and
//! takes their results.

pub mod atomic;
pub mod bitfield;
pub mod bits;
pub mod buffer;
pub mod class;
pub mod compare;
pub mod convert;
pub mod cube;
pub mod descriptor;
pub mod divide;
pub mod does;
mod each;
pub mod flow;
pub mod fp32;
pub mod fp64;
pub mod frexp;
pub mod half;
pub mod integer;
pub mod mode;
pub mod nan;
pub mod pack;
pub mod reciprocal;
pub mod round;
pub mod sad;
pub mod salu;
pub mod scalar;
pub mod select;
pub mod share;
mod special;
#[cfg(test)]
mod testing;
pub mod texel;
pub mod transcendental;
#[cfg(test)]
mod tried;
pub mod trig;
mod two_over_pi;
pub mod vector;

pub use does::Does;
pub use mode::Mode;
