//! Host memory that kernels can reach: managed, pinned and registered memory.
//!
//! Such memory exists twice, at the same address in the host and on the device
//! (registered memory: at another). What the host changed goes to the device
//! before a launch, what the kernel changed comes back after it; a copy of the
//! last agreed contents tells which is which.

use std::collections::{BTreeMap, BTreeSet};

use upset_device::{DevPtr, Device};

use crate::abi::Address;
use crate::error::{Error, Result};

/// Granule of comparison and of host mappings.
const PAGE: u64 = 4096;

/// What a region is, for pointer queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// `cudaMallocManaged`, `__managed__`.
    Managed,
    /// `cudaMallocHost`, `cudaHostAlloc`.
    Pinned,
    /// `cudaHostRegister`.
    Registered,
}

/// One region.
pub struct Region {
    /// Its address on the device.
    pub device: u64,
    /// Its length.
    pub len: u64,
    /// What it is.
    pub sort: Sort,
    /// Flags it was made with.
    pub flags: u32,
    agreed: Vec<u8>,
}

/// All regions, by host address.
#[derive(Default)]
pub struct Mapped {
    regions: BTreeMap<u64, Region>,
    /// Host pages that we mapped.
    pages: BTreeSet<u64>,
}

impl Mapped {
    /// Whether a host address lies in a region.
    pub fn holds(&self, p: Address) -> bool {
        self.find(p).is_some()
    }

    /// The region that holds a host address, and where it starts.
    pub fn find(&self, p: Address) -> Option<(u64, &Region)> {
        let (&start, region) = self.regions.range(..=p.0).next_back()?;
        (p.0 - start < region.len.max(1)).then_some((start, region))
    }

    /// Allocates memory for host and device at the same address.
    pub fn allocate(
        &mut self,
        device: &mut Device,
        len: u64,
        sort: Sort,
        flags: u32,
    ) -> Result<u64> {
        let size = len.max(1).checked_next_multiple_of(PAGE).ok_or(Error::MEMORY_ALLOCATION)?;
        let at = device.malloc_aligned(size, PAGE).map_err(|_| Error::MEMORY_ALLOCATION)?.0;
        if self.map_host(at, size).is_err() {
            let _ = device.free(DevPtr(at));
            return Err(Error::MEMORY_ALLOCATION);
        }
        // Fresh device memory may hold what an earlier allocation left there.
        let mut agreed = vec![0; len as usize];
        let _ = device.read(DevPtr(at), &mut agreed);
        // SAFETY: mapped just now, for us alone.
        unsafe { Address(at).host_bytes_mut(len as usize) }.copy_from_slice(&agreed);
        self.regions.insert(at, Region { device: at, len, sort, flags, agreed });
        Ok(at)
    }

    /// Makes a variable of the device reachable for the host.
    pub fn add_variable(
        &mut self,
        device: &mut Device,
        at: u64,
        len: u64,
    ) -> std::result::Result<(), String> {
        let first = at / PAGE * PAGE;
        let end = (at + len).next_multiple_of(PAGE);
        let fresh: Vec<u64> =
            (first..end).step_by(PAGE as usize).filter(|p| !self.pages.contains(p)).collect();
        for page in fresh {
            self.map_host(page, PAGE)?;
        }
        let mut agreed = vec![0; len as usize];
        device.read(DevPtr(at), &mut agreed).map_err(|e| e.to_string())?;
        // SAFETY: pages that we mapped; the application has not seen them yet.
        unsafe { Address(at).host_bytes_mut(len as usize) }.copy_from_slice(&agreed);
        let flags = 1;
        self.regions.insert(at, Region { device: at, len, sort: Sort::Managed, flags, agreed });
        Ok(())
    }

    /// Registers memory of the application.
    pub fn register(
        &mut self,
        device: &mut Device,
        host: Address,
        len: u64,
        flags: u32,
    ) -> Result<()> {
        if host.0 == 0 || len == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let before = self.regions.range(..host.0 + len).next_back();
        if before.is_some_and(|(&start, r)| start + r.len > host.0) {
            return Err(Error::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let at = device.malloc(len).map_err(|_| Error::MEMORY_ALLOCATION)?;
        let mut agreed = vec![0; len as usize];
        device.read(at, &mut agreed).map_err(|_| Error::MEMORY_ALLOCATION)?;
        let region = Region { device: at.0, len, sort: Sort::Registered, flags, agreed };
        self.regions.insert(host.0, region);
        Ok(())
    }

    /// Gives back a region that starts at this host address.
    pub fn release(&mut self, device: &mut Device, host: Address) -> Option<Sort> {
        let region = self.regions.remove(&host.0)?;
        let _ = device.free(DevPtr(region.device));
        if region.sort != Sort::Registered {
            let first = host.0 / PAGE * PAGE;
            let end = (host.0 + region.len.max(1)).next_multiple_of(PAGE);
            for page in (first..end).step_by(PAGE as usize) {
                // Variables may share a page.
                let used = self.regions.range(..page + PAGE).next_back();
                if used.is_some_and(|(&start, r)| start + r.len > page) {
                    continue;
                }
                if self.pages.remove(&page) {
                    // SAFETY: mapped by `map_host`, and no region is left in it;
                    // the application has given it up.
                    unsafe { libc::munmap(page as *mut libc::c_void, PAGE as usize) };
                }
            }
        }
        Some(region.sort)
    }

    /// Gives back all regions that can be given back.
    pub fn release_all(&mut self, device: &mut Device) {
        let starts: Vec<u64> = self.regions.keys().copied().collect();
        for start in starts {
            self.release(device, Address(start));
        }
    }

    /// Brings the device up to date with what the host wrote.
    pub fn update_device(&mut self, device: &mut Device) -> Result<()> {
        for (&start, region) in &mut self.regions {
            // SAFETY: our own mapping, or memory the application registered.
            let host = unsafe { Address(start).host_bytes(region.len as usize) };
            let step = PAGE as usize;
            for (i, (now, was)) in host.chunks(step).zip(region.agreed.chunks_mut(step)).enumerate()
            {
                if now != was {
                    was.copy_from_slice(now);
                    let to = DevPtr(region.device + i as u64 * PAGE);
                    device.upload(to, was).map_err(|_| Error::INVALID_VALUE)?;
                }
            }
        }
        Ok(())
    }

    /// Brings the host up to date with what kernels wrote; the bytes count as
    /// output, for the host may look at them.
    pub fn update_host(&mut self, device: &mut Device) {
        let mut now = vec![0; PAGE as usize];
        for (&start, region) in &mut self.regions {
            for (i, was) in region.agreed.chunks_mut(PAGE as usize).enumerate() {
                let now = &mut now[..was.len()];
                let offset = i as u64 * PAGE;
                if device.read(DevPtr(region.device + offset), now).is_err() || now == was {
                    continue;
                }
                was.copy_from_slice(now);
                device.count_as_output(now);
                // The same bytes elsewhere are something else to the host.
                device.tell_host(&(start + offset).to_le_bytes());
                // SAFETY: our own mapping, or memory the application registered.
                unsafe { Address(start + offset).host_bytes_mut(now.len()) }.copy_from_slice(now);
            }
        }
    }

    /// Maps zeroed host memory at an address.
    fn map_host(&mut self, at: u64, len: u64) -> std::result::Result<(), String> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: NOREPLACE leaves existing mappings alone.
        let got = unsafe { libc::mmap(at as *mut _, len as usize, access, flags, -1, 0) };
        if got as u64 != at {
            if got != libc::MAP_FAILED {
                // SAFETY: what the call above mapped, elsewhere than asked.
                unsafe { libc::munmap(got, len as usize) };
            }
            let why = std::io::Error::last_os_error();
            return Err(format!(
                "cannot map {len} bytes at {at:#x} for memory shared with the device: {why}"
            ));
        }
        self.pages.extend((at..at + len).step_by(PAGE as usize));
        Ok(())
    }
}
