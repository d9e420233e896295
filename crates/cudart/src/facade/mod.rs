//! Facades: small shared objects with the names, versions and functions of the
//! vendor's runtime library, each a jump into ours.
//!
//! A program asks the loader for `libcudart.so.11.0` and for symbols of the
//! version node `libcudart.so.11.0`. One library cannot carry the nodes of all
//! CUDA releases with a default each, and a linker script per release would
//! tie the build to a linker; so the facades are written out here, byte by
//! byte, from the list of names and of what exists.

mod elf;
mod hash;
mod layout;
mod names;
mod targets;

use crate::api;
use crate::release::Release;

pub use elf::{Function, Target, Versions};
pub use names::{HOST, LIBRARY, symbol};

/// That facade.
pub fn host() -> Vec<u8> {
    let functions: Vec<Function> =
        host_names().map(|name| Function { name, target: Target::Symbol(symbol(name)) }).collect();
    // Programs ask for these in the versions of the C library that they were
    // linked with; what has no version is taken for any.
    elf::shared_object(HOST, &functions, Versions::None)
}

/// What the system's functions are called that are held.
pub fn host_names() -> impl Iterator<Item = &'static str> {
    crate::host::names()
}

/// What is in the file that stands for the system's random devices.
pub fn random_bytes() -> Vec<u8> {
    crate::host::random_bytes()
}

impl Release {
    /// The facade with what this library has.
    pub fn facade(self) -> Vec<u8> {
        let here: std::collections::BTreeSet<&str> = api::names().collect();
        let functions: Vec<Function> = self
            .functions()
            .map(|name| {
                let target = targets::of(self, name);
                let target = match here.contains(target) {
                    true => Target::Symbol(symbol(target)),
                    false => Target::Missing,
                };
                Function { name, target }
            })
            .collect();
        elf::shared_object(self.soname(), &functions, Versions::Own)
    }
}

#[cfg(test)]
mod tests;
