//! Addresses that the program set aside, and memory that it maps there.

use std::collections::BTreeMap;

use super::handles::Handles;
use crate::abi::Handle;

/// Memory without an address of its own.
pub struct Memory {
    /// Its size.
    pub bytes: u64,
    /// What it holds while it is mapped nowhere; nothing before the first time.
    pub contents: Option<Vec<u8>>,
    /// Whether the program has released it: it ends when it is unmapped.
    pub released: bool,
}

/// A piece of memory at an address.
#[derive(Clone, Copy)]
pub struct Mapping {
    /// The memory.
    pub memory: Handle,
    /// How much of it, from its start.
    pub bytes: u64,
}

/// Virtual memory of the process.
pub struct Spaces {
    /// Addresses set aside: start and length.
    pub reserved: BTreeMap<u64, u64>,
    /// Memory.
    pub memory: Handles<Memory>,
    /// What is mapped, by address.
    pub mapped: BTreeMap<u64, Mapping>,
}

impl Default for Spaces {
    fn default() -> Self {
        Spaces {
            reserved: BTreeMap::new(),
            memory: Handles::from(0xb000_0000),
            mapped: BTreeMap::new(),
        }
    }
}
