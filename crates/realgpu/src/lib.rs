//! Real GPUs as boards for the tests of `upset-burn`.
//!
//! Vendors' libraries are opened at run time, so that one program runs with and
//! without them; what is missing is named. Each library is one table
//! ([`functions!`]): the few functions that are used, with their types, in one
//! place.
//!
//! Own tables instead of the crates cudarc and nvml-wrapper: cudarc's dynamic
//! loading panics where a library or a function is missing, which must be a
//! sentence and an exit code here; both bring some thousand functions for the
//! sixty that are used; and the same mechanism serves OpenCL.

#![allow(unsafe_code)]

pub mod cuda;
pub mod library;
pub mod nvml;
pub mod opencl;
mod unopened;

pub use unopened::Unopened;
