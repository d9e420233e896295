//! A stand-in for NVIDIA's runtime library, `libcudart`, and for the driver's,
//! `libcuda`, over the same device.
//!
//! An ordinary CUDA program, linked with `-cudart shared`, finds our library
//! first, and its calls drive a simulated device in its own process. Built as
//! a shared library it exports every function under `upset_<name>`; the facades
//! that `upset-launcher` writes carry the real names and symbol versions.
//!
//! Layers: [`api`] and [`driver`] are the C side, thin and the only place with the
//! application's pointers; `runtime` is what the calls mean; the device does
//! the work. What any such library does in a program's process (orders, records,
//! forks) is `upset-agent`. Nothing here touches the application's standard output, but for
//! what its kernels print.

#![allow(unsafe_code)]

pub mod abi;
pub mod api;
pub mod driver;
pub mod driver_symbols;
pub mod error;
mod error_names;
pub mod host;
pub mod inside;
pub mod release;
mod runtime;
mod unasked;
