//! Test material shared by our crates: a seeded generator, operand values that
//! provoke corner cases, instruction words for comparison with hardware, and
//! campaigns that are disturbed.

pub mod answers;
pub mod asm;
pub mod generate;
#[cfg(target_os = "linux")]
pub mod kills;
pub mod nvdisasm;
pub mod operands;
pub mod probe;
pub mod rng;
pub mod verdict;

pub use rng::Rng;
