//! Integration tests of the SASS crate.

mod container;
