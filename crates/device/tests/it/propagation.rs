//! Propagation is real: a broken bit does what the array it lies in does, no
//! more and no less. Each test would fail if faults were only notes beside
//! the arrays.
//!
//! Kernels are assembled here; caches are warmed by one launch, broken between
//! launches, and looked at through the next.

mod caches;
mod control;
mod instructions;
pub(crate) mod lab;
mod memories;
mod registers;
mod stuck;
