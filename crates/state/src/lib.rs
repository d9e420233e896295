//! Physical arrays: what they are called, how any bit of them is reached, who
//! watches them, and which bits are held at a value.
//!
//! A component keeps values in [`Array`]s and [`ByteArray`]s, whose verbs do all
//! that an access entails (the value, stuck bits, telling who watches, moving
//! the differences of ghosts), and lists its arrays in one `visit` function
//! ([`Visit`]). From that list follow the inventory, the names of all bits,
//! reading, flipping and forcing. Who is told is a [`Probe`], a type parameter
//! of the machine: with [`Quiet`] all but the value compiles to nothing.

pub mod aligned;
pub mod array;
pub mod bits;
pub mod bytes;
mod change;
pub mod changes;
pub mod digest;
pub mod ghosts;
pub mod haunted;
pub mod held;
mod hidden;
pub mod how;
pub mod kind;
pub mod layout;
pub mod memory;
pub mod place;
pub mod probe;
pub mod quirks;
pub mod random;
pub mod registry;
pub mod site;
mod steps;
pub mod syndrome;
pub mod usage;
pub mod watch;
pub mod words;

pub use aligned::Aligned;
pub use array::Array;
pub use bits::Bits;
pub use bytes::ByteArray;
pub use change::{Change, Force};
pub use digest::Digest;
pub use ghosts::Ghosts;
pub use haunted::Haunted;
pub use held::{Held, HeldWord};
pub use hidden::Hidden;
pub use how::How;
pub use kind::{Kind, Owner};
pub use layout::{ArrayId, Axis, Layout, Part};
pub use memory::GlobalMemory;
pub use place::{Origin, Place, Sourced};
pub use probe::{Access, By, Event, LineFact, LineObserver, LineShape, Probe, Quiet, WireObserver};
pub use quirks::Quirk;
pub use registry::{Registry, Visit, Visitor};
pub use site::{Site, SiteError};
pub use steps::Steps;
pub use usage::{Extent, Stored, Use};
pub use watch::Watch;
