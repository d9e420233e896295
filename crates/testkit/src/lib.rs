//! Test material shared by our crates: a seeded generator, operand values that
//! provoke corner cases, and instruction words for comparison with hardware.

pub mod answers;
pub mod asm;
pub mod generate;
pub mod nvdisasm;
pub mod operands;
pub mod probe;
pub mod rng;
pub mod verdict;

pub use rng::Rng;
