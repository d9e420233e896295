//! A chip of cores, whatever the core.
//!
//! A [`Machine`] is the memory hierarchy of `upset-mem` with a number of
//! [`Core`]s above it. It moves time from event to event, gives work-groups to
//! cores, carries out planned changes of bits, lets ghosts leave, and says what
//! its state is and whose its bits are. What a core is made of, and what an
//! instruction does, only the core knows: `upset-compute` has NVIDIA's.

mod ahead;
mod attendant;
mod awake;
mod beside;
mod changes;
mod core;
mod counters;
mod counting;
mod digest;
mod ghosts;
mod grid;
mod held;
mod in_use;
mod launch;
pub mod laws;
mod lead;
mod look;
mod looking;
mod machine;
mod owner;
pub mod pmu;
mod pool;
mod reading;
mod room;
mod run;
mod stats;
mod stretch;
mod strikes;
#[cfg(test)]
mod tests;
mod trace;

pub use attendant::{Attendant, Limits};
pub use core::{Core, Cx, GivenUp, Rules, Stale};
pub use counters::{LaunchCounters, Tally};
pub use digest::{Standing, Stands};
pub use held::Held;
pub use in_use::{InUse, Lines};
pub use launch::{Begun, Kernel};
pub use look::{Look, Seen, SharedLooker};
pub use machine::Machine;
pub use owner::{Owner, WarpOwner};
pub use pool::Pool;
pub use room::Room;
pub use stats::{CoreCounters, Reason, Sums};
pub use strikes::{Strikes, Struck};
pub use trace::{Span, Trace};
pub use upset_state::Change;
