//! Copies and fills between host and device.

use upset_device::DevPtr;

use super::state::Runtime;
use crate::abi::{Address, DEFAULT, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, MemcpyKind};
use crate::error::{Error, Result};

/// Where a pointer points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The application's own memory.
    Host,
    /// Host memory that kernels can reach as well.
    Shared,
    /// The device's.
    Device,
}

impl Runtime {
    /// Where a pointer points.
    pub fn side(&self, p: Address) -> Side {
        if self.mapped.holds(p) {
            Side::Shared
        } else if self.device.owns_address(DevPtr(p.0)) {
            Side::Device
        } else {
            Side::Host
        }
    }

    /// Copies `len` bytes. The pointers decide; a kind that contradicts them
    /// is an error, as it is with the vendor's library.
    pub fn copy(&mut self, to: Address, from: Address, len: usize, kind: MemcpyKind) -> Result<()> {
        if !(0..=DEFAULT).contains(&kind) {
            return Err(Error::INVALID_MEMCPY_DIRECTION);
        }
        if len == 0 {
            return Ok(());
        }
        if to.0 == 0 || from.0 == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let (target, source) = (self.side(to), self.side(from));
        let needs_device_target = kind == HOST_TO_DEVICE || kind == DEVICE_TO_DEVICE;
        let needs_device_source = kind == DEVICE_TO_HOST || kind == DEVICE_TO_DEVICE;
        if kind != DEFAULT
            && ((needs_device_target && target == Side::Host)
                || (needs_device_source && source == Side::Host)
                || (!needs_device_target && target == Side::Device)
                || (!needs_device_source && source == Side::Device))
        {
            return Err(Error::INVALID_VALUE);
        }
        let device = &mut self.device;
        let done = match (target == Side::Device, source == Side::Device) {
            (true, true) => device.copy(DevPtr(to.0), DevPtr(from.0), len as u64),
            // SAFETY: the application vouches for its source.
            (true, false) => device.upload(DevPtr(to.0), unsafe { from.host_bytes(len) }),
            // SAFETY: the application vouches for its target.
            (false, true) => device.download(DevPtr(from.0), unsafe { to.host_bytes_mut(len) }),
            (false, false) => {
                // SAFETY: both ranges are the application's; they may overlap.
                unsafe { std::ptr::copy(from.0 as *const u8, to.0 as *mut u8, len) };
                Ok(())
            }
        };
        done.map_err(|_| Error::INVALID_VALUE)
    }

    /// Sets `len` bytes.
    pub fn fill(&mut self, to: Address, value: u8, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        match self.side(to) {
            Side::Device => self
                .device
                .memset(DevPtr(to.0), value, len as u64)
                .map_err(|_| Error::INVALID_VALUE),
            Side::Shared => {
                // SAFETY: memory that we gave to the application.
                unsafe { to.host_bytes_mut(len) }.fill(value);
                Ok(())
            }
            Side::Host => Err(Error::INVALID_VALUE),
        }
    }

    /// Repeats a value of 1, 2 or 4 bytes.
    pub fn fill_pattern(&mut self, to: Address, value: &[u8], count: usize) -> Result<()> {
        let bytes = value.repeat(count);
        match self.side(to) {
            Side::Device => {
                self.device.upload(DevPtr(to.0), &bytes).map_err(|_| Error::INVALID_VALUE)
            }
            Side::Shared => {
                // SAFETY: memory that we gave to the application.
                unsafe { to.host_bytes_mut(bytes.len()) }.copy_from_slice(&bytes);
                Ok(())
            }
            Side::Host => Err(Error::INVALID_VALUE),
        }
    }
}
