//! Loaded before all others into an unmodified CUDA program, this library makes
//! the program's contexts *green*: contexts of the driver that own a subset of
//! the SMs, here all groups but those with a bad SM.
//!
//! Programs reach the driver in three ways: linked with it, by `dlopen` and
//! `dlsym`, and by `cuGetProcAddress` (NVIDIA's runtime, linked in or not,
//! does the latter two). All three are answered here (`calls`, `lookup`).
//! Which group holds a bad SM is asked of the chip each time, by running a
//! kernel there (`green`); nothing is assumed about how groups are numbered.
//! If the driver does not play along, the program ends with [`REFUSED`]: it
//! must not run on what is broken.

#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod calls;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod driver;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod green;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod lookup;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod report;

pub use upset_quarantine_orders::{
    EVERY, LIBRARY, Line, ORDERS, Order, Place, REFUSED, REPORT, parse, written,
};
