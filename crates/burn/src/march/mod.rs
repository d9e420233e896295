//! March tests: their notation, the well-known ones as data, and a simulator
//! that says which faults of a memory each of them finds.
//!
//! A March test walks over all cells in one order, doing the same few reads and
//! writes at each before it goes to the next: `{⇕(w0);⇑(r0,w1);⇓(r1,w0)}`. What
//! such a test detects follows from its notation alone; [`mod@coverage`] proves it
//! by trying every fault. Fault models and algorithms are those of A. J. van de
//! Goor, "Testing Semiconductor Memories: Theory and Practice", 1991.

pub mod algorithms;
pub mod background;
pub mod coverage;
mod fault;
mod memory;
mod notation;

pub use algorithms::{ALGORITHMS, Algorithm};
pub use background::BACKGROUNDS;
pub use coverage::{Coverage, coverage};
pub use fault::{Class, Fault, Sense, Transition, Wired};
pub use memory::Memory;
pub use notation::{Element, March, NotationError, Op, Order};
