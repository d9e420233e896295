//! What the calls mean: one device, its modules, and the host memory it shares.
//!
//! What a process has is in data of its own, apart from what is done with it:
//! [`Runtime`] holds all of it, and the files above add its methods.

mod array;
mod arrays;
mod code;
pub mod contexts;
mod copy;
mod counters;
mod fault;
mod format;
pub mod graph;
mod graph_memory;
pub mod graph_told;
mod handles;
pub mod hints;
pub mod image;
mod image_limits;
mod images;
mod launch;
mod life;
mod limits;
mod link;
mod loaded;
mod mapped;
mod messages;
mod modules;
mod own;
mod pitched;
mod properties;
pub mod registry;
pub mod session;
mod spaces;
mod state;
mod streams;
mod submit;
mod surface;
mod texture;
mod trace;
mod virtual_memory;
pub mod volume;

pub use copy::Side;
pub use images::TextureObject;
pub use launch::Given;
pub use link::PieceKind;
pub use mapped::Sort;
pub use state::{Op, Runtime, Work};
pub use streams::{AttributeValue, Event, HIGHEST_PRIORITY, Stream};
pub use virtual_memory::GRANULE;
