//! Global memory of a device: allocations in the address space of a driver,
//! mapped in large pages as hardware maps them.
//!
//! An access inside a mapped page succeeds even outside any allocation, and so
//! does one to the driver's own memory around them; elsewhere it is an illegal
//! address. That decides between silent corruption and a crash when a fault
//! hits an address. Bytes are in one array, page after page in the order in
//! which they were first used.

mod arena;
mod driver;

use arena::Arena;
use driver::Surroundings;
pub use driver::{BASE, Driver};

/// Alignment of allocations.
const ALIGN: u64 = 512;
/// Room below the driver's block, filled from its top. More than code and
/// constants, which lie further down, leave free there is not.
const ROOM_BELOW: u64 = 2 << 30;
/// Where the program's area goes on behind the pockets: at a multiple of this
/// from the start of the driver's block.
const CHUNK: u64 = 32 << 20;

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
    /// Bytes of all pages ever used, and room for more.
    bytes: Vec<u8>,
    /// Address of each page in `bytes`.
    frames: Vec<u64>,
    /// The page for small allocations; the program's area; what lies below the
    /// driver's block; where the area goes on, behind the pockets.
    arenas: [Arena; 4],
    surroundings: Surroundings,
    driver: Driver,
    capacity: u64,
}

const SMALL_PAGE: usize = 0;
const AREA: usize = 1;
const BELOW: usize = 2;
const BEYOND: usize = 3;

impl GlobalMemory {
    /// An empty memory that may grow to `capacity` bytes.
    pub fn new(capacity: u64, driver: Driver) -> GlobalMemory {
        let (page, block) = (driver.page, driver.at(0));
        let beyond = driver.at(driver.end().next_multiple_of(CHUNK.max(page)));
        let end = beyond.saturating_add(capacity.next_multiple_of(page));
        let arenas = [
            // The page is the driver's, who does not take it away.
            Arena::new(BASE, BASE + page, page).keeping(driver.answers),
            Arena::new(driver.at(driver.area.0), driver.at(driver.area.1), page),
            Arena::new(block - ROOM_BELOW, block, page).downwards(),
            Arena::new(beyond, end, page),
        ];
        let surroundings = Surroundings::new(driver.clone());
        let (bytes, frames) = (Vec::new(), Vec::new());
        GlobalMemory { bytes, frames, arenas, surroundings, driver, capacity }
    }

    /// Allocates `len` bytes, zeroed if never used before.
    pub fn allocate(&mut self, len: u64) -> Result<u64, MemoryError> {
        self.allocate_aligned(len, ALIGN)
    }

    /// Allocates at a multiple of `align` (a power of two).
    pub fn allocate_aligned(&mut self, len: u64, align: u64) -> Result<u64, MemoryError> {
        let out = MemoryError::OutOfMemory { wanted: len, capacity: self.capacity };
        // Small ones share pages, others do not.
        let granule = if len <= self.driver.small { ALIGN } else { self.driver.page };
        let room = self.capacity.saturating_sub(self.used());
        let size = len.max(1).checked_next_multiple_of(granule).filter(|&size| size <= room);
        let Some(size) = size else { return Err(out) };
        let (places, align) = (self.places_for(len), align.max(granule));
        let mut starts = places.iter().map(|&i| (i, self.arenas[i].allocate(size, align)));
        match starts.find_map(|(i, start)| Some((i, start?))) {
            Some((arena, start)) => {
                self.give_frames(arena);
                Ok(start)
            }
            None => Err(out),
        }
    }

    /// The arenas that an allocation may be made in, best first.
    fn places_for(&self, len: u64) -> &'static [usize] {
        let (from, to) = self.driver.area;
        match len {
            _ if len <= self.driver.small => &[SMALL_PAGE, AREA, BEYOND],
            _ if len <= to - from => &[AREA, BEYOND],
            _ => &[BELOW, BEYOND],
        }
    }

    /// Gives bytes to an arena's pages that are used for the first time. Fresh
    /// zeroes come from the system, untouched: programs often allocate far more
    /// than they use.
    fn give_frames(&mut self, arena: usize) {
        let page = self.driver.page as usize;
        let bare = self.arenas[arena].without_frame();
        let used = self.frames.len() * page;
        let needed = used + bare.len() * page;
        if self.bytes.len() < needed {
            let most = (self.capacity as usize).next_multiple_of(page);
            let mut bytes = vec![0; needed.max((2 * self.bytes.len()).min(most))];
            bytes[..used].copy_from_slice(&self.bytes[..used]);
            self.bytes = bytes;
        }
        for addr in bare {
            let frame = self.frames.len();
            let bytes = &mut self.bytes[frame * page..(frame + 1) * page];
            self.surroundings.yield_page(addr, bytes);
            self.frames.push(addr);
            self.arenas[arena].bind(addr, frame as u32);
        }
    }

    /// Frees an allocation.
    pub fn free(&mut self, addr: u64) -> Result<(), MemoryError> {
        let arena = self.arenas.iter_mut().find(|a| a.contains(addr));
        match arena.is_some_and(|a| a.free(addr)) {
            true => Ok(()),
            false => Err(MemoryError::NotAllocated(addr)),
        }
    }

    /// Bytes in live allocations.
    pub fn used(&self) -> u64 {
        self.arenas.iter().flat_map(Arena::live).map(|(_, len)| len).sum()
    }

    /// Start and length of the live allocation that holds `addr`.
    pub fn allocation(&self, addr: u64) -> Option<(u64, u64)> {
        let arena = self.arena(addr)?;
        arena.live().find(|&(start, len)| addr.wrapping_sub(start) < len)
    }

    /// Whether an address is in the range that allocations are made in.
    pub fn owns(&self, addr: u64) -> bool {
        let [_, _, below, beyond] = &self.arenas;
        below.base() <= addr && addr < beyond.end()
    }

    /// Whether an address is in the driver's own memory.
    pub fn is_drivers(&self, addr: u64) -> bool {
        self.frame(addr).is_none() && self.surroundings.holds(addr)
    }

    #[inline]
    fn arena(&self, addr: u64) -> Option<&Arena> {
        self.arenas.iter().find(|a| a.contains(addr))
    }

    #[inline]
    fn frame(&self, addr: u64) -> Option<u32> {
        self.arena(addr)?.frame(addr)
    }

    /// Index of a byte in its frame.
    #[inline]
    fn index(&self, frame: u32, addr: u64) -> usize {
        let page = self.driver.page;
        (u64::from(frame) * page + (addr & (page - 1))) as usize
    }

    /// `len` bytes (one aligned access) at `addr`.
    #[inline]
    pub fn read(&self, addr: u64, len: usize) -> Option<&[u8]> {
        match self.frame(addr) {
            // Device accesses are aligned and never straddle a page.
            Some(frame) => {
                let i = self.index(frame, addr);
                self.bytes.get(i..i + len)
            }
            None => self.surroundings.read(addr, len),
        }
    }

    /// Bytes to be written.
    #[inline]
    pub fn write(&mut self, addr: u64, len: usize) -> Option<&mut [u8]> {
        match self.frame(addr) {
            Some(frame) => {
                let i = self.index(frame, addr);
                self.bytes.get_mut(i..i + len)
            }
            None => self.surroundings.write(addr, len),
        }
    }

    /// Is an aligned access of `len` bytes inside a mapped page?
    #[inline]
    pub fn is_mapped(&self, addr: u64, len: u64) -> bool {
        self.frame(addr).is_some() || self.surroundings.read(addr, len as usize).is_some()
    }

    /// Bytes of a page, a power of two: what is mapped is mapped in pages.
    #[inline]
    pub fn page_bytes(&self) -> u64 {
        self.driver.page
    }

    /// Whether the page of an address is mapped.
    #[inline]
    pub fn has_page(&self, addr: u64) -> bool {
        self.frame(addr).is_some()
    }

    /// Where an address is in [`GlobalMemory::storage`], whether it is mapped
    /// now or not.
    #[inline]
    pub fn place_of(&self, addr: u64) -> Option<u64> {
        let frame = self.arena(addr)?.any_frame(addr)?;
        Some(self.index(frame, addr) as u64)
    }

    /// The address of a byte of [`GlobalMemory::storage`].
    pub fn address_of(&self, place: u64) -> Option<u64> {
        let page = self.driver.page;
        self.frames.get((place / page) as usize).map(|at| at + place % page)
    }

    /// Start and length of each stretch of pages with allocations, by address.
    pub fn mapped_ranges(&self) -> Vec<(u64, u64)> {
        let mut pages: Vec<u64> = self.arenas.iter().flat_map(Arena::used_pages).collect();
        pages.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for at in pages {
            match ranges.last_mut() {
                Some((start, len)) if *start + *len == at => *len += self.driver.page,
                _ => ranges.push((at, self.driver.page)),
            }
        }
        ranges
    }

    /// Pieces of the driver's own memory that hold what somebody wrote there,
    /// by address.
    pub fn written_outside(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.surroundings.written()
    }

    /// Whether bytes are what the driver's own memory holds before anybody
    /// writes to it.
    pub fn is_blank(&self, bytes: &[u8]) -> bool {
        bytes.iter().all(|b| *b == self.driver.fill)
    }

    /// Bytes of all pages that were ever used, as one array.
    pub fn storage_mut(&mut self) -> &mut [u8] {
        let used = self.frames.len() * self.driver.page as usize;
        &mut self.bytes[..used]
    }

    /// All storage, to be looked at.
    pub fn storage(&self) -> &[u8] {
        &self.bytes[..self.frames.len() * self.driver.page as usize]
    }

    /// Takes in what is allocated and what the driver's own memory holds, not
    /// the bytes of [`GlobalMemory::storage`].
    pub fn digest(&self, d: &mut crate::Digest) {
        let GlobalMemory { bytes: _, frames, arenas, surroundings, driver: _, capacity: _ } = self;
        d.value(frames);
        arenas.iter().for_each(|a| a.digest(d));
        surroundings.digest(d);
    }

    /// Whether the host may copy a range: all of it in pages with allocations.
    pub fn is_copyable(&self, addr: u64, len: u64) -> bool {
        self.pieces(addr, len).is_ok()
    }

    /// Where the bytes of a host copy are, page by page.
    fn pieces(&self, addr: u64, len: u64) -> Result<Vec<std::ops::Range<usize>>, MemoryError> {
        let out = || MemoryError::OutOfRange { addr, len };
        let end = addr.checked_add(len).ok_or_else(out)?;
        let page = self.driver.page;
        let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
        let mut at = addr;
        while at < end {
            let frame = self.arena(at).and_then(|a| a.used_frame(at)).ok_or_else(out)?;
            let next = end.min((at & !(page - 1)) + page);
            let from = self.index(frame, at);
            let to = from + (next - at) as usize;
            match pieces.last_mut() {
                Some(last) if last.end == from => last.end = to,
                _ => pieces.push(from..to),
            }
            at = next;
        }
        Ok(pieces)
    }

    /// Copies to the host.
    pub fn copy_out(&self, addr: u64, mut to: &mut [u8]) -> Result<(), MemoryError> {
        for piece in self.pieces(addr, to.len() as u64)? {
            let (now, rest) = std::mem::take(&mut to).split_at_mut(piece.len());
            now.copy_from_slice(&self.bytes[piece]);
            to = rest;
        }
        Ok(())
    }

    /// Copies from the host.
    pub fn copy_in(&mut self, addr: u64, mut from: &[u8]) -> Result<(), MemoryError> {
        for piece in self.pieces(addr, from.len() as u64)? {
            let (now, rest) = from.split_at(piece.len());
            self.bytes[piece].copy_from_slice(now);
            from = rest;
        }
        Ok(())
    }

    /// Sets bytes for the host.
    pub fn set(&mut self, addr: u64, value: u8, len: u64) -> Result<(), MemoryError> {
        for piece in self.pieces(addr, len)? {
            self.bytes[piece].fill(value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const PAGE: u64 = 2 * MIB;

    fn strict() -> GlobalMemory {
        GlobalMemory::new(1 << 30, Driver::STRICT)
    }

    fn driver() -> GlobalMemory {
        GlobalMemory::new(1 << 34, Driver { answers: true, ..Driver::STRICT })
    }

    #[test]
    fn allocations_do_not_overlap_and_holes_are_reused() {
        let mut m = strict();
        let a = m.allocate(1000).unwrap();
        let b = m.allocate(1).unwrap();
        let c = m.allocate(5 << 20).unwrap();
        assert!(a + 1000 <= b && b < c);
        m.free(a).unwrap();
        assert_eq!(m.allocate(500).unwrap(), a);
        assert_eq!(m.free(a + 1), Err(MemoryError::NotAllocated(a + 1)));
        assert_eq!((m.allocation(c + 1), m.allocation(c - 1)), (Some((c, 6 << 20)), None));
    }

    #[test]
    fn pages_without_allocations_are_unmapped() {
        let mut m = strict();
        let a = m.allocate(PAGE).unwrap();
        let b = m.allocate(PAGE).unwrap();
        assert!(m.read(b, 4).is_some());
        m.free(b).unwrap();
        assert!(m.read(b, 4).is_none());
        assert!(m.read(a + PAGE - 4, 4).is_some());
        assert!(m.read(0, 4).is_none() && m.read(BASE - 4, 4).is_none());
        assert!(m.copy_out(a, &mut vec![0; 2 * PAGE as usize]).is_err());
    }

    #[test]
    fn more_than_the_capacity_is_refused() {
        let mut m = GlobalMemory::new(PAGE, Driver::STRICT);
        assert!(m.allocate(PAGE + 1).is_err());
        assert!(m.allocate(u64::MAX).is_err());
        assert!(m.allocate(PAGE).is_ok());
        assert!(m.allocate(1).is_err());
    }

    /// Stretches of MiB, counted from the driver's block, that answer.
    fn answers(m: &GlobalMemory, from: i64, to: i64) -> Vec<(i64, i64)> {
        let at = |mib: i64| m.driver.at(0).wrapping_add_signed(mib << 20);
        let mut found: Vec<(i64, i64)> = Vec::new();
        for mib in (from..to).filter(|&mib| m.is_mapped(at(mib), 4)) {
            match found.last_mut() {
                Some(last) if last.1 == mib => last.1 += 1,
                _ => found.push((mib, mib + 1)),
            }
        }
        found
    }

    /// Where an allocation is, in MiB from the driver's block.
    fn place(m: &GlobalMemory, start: u64) -> i64 {
        (start as i64 - m.driver.at(0) as i64) / MIB as i64
    }

    #[test]
    fn small_ones_fill_the_drivers_page_and_then_the_area() {
        let mut m = driver();
        assert_eq!(answers(&m, -100, 2000), [(0, 490)]);
        let three = [MIB, MIB, MIB].map(|len| m.allocate(len).unwrap());
        assert_eq!(three.map(|a| place(&m, a)), [414, 415, 488]);
        let large = m.allocate(3 * MIB).unwrap();
        assert_eq!(place(&m, large), 490, "in pages of its own");
        let small = [3 * MIB / 2, MIB].map(|len| m.allocate(len).unwrap());
        assert_eq!(small.map(|a| place(&m, a)), [494, 489], "in one page each");
        assert_eq!(answers(&m, -100, 2000), [(0, 496)]);
        m.free(three[2]).unwrap();
        m.free(large).unwrap();
        assert_eq!(answers(&m, -100, 2000), [(0, 490), (494, 496)], "a shared page stays");
        m.free(small[1]).unwrap();
        assert_eq!(answers(&m, -100, 2000), [(0, 488), (494, 496)]);
    }

    #[test]
    fn what_no_longer_fits_the_area_lies_behind_the_pockets() {
        let pockets = vec![(512 * MIB, 526 * MIB), (528 * MIB, 544 * MIB)];
        let mut m = GlobalMemory::new(1 << 34, Driver { pockets, ..Driver::STRICT });
        let all: Vec<u64> = (0..80).map(|_| m.allocate(MIB).unwrap()).collect();
        let places = [0, 1, 2, 25, 26, 31, 79].map(|i: usize| place(&m, all[i]));
        assert_eq!(places, [414, 415, 488, 511, 544, 549, 597]);
        let large = m.allocate(24 * MIB).unwrap();
        assert_eq!(place(&m, large), 598);
    }

    #[test]
    fn what_is_larger_than_the_area_lies_below_the_block() {
        let mut m = driver();
        let sizes = [24 * MIB, 24 * MIB + 1, 64 * MIB, 1 << 30];
        let starts = sizes.map(|len| m.allocate(len).unwrap());
        assert_eq!(starts.map(|a| place(&m, a)), [488, -26, -90, -1114]);
        m.free(starts[2]).unwrap();
        assert_eq!(answers(&m, -2000, 2000), [(-1114, -90), (-26, 512)]);
        assert_eq!(m.allocate(64 * MIB), Ok(starts[2]));
    }

    #[test]
    fn the_drivers_memory_holds_what_is_written_to_it() {
        let mut m =
            GlobalMemory::new(1 << 30, Driver { answers: true, fill: 0xa5, ..Driver::STRICT });
        let a = m.allocate(KIB).unwrap();
        let wild = a - 128;
        assert_eq!(m.read(wild, 4), Some(&[0xa5; 4][..]));
        let before = digest(&m);
        m.write(wild, 4).unwrap().copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(m.read(wild, 8).unwrap(), [1, 2, 3, 4, 0xa5, 0xa5, 0xa5, 0xa5]);
        assert_eq!(m.read(a, 4), Some(&[0; 4][..]), "the program's own memory is another");
        assert_ne!(digest(&m), before);
        m.write(wild, 4).unwrap().fill(0xa5);
        assert_eq!(digest(&m), before, "what is as it was counts for nothing");
        assert!(m.is_drivers(wild) && !m.is_drivers(a));
        assert!(!m.is_copyable(wild, 4), "hosts copy allocations");
        assert_eq!(m.storage().len() as u64, PAGE, "it is not part of the program's memory");
    }

    fn digest(m: &GlobalMemory) -> u128 {
        let mut d = crate::Digest::new();
        m.digest(&mut d);
        d.finish128()
    }

    #[test]
    fn a_page_taken_from_the_driver_keeps_what_was_written_there() {
        let mut m = driver();
        let a = m.allocate(MIB).unwrap();
        let shared = a + 74 * MIB;
        m.write(shared + 64, 4).unwrap().fill(7);
        for _ in 0..2 {
            m.allocate(MIB).unwrap();
        }
        assert!(m.allocation(shared).is_some() && !m.is_drivers(shared));
        assert_eq!(m.read(shared + 60, 12).unwrap(), [0, 0, 0, 0, 7, 7, 7, 7, 0, 0, 0, 0]);
        assert_eq!(m.written_outside().count(), 0);
        m.free(shared).unwrap();
        assert!(!m.is_mapped(shared, 4) && !m.is_drivers(shared), "it is not given back");
    }

    #[test]
    fn freed_small_memory_stays_and_freed_large_memory_goes() {
        let mut m = driver();
        let small = m.allocate(KIB).unwrap();
        let large = m.allocate(64 * MIB).unwrap();
        m.write(small, 4).unwrap().fill(9);
        m.free(small).unwrap();
        m.free(large).unwrap();
        assert_eq!(m.read(small, 4), Some(&[9; 4][..]));
        assert!(!m.is_mapped(large, 4));
        assert!(m.copy_out(small, &mut [0; 4]).is_err());
    }

    #[test]
    fn large_allocations_have_pages_of_their_own_and_bytes_in_order() {
        let mut m = driver();
        let mut places = Vec::new();
        for len in [2 * MIB + 1, 64 * MIB, 3 * MIB, 40 * MIB, 3 << 30] {
            let a = m.allocate(len).unwrap();
            assert_eq!(a % PAGE, 0, "{len}");
            places.push((a, len));
        }
        for (i, &(a, len)) in places.iter().enumerate() {
            let bytes: Vec<u8> =
                (0..5000u32).map(|n| (n as u8).wrapping_mul(i as u8 + 3)).collect();
            let at = a + len - 2500;
            m.copy_in(at, &bytes[..2500]).unwrap();
            let across = a + PAGE.min(len - 5000) - 1250;
            m.copy_in(across, &bytes[2500..]).unwrap();
            let mut back = vec![0; 2500];
            m.copy_out(across, &mut back).unwrap();
            assert_eq!(back, bytes[2500..]);
            assert_eq!(m.read(at, 16).unwrap(), &bytes[..16]);
            let place = m.place_of(at).unwrap();
            assert_eq!(m.storage()[place as usize..][..16], bytes[..16]);
            assert_eq!(m.address_of(place), Some(at));
        }
        for (i, &(a, len)) in places.iter().enumerate() {
            for &(b, other) in &places[..i] {
                assert!(a + len <= b || b + other <= a);
            }
            assert!(m.owns(a) && m.free(a).is_ok());
        }
        assert!(!m.owns(0) && !m.owns(0x7f00_0000_0000));
    }

    #[test]
    fn alignments_are_kept_in_both_directions() {
        let mut m = driver();
        for (len, align) in [(100, 4096), (64 * MIB, 256 * MIB), (64 * MIB, PAGE), (1, 1 << 16)] {
            let a = m.allocate_aligned(len, align).unwrap();
            assert_eq!(a % align, 0, "{len} at {align}");
            assert!(m.is_mapped(a, 1) && m.is_mapped(a + len - 1, 1));
        }
    }
}
