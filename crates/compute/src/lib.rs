//! Streaming multiprocessors, cycle by cycle, over real arrays.
//!
//! An [`Sm`] is the [`Core`] of NVIDIA's chips; a [`Machine`] of them is a chip.
//! Registers, predicates, shared memory, buffers and masks are fields of the
//! structures here, listed for the registry in [`visit`]; results reach them
//! when hardware would write them, not when an instruction issues. A sub-core
//! that cannot issue is not looked at until something it waits for has happened.
//!
//! What an instruction means is not here but in `upset-isa`, shared with the
//! functional engine.

mod cells;
pub mod code;
pub mod config;
mod core;
mod cta;
mod depend;
mod digest;
mod fetch;
mod haunt;
mod kernel;
#[cfg(test)]
mod keys;
mod levels;
mod lsu;
mod owner;
pub mod pmu;
pub mod regfile;
mod sched;
mod share;
mod sm;
mod subcore;
mod tell;
#[cfg(test)]
mod testing;
mod todo;
pub mod units;
mod view;
pub mod visit;
mod warp;
mod wires;
mod witness;

pub use code::{Code, Decoder};
pub use config::Config;
pub use kernel::{Bank, Kernel};
pub use levels::client;
pub use regfile::operands;
pub use sm::Sm;
pub use units::{hazard, latency};
pub use upset_machine::{
    Attendant, Begun, Core, CoreCounters, InUse, Limits, Lines, Look, Owner, Reason, Seen,
    SharedLooker, Span, Strikes, Struck, Sums, Trace, WarpOwner,
};
pub use upset_state::Change;
pub use view::{Constants, View};
pub use witness::{Issued, SharedWitness, Witness};

/// A chip of SMs.
pub type Machine = upset_machine::Machine<Sm>;
/// Its state at the beginning of a cycle of a launch.
pub type Standing<'a> = upset_machine::Standing<'a, Sm>;
/// What one launch on it did.
pub type LaunchCounters = upset_machine::LaunchCounters<Sums>;
