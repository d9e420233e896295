//! Opaque handles: numbers that the application gets instead of pointers.

use std::collections::BTreeMap;

use crate::abi::Handle;
use crate::error::{Error, Result};

/// What lives behind handles of one sort.
pub struct Handles<T> {
    next: Handle,
    live: BTreeMap<Handle, T>,
}

impl<T> Handles<T> {
    /// None yet; numbers of different sorts start apart, so that one is never
    /// taken for the other. They are no addresses of anything.
    pub const fn from(first: Handle) -> Handles<T> {
        Handles { next: first, live: BTreeMap::new() }
    }

    /// A new handle.
    pub fn add(&mut self, value: T) -> Handle {
        let handle = self.next;
        self.next += 16;
        self.live.insert(handle, value);
        handle
    }

    /// What a handle stands for.
    pub fn get(&self, handle: Handle) -> Result<&T> {
        self.live.get(&handle).ok_or(Error::INVALID_RESOURCE_HANDLE)
    }

    /// What a handle stands for, to be changed.
    pub fn get_mut(&mut self, handle: Handle) -> Result<&mut T> {
        self.live.get_mut(&handle).ok_or(Error::INVALID_RESOURCE_HANDLE)
    }

    /// Ends a handle.
    pub fn remove(&mut self, handle: Handle) -> Result<T> {
        self.live.remove(&handle).ok_or(Error::INVALID_RESOURCE_HANDLE)
    }

    /// All that live, in order of making.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.live.values_mut()
    }
}
