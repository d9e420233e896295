//! What lies behind L2: the contents of DRAM.

use upset_state::{
    Access, ArrayId, Event, Extent, GlobalMemory, Kind, Origin, Place, Probe, Sourced, Stored,
};

use crate::{LINE, haunt, mask};

/// What a range outside global memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Machine code.
    Code,
    /// Constant banks.
    Constant,
    /// Local memory; its array is called `lmem`.
    Local,
}

/// A range outside global memory.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) kind: Segment,
    pub(crate) base: u64,
    pub(crate) bytes: Vec<u8>,
}

/// Global memory and the other ranges.
#[derive(Clone, Debug)]
pub(crate) struct Backing {
    pub(crate) global: GlobalMemory,
    pub(crate) ranges: Vec<Range>,
    /// Bytes that were copied because a range outgrew its storage.
    pub(crate) moved: u64,
}

impl Backing {
    /// Makes a range exist, or longer. New bytes are zero, and so are the old
    /// ones of local memory.
    pub(crate) fn map<P: Probe>(
        &mut self,
        now: u64,
        kind: Segment,
        base: u64,
        len: u64,
        p: &mut P,
    ) {
        let start = base & !(LINE - 1);
        let size = (base - start).saturating_add(len).next_multiple_of(LINE) as usize;
        match self.ranges.iter_mut().find(|r| r.kind == kind && r.base == start) {
            Some(range) if range.bytes.len() < size && kind == Segment::Local => {
                // Untouched zeroes cost nothing: threads rarely use all of their
                // stacks, whose old contents mean nothing to a new launch.
                range.bytes = vec![0; size];
            }
            Some(range) if range.bytes.len() < size => {
                // Storage grows by doubling: modules come one after the other.
                if range.bytes.capacity() < size {
                    self.moved += range.bytes.len() as u64;
                }
                range.bytes.resize(size, 0);
            }
            Some(_) => return,
            None => self.ranges.push(Range { kind, base: start, bytes: vec![0; size] }),
        }
        if (P::ACTIVE || P::GHOSTS) && kind == Segment::Local {
            for line in (start..start + size as u64).step_by(LINE as usize) {
                self.write(now, line, Sourced::alike(&[0; LINE as usize]), !0, p);
            }
        }
    }

    /// Whether a range is there to be copied: by the host, who knows
    /// allocations, code, constants and local memory.
    pub(crate) fn is_copyable(&self, addr: u64, len: u64) -> bool {
        self.in_range(addr, len) || self.global.is_copyable(addr, len)
    }

    /// Whether an access that lies in one page finds memory: the program's, the
    /// driver's, code, constants or local memory.
    pub(crate) fn is_mapped(&self, addr: u64, len: u64) -> bool {
        self.in_range(addr, len) || self.global.is_mapped(addr, len)
    }

    /// Whether a range of addresses lies in one outside global memory.
    fn in_range(&self, addr: u64, len: u64) -> bool {
        self.ranges.iter().any(|r| {
            let at = addr.wrapping_sub(r.base);
            at < r.bytes.len() as u64 && len <= r.bytes.len() as u64 - at
        })
    }

    /// A line's bytes, the array they are in and their place there. The
    /// driver's own memory is no array.
    pub(crate) fn line(&mut self, line: u64) -> Option<(&mut [u8], Option<ArrayId>, u64)> {
        if self.global.is_drivers(line) {
            return self.global.write(line, LINE as usize).map(|bytes| (bytes, None, 0));
        }
        self.program_line(line)
    }

    /// A line outside of the driver's own memory.
    #[inline]
    fn program_line(&mut self, line: u64) -> Option<(&mut [u8], Option<ArrayId>, u64)> {
        let (storage, array, at) = self.locate(line)?;
        let storage = match storage {
            None => self.global.storage_mut(),
            Some(range) => &mut self.ranges.get_mut(range)?.bytes,
        };
        Some((storage.get_mut(at as usize..at as usize + LINE as usize)?, array, at))
    }

    /// Where such a line is: in which range (or in global memory), in which array, and
    /// at which byte. Pages that were unmapped keep their bytes.
    #[inline]
    fn locate(&self, line: u64) -> Option<(Option<usize>, Option<ArrayId>, u64)> {
        if let Some(at) = self.global.place_of(line) {
            return Some((None, Some(ArrayId::data(Kind::Gmem, 0)), at));
        }
        let mut local = 0;
        for (i, range) in self.ranges.iter().enumerate() {
            let at = line.wrapping_sub(range.base);
            if at < range.bytes.len() as u64 {
                let id = (range.kind == Segment::Local).then_some(ArrayId::data(Kind::Lmem, local));
                return Some((Some(i), id, at));
            }
            local += u32::from(range.kind == Segment::Local);
        }
        None
    }

    /// Copies a line; zeros where there is no memory.
    #[inline]
    pub(crate) fn read<P: Probe>(
        &self,
        now: u64,
        line: u64,
        bytes: u128,
        access: Access,
        p: &mut P,
    ) -> [u8; LINE as usize] {
        let mut copy = [0; LINE as usize];
        if let Some((storage, array, at)) = self.locate(line) {
            let storage = match storage {
                None => self.global.storage(),
                Some(range) => &self.ranges[range].bytes,
            };
            if let Some(from) = storage.get(at as usize..at as usize + LINE as usize) {
                copy.copy_from_slice(from);
                tell(now, array, at, line, access, bytes, p);
            }
        } else if let Some(from) = self.global.read(line, LINE as usize) {
            // The driver's own memory; reading leaves no trace in it.
            copy.copy_from_slice(from);
        }
        copy
    }

    /// Writes bytes of a line; false where there is no memory.
    pub(crate) fn write<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        from: Sourced<'_>,
        bytes: u128,
        p: &mut P,
    ) -> bool {
        let Some((to, array, at)) = self.line(line) else { return false };
        mask::copy(to, from.bytes, bytes);
        if P::GHOSTS
            && let Some(g) = p.ghosts()
        {
            g.copy(from.origin, Place::memory(line), bytes);
        }
        if P::ACTIVE {
            if let Some(array) = array {
                let extent = Extent::Bytes(bytes);
                p.hold_bytes(Stored { array, first: at * 8, now, extent }, to);
            }
            tell(now, array, at, line, Access::Write, bytes, p);
        }
        true
    }

    /// Writes bytes of a shorter line: `from` starts where that one starts.
    pub(crate) fn write_part<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        from: Sourced<'_>,
        bytes: u128,
        p: &mut P,
    ) {
        let at = line % LINE;
        if at == 0 {
            self.write(now, line, from, bytes, p);
            return;
        }
        // Differences of ghosts move on by a packet's way: its words lie where
        // the longer line's do.
        let (mut whole, mut flight) = ([0; LINE as usize], 0);
        haunt::pick_up(&mut whole, &mut flight, at as usize, from, bytes, p);
        let from = Sourced { bytes: &whole, origin: Origin::flight(flight, 0) };
        self.write(now, line - at, from, bytes << at, p);
        haunt::end(p, flight);
    }

    /// Address of a byte of a memory array.
    pub(crate) fn address(&self, array: ArrayId, byte: u64) -> Option<u64> {
        match array.kind {
            Kind::Gmem => self.global.address_of(byte),
            Kind::Lmem => {
                let mut local = self.ranges.iter().filter(|r| r.kind == Segment::Local);
                local.nth(array.instance as usize).map(|r| r.base + byte)
            }
            _ => None,
        }
    }

    /// Whether there is memory behind a line.
    pub(crate) fn exists(&mut self, line: u64) -> bool {
        self.global.has_page(line) || self.global.is_drivers(line) || self.line(line).is_some()
    }
}

/// Rows of memory arrays, as events count them, are lines of 128 bytes.
#[inline]
fn tell<P: Probe>(
    now: u64,
    array: Option<ArrayId>,
    at: u64,
    line: u64,
    access: Access,
    bytes: u128,
    p: &mut P,
) {
    if let Some(array) = array.filter(|_| P::ACTIVE) {
        let row = (at / LINE) as u32;
        p.event(Event::new(now, array, row, access, Extent::Bytes(bytes)).at(line));
    }
}
