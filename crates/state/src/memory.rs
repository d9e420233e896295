//! Global memory of a device: allocations in one address range, mapped in
//! large pages as hardware maps them.
//!
//! An access inside a mapped page succeeds even outside any allocation, an
//! access elsewhere is an illegal address: that is what decides between silent
//! corruption and a crash when a fault hits an address.

/// First address of global memory. Far from zero, so that small corrupted
/// pointers trap as they do on hardware.
pub const BASE: u64 = 0x7_0000_0000;
/// Granule in which memory is mapped.
pub const PAGE: u64 = 2 << 20;
/// Alignment of allocations.
const ALIGN: u64 = 512;

/// Why an allocation or copy failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// No room left.
    #[error("out of device memory: {wanted} bytes wanted, {capacity} bytes in all")]
    OutOfMemory {
        /// Bytes asked for.
        wanted: u64,
        /// Size of the memory.
        capacity: u64,
    },
    /// Freed twice or never allocated.
    #[error("{0:#x} is not the start of a live allocation")]
    NotAllocated(u64),
    /// A host copy that touches unmapped memory.
    #[error("device range {addr:#x}+{len:#x} is not allocated")]
    OutOfRange {
        /// Start.
        addr: u64,
        /// Length.
        len: u64,
    },
}

/// Global memory: bytes plus the list of allocations.
#[derive(Clone, Debug)]
pub struct GlobalMemory {
    bytes: Vec<u8>,
    /// Live allocations, sorted: (start, length), offsets from `BASE`.
    live: Vec<(u64, u64)>,
    /// Live allocations that touch each page.
    users: Vec<u32>,
    capacity: u64,
}

impl GlobalMemory {
    /// An empty memory that may grow to `capacity` bytes.
    pub fn new(capacity: u64) -> GlobalMemory {
        GlobalMemory { bytes: Vec::new(), live: Vec::new(), users: Vec::new(), capacity }
    }

    /// Allocates `len` bytes (first fit), zeroed if never used before.
    pub fn allocate(&mut self, len: u64) -> Result<u64, MemoryError> {
        self.allocate_aligned(len, ALIGN)
    }

    /// The same, at a multiple of `align` (a power of two).
    pub fn allocate_aligned(&mut self, len: u64, align: u64) -> Result<u64, MemoryError> {
        let align = align.max(ALIGN);
        let out = MemoryError::OutOfMemory { wanted: len, capacity: self.capacity };
        let size = len.max(1).checked_next_multiple_of(ALIGN).ok_or(out.clone())?;
        let mut at: u64 = 0;
        let mut index = 0;
        for (i, &(start, used)) in self.live.iter().enumerate() {
            if start.saturating_sub(at) >= size {
                break;
            }
            at = (start + used).next_multiple_of(align);
            index = i + 1;
        }
        let end = at.checked_add(size).filter(|&e| e <= self.capacity).ok_or(out)?;
        self.live.insert(index, (at, size));
        let pages = end.div_ceil(PAGE);
        if self.users.len() < pages as usize {
            self.grow(pages as usize);
        }
        for user in &mut self.users[(at / PAGE) as usize..pages as usize] {
            *user += 1;
        }
        Ok(BASE + at)
    }

    /// Makes room for at least `pages`. Fresh zeroes come from the system,
    /// untouched: programs often allocate far more than they use.
    fn grow(&mut self, pages: usize) {
        let most = self.capacity.div_ceil(PAGE) as usize;
        let pages = pages.max((2 * self.users.len()).min(most));
        let mut bytes = vec![0; pages * PAGE as usize];
        bytes[..self.bytes.len()].copy_from_slice(&self.bytes);
        self.bytes = bytes;
        self.users.resize(pages, 0);
    }

    /// Frees an allocation.
    pub fn free(&mut self, addr: u64) -> Result<(), MemoryError> {
        let at = addr.checked_sub(BASE).ok_or(MemoryError::NotAllocated(addr))?;
        let index = self
            .live
            .binary_search_by_key(&at, |&(s, _)| s)
            .map_err(|_| MemoryError::NotAllocated(addr))?;
        let (start, size) = self.live.remove(index);
        for user in &mut self.users[(start / PAGE) as usize..(start + size).div_ceil(PAGE) as usize]
        {
            *user -= 1;
        }
        Ok(())
    }

    /// Bytes in live allocations.
    pub fn used(&self) -> u64 {
        self.live.iter().map(|&(_, len)| len).sum()
    }

    /// Start and length of the live allocation that holds `addr`.
    pub fn allocation(&self, addr: u64) -> Option<(u64, u64)> {
        let at = addr.checked_sub(BASE)?;
        let next = self.live.partition_point(|&(start, _)| start <= at);
        let &(start, len) = self.live.get(next.checked_sub(1)?)?;
        (at - start < len).then_some((BASE + start, len))
    }

    /// Index of `addr` if `len` bytes from there are mapped.
    #[inline]
    fn index(&self, addr: u64, len: usize) -> Option<usize> {
        let at = addr.wrapping_sub(BASE);
        if at >= self.bytes.len() as u64 || len as u64 > self.bytes.len() as u64 - at {
            return None;
        }
        // Device accesses are aligned and never straddle a page.
        if self.users[(at / PAGE) as usize] == 0 {
            return None;
        }
        Some(at as usize)
    }

    /// `len` bytes (one aligned access) at `addr`.
    #[inline]
    pub fn read(&self, addr: u64, len: usize) -> Option<&[u8]> {
        self.index(addr, len).map(|i| &self.bytes[i..i + len])
    }

    /// The same, to be written.
    #[inline]
    pub fn write(&mut self, addr: u64, len: usize) -> Option<&mut [u8]> {
        self.index(addr, len).map(|i| &mut self.bytes[i..i + len])
    }

    /// Is an aligned access of `len` bytes inside a mapped page?
    #[inline]
    pub fn is_mapped(&self, addr: u64, len: u64) -> bool {
        self.index(addr, len as usize).is_some()
    }

    /// Start and length of each stretch of mapped pages.
    pub fn mapped_ranges(&self) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (i, _) in self.users.iter().enumerate().filter(|(_, users)| **users > 0) {
            let at = BASE + i as u64 * PAGE;
            match ranges.last_mut() {
                Some((start, len)) if *start + *len == at => *len += PAGE,
                _ => ranges.push((at, PAGE)),
            }
        }
        ranges
    }

    /// All mapped and unmapped bytes from [`BASE`] on, as one array.
    pub fn storage_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The same, to be looked at.
    pub fn storage(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes in what is allocated, not the bytes.
    pub fn digest(&self, d: &mut crate::Digest) {
        let GlobalMemory { bytes, live, users, capacity: _ } = self;
        d.count(bytes.len());
        d.value(live);
        d.value(users);
    }

    fn range(&self, addr: u64, len: u64) -> Result<std::ops::Range<usize>, MemoryError> {
        let out = MemoryError::OutOfRange { addr, len };
        let at = addr.checked_sub(BASE).ok_or(out.clone())?;
        let end =
            at.checked_add(len).filter(|&e| e <= self.bytes.len() as u64).ok_or(out.clone())?;
        let pages = (at / PAGE) as usize..end.div_ceil(PAGE) as usize;
        if self.users[pages].contains(&0) {
            return Err(out);
        }
        Ok(at as usize..end as usize)
    }

    /// Bytes for a host copy.
    pub fn bytes(&self, addr: u64, len: u64) -> Result<&[u8], MemoryError> {
        self.range(addr, len).map(|r| &self.bytes[r])
    }

    /// Bytes for a host copy, to be written.
    pub fn bytes_mut(&mut self, addr: u64, len: u64) -> Result<&mut [u8], MemoryError> {
        self.range(addr, len).map(|r| &mut self.bytes[r])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_do_not_overlap_and_holes_are_reused() {
        let mut m = GlobalMemory::new(1 << 30);
        let a = m.allocate(1000).unwrap();
        let b = m.allocate(1).unwrap();
        let c = m.allocate(5 << 20).unwrap();
        assert!(a + 1000 <= b && b < c);
        m.free(a).unwrap();
        assert_eq!(m.allocate(500).unwrap(), a);
        assert_eq!(m.free(a + 1), Err(MemoryError::NotAllocated(a + 1)));
    }

    #[test]
    fn pages_without_allocations_are_unmapped() {
        let mut m = GlobalMemory::new(1 << 30);
        let a = m.allocate(PAGE).unwrap();
        let b = m.allocate(PAGE).unwrap();
        assert!(m.read(b, 4).is_some());
        m.free(b).unwrap();
        assert!(m.read(b, 4).is_none());
        assert!(m.read(a + PAGE - 4, 4).is_some());
        assert!(m.read(0, 4).is_none() && m.read(BASE - 4, 4).is_none());
        assert!(m.bytes(a, 2 * PAGE).is_err());
    }

    #[test]
    fn more_than_the_capacity_is_refused() {
        let mut m = GlobalMemory::new(PAGE);
        assert!(m.allocate(PAGE + 1).is_err());
        assert!(m.allocate(u64::MAX).is_err());
        assert!(m.allocate(PAGE).is_ok());
        assert!(m.allocate(1).is_err());
    }
}
