//! Streaming multiprocessors, cycle by cycle, over real arrays.
//!
//! A [`Machine`] is a chip: SMs with four sub-cores each, and the memory
//! hierarchy of `upset-mem`. Registers, predicates, shared memory, buffers and
//! masks are fields of the structures here, listed for the registry in
//! [`visit`]; results reach them when hardware would write them, not when an
//! instruction issues. Time moves from event to event: a sub-core that cannot
//! issue is not looked at until something it waits for has happened.
//!
//! What an instruction means is not here but in `upset-isa`, shared with the
//! functional engine.

mod access;
pub mod code;
pub mod config;
mod digest;
mod fetch;
mod haunt;
pub mod hazard;
mod ibuf;
mod in_use;
mod issue;
mod kernel;
#[cfg(test)]
mod keys;
pub mod latency;
mod look;
mod lsu;
mod machine;
pub mod operands;
mod owner;
mod pool;
mod reuse;
mod scheduler;
mod sm;
mod stats;
mod subcore;
mod tell;
mod texture;
mod trace;
mod view;
pub mod visit;
mod warp;
mod witness;

pub use code::{Code, Decoder};
pub use config::Config;
pub use digest::Standing;
pub use in_use::{InUse, Lines};
pub use kernel::{Bank, Kernel};
pub use look::{Look, Seen, SharedLooker};
pub use machine::{Attendant, LaunchCounters, Limits, Machine};
pub use owner::{Begun, Owner, Strikes, Struck, WarpOwner};
pub use sm::{Sm, client};
pub use stats::{Reason, SmCounters};
pub use trace::{Span, Trace};
pub use upset_state::Change;
pub use view::{Constants, View};
pub use witness::{Issued, SharedWitness, Witness};
