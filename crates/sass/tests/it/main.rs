//! Integration tests of the SASS crate.

mod container;
mod kepler;
mod lowering;
mod nvdisasm;
mod ordering;
