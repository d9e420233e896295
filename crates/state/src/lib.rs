//! Physical arrays: what they are called, how any bit of them is reached, who
//! watches them, and which bits are held at a value.
//!
//! A component keeps its storage in plain fields (a register file is a vector
//! of rows) and lists them in one `visit` function ([`Visit`]). From that list
//! follow the inventory, the names of all bits, reading, flipping and forcing.
//! Accesses are reported to a [`Probe`], a type parameter of the machine: with
//! [`Quiet`] the reports compile to nothing.

pub mod bits;
mod change;
pub mod changes;
pub mod digest;
pub mod ghosts;
pub mod haunted;
pub mod held;
pub mod kind;
pub mod layout;
pub mod memory;
pub mod probe;
pub mod registry;
pub mod site;
mod steps;
pub mod watch;

pub use bits::Bits;
pub use change::{Change, Force};
pub use digest::Digest;
pub use ghosts::{Ghosts, Place};
pub use haunted::Haunted;
pub use held::{Held, HeldWord};
pub use kind::{Kind, Owner};
pub use layout::{ArrayId, Axis, Layout, Part};
pub use memory::GlobalMemory;
pub use probe::{Access, By, Event, Extent, LineFact, LineObserver, LineShape, Probe, Quiet};
pub use registry::{Registry, Visit, Visitor};
pub use site::{Site, SiteError};
pub use steps::Steps;
pub use watch::Watch;
