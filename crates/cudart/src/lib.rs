//! A stand-in for NVIDIA's runtime library, `libcudart`.
//!
//! An ordinary CUDA program, linked with `-cudart shared`, finds our library
//! first, and its calls drive a simulated device in its own process. Built as
//! a shared library it exports every function under `upset_<name>`; the
//! [`facade`] files carry the real names and symbol versions.
//!
//! Layers: [`api`] is the C side, thin and the only place with the
//! application's pointers; `runtime` is what the calls mean; the device does
//! the work. Nothing here touches the application's standard output, but for
//! what its kernels print.

#![allow(unsafe_code)]

pub mod abi;
pub mod api;
pub mod config;
pub mod error;
mod error_names;
pub mod facade;
mod host;
pub mod launcher;
pub mod release;
pub mod report;
mod runtime;
mod say;
pub mod walk;
