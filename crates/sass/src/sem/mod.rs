//! Meaning: lowering functions that turn encoded words into executable instructions.

pub mod asynchronous;
pub mod atomic;
pub mod bits;
pub mod control;
pub mod convert;
pub mod extreme;
pub mod fp16;
pub mod fp32;
pub mod fp64;
mod fp_signs;
pub mod int;
pub mod int_mul;
pub mod logic;
pub mod memory;
pub mod moves;
pub mod mufu;
mod operands;
pub mod ordering;
pub mod packed;
pub mod predicate;
pub mod shift;
pub mod special;
pub mod surface;
pub mod tensor;
pub mod texture;
pub mod uniform;
pub mod warp;
