//! Functional mode: the instructions' semantics without time.
//!
//! One launch is one single-threaded computation: CTAs run one after the
//! other, the warps of a CTA in turn, each until it blocks. Values live in the
//! register rows of a warp, in the CTA's shared bytes and in
//! [`GlobalMemory`]; nothing keeps a second copy. What instructions do
//! is in [`upset_isa::warp`]; here is only the storage and the order.

mod access;
mod amd;
mod cta;
mod exec;
mod grid;
mod launch;
mod warp;

pub use amd::{WaveCode, WaveGrid, run_waves};
pub use grid::run;
pub use launch::{Counts, Grid, Limits, Tally};
pub use upset_isa::program::{ConstBanks, Program, Slot, Windows};
pub use upset_isa::{Trap, TrapKind, program, texture, trap};
pub use upset_state::memory::{self, GlobalMemory};
