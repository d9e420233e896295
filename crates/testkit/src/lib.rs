//! Test material shared by our crates: a seeded generator, operand values that
//! provoke corner cases, instruction words for comparison with hardware, campaigns that are
//! disturbed, and pages of documentation whose commands are run.

pub mod answers;
pub mod asm;
pub mod engines;
pub mod generate;
#[cfg(target_os = "linux")]
pub mod kills;
pub mod nvdisasm;
pub mod operands;
#[cfg(unix)]
pub mod pages;
pub mod probe;
pub mod ptx;
pub mod rng;
pub mod seeds;
pub mod tree;
pub mod verdict;
pub mod waves;

pub use rng::Rng;
