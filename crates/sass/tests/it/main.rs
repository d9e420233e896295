//! Integration tests of the SASS crate.

mod container;
mod lowering;
mod nvdisasm;
mod ordering;
