//! Virtual memory management. The device has one mapping of addresses to memory,
//! so addresses that are set aside are memory already; what is mapped there gets
//! its contents when it is mapped and keeps them when it is unmapped.

use upset_device::DevPtr;

use super::spaces::{Mapping, Memory};
use super::state::Runtime;
use crate::abi::{Address, Handle};
use crate::error::{Error, Result};

/// Sizes and addresses are multiples of this, as on current GPUs.
pub const GRANULE: u64 = 2 << 20;

fn is_aligned(n: u64) -> bool {
    n > 0 && n.is_multiple_of(GRANULE)
}

impl Runtime {
    /// Sets addresses aside.
    pub fn reserve(&mut self, bytes: u64, align: u64) -> Result<u64> {
        if !is_aligned(bytes) || (align > 0 && !align.is_power_of_two()) {
            return Err(Error::INVALID_VALUE);
        }
        let at = self.device.malloc_aligned(bytes, align.max(GRANULE));
        let at = at.map_err(|_| Error::MEMORY_ALLOCATION)?.0;
        self.spaces.reserved.insert(at, bytes);
        Ok(at)
    }

    /// Gives addresses back, if nothing is mapped there.
    pub fn unreserve(&mut self, at: u64, bytes: u64) -> Result<()> {
        let fits = self.spaces.reserved.get(&at) == Some(&bytes);
        if !fits || self.spaces.mapped.range(at..at + bytes).next().is_some() {
            return Err(Error::INVALID_VALUE);
        }
        self.spaces.reserved.remove(&at);
        self.device.free(DevPtr(at)).map_err(|_| Error::INVALID_VALUE)
    }

    /// Memory that has no address yet.
    pub fn create_memory(&mut self, bytes: u64) -> Result<Handle> {
        if !is_aligned(bytes) {
            return Err(Error::INVALID_VALUE);
        }
        if bytes > self.device.memory_use().1 {
            return Err(Error::MEMORY_ALLOCATION);
        }
        let memory = Memory { bytes, contents: None, released: false };
        Ok(self.spaces.memory.add(memory))
    }

    /// Gives memory up; what is mapped stays until it is unmapped.
    pub fn release_memory(&mut self, memory: Handle) -> Result<()> {
        self.spaces.memory.get_mut(memory)?.released = true;
        self.forget_memory(memory);
        Ok(())
    }

    fn forget_memory(&mut self, memory: Handle) {
        let is_mapped = self.spaces.mapped.values().any(|m| m.memory == memory);
        if !is_mapped && self.spaces.memory.get(memory).is_ok_and(|m| m.released) {
            let _ = self.spaces.memory.remove(memory);
        }
    }

    /// Puts memory at an address.
    pub fn map(&mut self, at: u64, bytes: u64, offset: u64, memory: Handle) -> Result<()> {
        let held = self.spaces.memory.get(memory)?;
        if !is_aligned(bytes) || !at.is_multiple_of(GRANULE) || offset != 0 || bytes > held.bytes {
            return Err(Error::INVALID_VALUE);
        }
        let end = at.checked_add(bytes).ok_or(Error::INVALID_VALUE)?;
        let space = self.spaces.reserved.range(..=at).next_back();
        if space.is_none_or(|(start, len)| end > start + len) {
            return Err(Error::INVALID_VALUE);
        }
        let before = self.spaces.mapped.range(..end).next_back();
        if before.is_some_and(|(start, m)| start + m.bytes > at) {
            return Err(Error::INVALID_VALUE);
        }
        if self.spaces.mapped.values().any(|m| m.memory == memory) {
            self.tell("memory that is mapped at two addresses is not supported".into(), true);
            return Err(Error::NOT_SUPPORTED);
        }
        if let Some(contents) = self.spaces.memory.get_mut(memory)?.contents.take() {
            let part = &contents[..bytes as usize];
            self.device.upload(DevPtr(at), part).map_err(|_| Error::INVALID_VALUE)?;
        }
        self.spaces.mapped.insert(at, Mapping { memory, bytes });
        Ok(())
    }

    /// Takes memory from all addresses of a range.
    pub fn unmap(&mut self, at: u64, bytes: u64) -> Result<()> {
        let end = at.checked_add(bytes).ok_or(Error::INVALID_VALUE)?;
        let inside: Vec<(u64, Mapping)> =
            self.spaces.mapped.range(at..end).map(|(at, m)| (*at, *m)).collect();
        if inside.is_empty() || inside.iter().any(|(at, m)| at + m.bytes > end) {
            return Err(Error::INVALID_VALUE);
        }
        for (at, mapping) in inside {
            let held = self.spaces.memory.get_mut(mapping.memory)?;
            if !held.released {
                let mut contents = vec![0; held.bytes as usize];
                let part = &mut contents[..mapping.bytes as usize];
                self.device.read(DevPtr(at), part).map_err(|_| Error::INVALID_VALUE)?;
                held.contents = Some(contents);
            }
            self.spaces.mapped.remove(&at);
            self.forget_memory(mapping.memory);
        }
        Ok(())
    }

    /// Whether a handle stands for memory.
    pub fn is_memory(&self, memory: Handle) -> Result<()> {
        self.spaces.memory.get(memory).map(|_| ())
    }

    /// The memory that is mapped at an address.
    pub fn memory_at(&self, at: Address) -> Result<Handle> {
        let found = self.spaces.mapped.range(..=at.0).next_back();
        let found = found.filter(|(start, m)| at.0 - **start < m.bytes);
        found.map(|(_, m)| m.memory).ok_or(Error::INVALID_VALUE)
    }
}
