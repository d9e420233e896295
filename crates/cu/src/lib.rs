//! AMD's compute units, cycle by cycle, over real arrays.
//!
//! A [`Group`] of compute units, which share a scalar and an instruction cache,
//! is the core of a machine ([`Machine`]). Vector and scalar registers, LDS,
//! buffers, EXEC and the other registers of waves are fields of the structures
//! here. Arithmetic writes its results in the cycle in which it issues, four to
//! sixteen cycles before hardware does: nothing of the wave looks at them
//! between. Memory instructions read and write registers when hardware does.
//!
//! What an instruction means is not here but in `upset-gcn`, shared with the
//! functional engine.

#![forbid(unsafe_code)]

mod access;
mod cells;
pub mod code;
pub mod config;
mod core;
mod counters;
mod cu;
mod digest;
mod fetch;
mod group;
mod haunt;
mod ibuf;
mod issue;
mod kernel;
#[cfg(test)]
mod keys;
mod owner;
mod resident;
mod scalar;
mod share;
mod shared;
mod simd;
mod step;
mod tell;
mod todo;
mod tokens;
mod vector;
mod view;
mod visit;
mod wave;
mod witness;
mod workgroup;

pub use code::Code;
pub use config::Config;
pub use cu::Cu;
pub use group::Group;
pub use kernel::{Kernel, Scratch};
pub use shared::Shared;
pub use view::{View, sgpr_number};
pub use wave::Wave;
pub use witness::{Issued, SharedWitness, Stage, Step, Witness};

/// A chip of compute units.
pub type Machine = upset_machine::Machine<Group>;
/// Its state at the beginning of a cycle of a launch.
pub type Standing<'a> = upset_machine::Standing<'a, Group>;
