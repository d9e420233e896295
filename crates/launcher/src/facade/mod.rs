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

use std::collections::BTreeSet;

use upset_cudart::release::Release;
use upset_cudart::{api, driver, driver_symbols};

pub use elf::{FacadeTarget, Function, Versions};
pub use names::{HOST, LIBRARY, symbol};

/// The facade with the functions of the system that are held, and with what leads
/// the runtime inside programs to ours.
pub fn host() -> Vec<u8> {
    let functions: Vec<Function> = host_names()
        .map(|name| Function { name, target: FacadeTarget::Symbol(symbol(name)) })
        .collect();
    // Programs ask for these in the versions of the C library that they were
    // linked with; what has no version is taken for any.
    elf::shared_object(HOST, &functions, Versions::None)
}

/// What its functions are called.
pub fn host_names() -> impl Iterator<Item = &'static str> {
    upset_cudart::host::names().chain(upset_cudart::inside::NAMES.iter().copied())
}

/// What is in the file that stands for the system's random devices.
pub fn random_bytes() -> Vec<u8> {
    upset_cudart::host::random_bytes()
}

/// The facade of a release, with what our library has.
pub fn facade(release: Release) -> Vec<u8> {
    let here: BTreeSet<&str> = api::names().collect();
    let functions: Vec<Function> = release
        .functions()
        .map(|name| {
            let target = targets::of(release, name);
            let target = match here.contains(target) {
                true => FacadeTarget::Symbol(symbol(target)),
                false => FacadeTarget::Missing,
            };
            Function { name, target }
        })
        .collect();
    elf::shared_object(release.soname(), &functions, Versions::Own)
}

/// The facade of the driver's library, whose functions have no versions.
pub fn driver_facade() -> Vec<u8> {
    let here: BTreeSet<&str> = driver::names().collect();
    let names = driver_symbols::exported();
    let functions: Vec<Function> = names
        .iter()
        .map(|name| {
            let target = driver_symbols::target(name);
            let target = match here.contains(target) {
                true => FacadeTarget::Symbol(symbol(target)),
                false => FacadeTarget::Missing,
            };
            Function { name, target }
        })
        .collect();
    elf::shared_object(driver_symbols::SONAME, &functions, Versions::None)
}

#[cfg(test)]
mod tests;
