//! Memory hierarchy whose lines hold real bytes: first-level caches, crossbar,
//! L2 slices, DRAM channels and what they are backed by.
//!
//! Nothing is stepped per cycle: whatever will happen is an event in a
//! [`wheel::Wheel`], and an idle hierarchy costs nothing. Bytes are copied when
//! an event happens (a slice serves a packet, DRAM answers, a fill arrives);
//! packets carry the bytes they need. `docs/memory.md` says what is modelled.

mod address;
mod ahead;
mod backing;
mod below;
mod cache;
mod clock;
mod counters;
mod digest;
mod dram;
mod driver;
mod few_ways;
mod first_level;
mod ghosts;
mod hash;
mod haunt;
mod held_back;
mod host;
mod in_use;
mod line;
mod line_state;
mod lines;
mod lines_in_use;
mod mask;
mod misses;
mod order;
mod owner;
mod packet;
mod serve;
mod sets;
mod slice;
mod spares;
mod system;
mod tag_index;
mod visit;
pub mod wheel;
mod written;

pub use address::{AddressMap, Place};
pub use backing::Segment;
pub use below::{Below, Doorway};
pub use cache::Cache;
pub use counters::{FirstLevelCounters, MemoryCounters};
pub use digest::Tokens;
pub use driver::driver_of;
pub use first_level::{Filled, FirstLevel, Read};
pub use haunt::{end as end_flight, end_batch};
pub use line::{LINE, SECTOR};
pub use lines_in_use::LinesInUse;
pub use owner::LineOwner;
pub use packet::{
    ApplyAtomic, AtomicBatch, Body, LaneOp, LineBytes, Port, Reply, ReplyBody, Request, WriteData,
    batch_row,
};
pub use system::MemorySystem;
pub use upset_state::memory::MemoryError;
pub use wheel::Wheel;
pub use written::Written;
