//! Memory as a host uses it: allocations, copies, fills.

use crate::digest::hash_range;
use crate::journal::Event;
use crate::{DevPtr, Device, DeviceError};

/// Bytes copied at a time within the device.
const CHUNK: usize = 1 << 20;

impl Device {
    /// Allocates device memory.
    pub fn malloc(&mut self, bytes: u64) -> Result<DevPtr, DeviceError> {
        let addr = self.storage.global_mut().allocate(bytes)?;
        self.allocated(addr, bytes);
        Ok(DevPtr(addr))
    }

    pub(crate) fn allocated(&mut self, addr: u64, bytes: u64) {
        self.allocations.push((addr, bytes));
        self.note(|_| Event::Malloc { bytes });
    }

    /// Frees device memory.
    pub fn free(&mut self, p: DevPtr) -> Result<(), DeviceError> {
        if let Some(freed) = &mut self.freed
            && let Some(&(addr, len)) = self.allocations.iter().rev().find(|(addr, _)| *addr == p.0)
        {
            hash_range(&mut self.storage, freed, addr, len);
        }
        Ok(self.storage.global_mut().free(p.0)?)
    }

    /// Copies to the device.
    pub fn upload(&mut self, to: DevPtr, bytes: &[u8]) -> Result<(), DeviceError> {
        if !self.nvidia.write_constants(to.0, bytes, &mut self.storage)? {
            self.storage.write(to.0, bytes)?;
        }
        self.hear();
        self.took_in(to, bytes);
        Ok(())
    }

    /// Notes bytes that came from the host.
    pub(crate) fn took_in(&mut self, to: DevPtr, bytes: &[u8]) {
        self.note(|d| Event::Upload { to: d.pointer_or_null(to), bytes: bytes.to_vec() });
    }

    /// Copies from the device. The bytes count as output of the run.
    pub fn download(&mut self, from: DevPtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.fetch(from, bytes)?;
        self.took_out(from, bytes);
        Ok(())
    }

    /// Counts bytes that went to the host as output; gives back which they are of
    /// those that are kept.
    pub(crate) fn took_out(&mut self, from: DevPtr, bytes: &[u8]) -> usize {
        let number = self.outputs.count();
        self.outputs.copied(bytes);
        self.note(|d| Event::Download { from: d.pointer_or_null(from), bytes: bytes.to_vec() });
        number
    }

    /// Sets bytes.
    pub fn memset(&mut self, to: DevPtr, value: u8, len: u64) -> Result<(), DeviceError> {
        self.storage.fill(to.0, value, len)?;
        self.hear();
        self.note(|d| Event::Memset { to: d.pointer_or_null(to), value, len });
        Ok(())
    }

    /// Allocates device memory at a multiple of `align` (a power of two).
    pub fn malloc_aligned(&mut self, bytes: u64, align: u64) -> Result<DevPtr, DeviceError> {
        let addr = self.storage.global_mut().allocate_aligned(bytes, align)?;
        self.allocated(addr, bytes);
        Ok(DevPtr(addr))
    }

    /// Whether an address is the device's: global or constant memory.
    pub fn owns_address(&self, p: DevPtr) -> bool {
        self.storage.global().owns(p.0) || self.nvidia.has_constant(p.0)
    }

    /// The host was told something that can depend on what kernels did, and that
    /// is no output: where bytes went, a time.
    pub fn tell_host(&mut self, what: &[u8]) {
        self.told.copied(what);
    }

    /// Takes bytes that the host can see as output of the run.
    pub fn count_as_output(&mut self, bytes: &[u8]) {
        self.outputs.copied(bytes);
    }

    /// Copies from the device without counting the bytes as output: the host
    /// asked for them on the program's way, not as its result.
    pub fn read(&mut self, from: DevPtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.fetch(from, bytes)?;
        self.told.copied(bytes);
        Ok(())
    }

    /// Reads bytes for whoever says then what they are to the host.
    pub(crate) fn fetch(&mut self, from: DevPtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        if !self.nvidia.read_constants(from.0, bytes, &mut self.storage)? {
            self.storage.read(from.0, bytes)?;
        }
        self.hear();
        Ok(())
    }

    /// Copies within the device. The ranges may overlap.
    pub fn copy(&mut self, to: DevPtr, from: DevPtr, len: u64) -> Result<(), DeviceError> {
        let overlap = to.0 < from.0.saturating_add(len) && from.0 < to.0.saturating_add(len);
        let mut buffer = vec![0; if overlap { len as usize } else { CHUNK.min(len as usize) }];
        let mut done = 0;
        while done < len {
            let n = buffer.len().min((len - done) as usize);
            self.fetch(from.offset(done), &mut buffer[..n])?;
            self.upload(to.offset(done), &buffer[..n])?;
            done += n as u64;
        }
        Ok(())
    }

    /// Live bytes and all bytes of device memory.
    pub fn memory_use(&mut self) -> (u64, u64) {
        (self.storage.global_mut().used(), self.chip.memory.bytes)
    }

    /// Start and length of the live allocation that holds `addr`.
    pub fn allocation(&mut self, addr: DevPtr) -> Option<(DevPtr, u64)> {
        self.storage.global_mut().allocation(addr.0).map(|(start, len)| (DevPtr(start), len))
    }
}
