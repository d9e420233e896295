//! What the model cannot do, although a description may say it.
//!
//! A value that the machine would ignore, cut to size or rebuild is refused
//! here: who changes a chip wants to see another chip. SMs of Maxwell and Pascal,
//! and those before Kepler, have no core, so that their descriptions stand for
//! themselves; code for them is refused when it is to run.

mod caches;
pub(crate) mod cu;
pub(crate) mod sm;
