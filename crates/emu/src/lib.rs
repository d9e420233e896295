//! Functional mode: the instructions' semantics without time.
//!
//! One launch is one single-threaded computation: CTAs run one after the
//! other, the warps of a CTA in turn, each until it blocks. Values live in the
//! register rows of a warp, in the CTA's shared bytes and in
//! [`memory::GlobalMemory`]; nothing keeps a second copy.

mod access;
mod cta;
mod exec;
mod grid;
pub mod memory;
pub mod program;
pub mod texture;
pub mod trap;
mod warp;

pub use grid::{Counts, Grid, Limits, run};
pub use memory::GlobalMemory;
pub use program::{ConstBanks, Program, Slot, Windows};
pub use trap::{Trap, TrapKind};
