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
mod targets;

pub use elf::{Function, Target, Versions};

use crate::api;

/// File name of the library that the facades jump into.
pub const LIBRARY: &str = "libupset_cudart.so";

/// File name of the facade with the functions of the system that are held
/// (`crate::host`). It is loaded before all other libraries.
pub const HOST: &str = "libupset_host.so";

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

/// A release of the runtime library, as far as its binary interface goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// CUDA 11.
    V11,
    /// CUDA 12.
    V12,
    /// CUDA 13.
    V13,
}

impl Release {
    /// All of them, oldest first.
    pub const ALL: [Release; 3] = [Release::V11, Release::V12, Release::V13];

    /// Name of the library; its symbols' version node is called the same.
    pub fn soname(self) -> &'static str {
        match self {
            Release::V11 => "libcudart.so.11.0",
            Release::V12 => "libcudart.so.12",
            Release::V13 => "libcudart.so.13",
        }
    }

    /// The functions of the vendor's library: the dynamic symbol tables of
    /// 11.8.89, 12.9.79 and 13.4.92.
    pub fn functions(self) -> impl Iterator<Item = &'static str> {
        let list = match self {
            Release::V11 => include_str!("../../api/11.0.txt"),
            Release::V12 => include_str!("../../api/12.txt"),
            Release::V13 => include_str!("../../api/13.txt"),
        };
        list.lines()
    }

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

/// What the library calls a function of the API.
pub fn symbol(name: &str) -> String {
    format!("upset_{name}")
}

#[cfg(test)]
mod tests;
