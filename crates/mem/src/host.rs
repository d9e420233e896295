//! Copies by the host: no cycles pass.

use std::collections::{BTreeMap, BTreeSet};

use upset_state::memory::MemoryError;
use upset_state::{Access, LineFact, Origin, Place, Probe, Quiet, Sourced};

use crate::system::MemorySystem;
use crate::{LINE, mask};

impl MemorySystem {
    fn host_range(&self, addr: u64, len: u64) -> Result<(), MemoryError> {
        let ok = len == 0 || self.backing.is_copyable(addr, len);
        if ok { Ok(()) } else { Err(MemoryError::OutOfRange { addr, len }) }
    }

    /// Copies bytes into memory, and into the lines of L2 that hold them.
    pub fn host_write<P: Probe>(
        &mut self,
        now: u64,
        addr: u64,
        bytes: &[u8],
        p: &mut P,
    ) -> Result<(), MemoryError> {
        self.host_write_carried(now, addr, bytes, None, p)
    }

    /// The same with bytes that the host carries from `host` on, and never looked
    /// at: ghosts may differ in them. Both begin at the same place of a line.
    pub fn host_write_carried<P: Probe>(
        &mut self,
        now: u64,
        addr: u64,
        bytes: &[u8],
        host: Option<u64>,
        p: &mut P,
    ) -> Result<(), MemoryError> {
        self.host_range(addr, bytes.len() as u64)?;
        self.note_copy(addr, bytes.len() as u64);
        let mut buffer = [0; LINE as usize];
        let origin = |done| host.map_or(Origin::ALIKE, |h| Origin::at(Place::host(h + done), 0));
        self.host_store(now, addr, bytes.len() as u64, p, origin, |from, at, len| {
            let from = from as usize;
            buffer[at..at + len].copy_from_slice(&bytes[from..from + len]);
            buffer
        });
        Ok(())
    }

    /// Sets bytes of memory.
    pub fn host_fill<P: Probe>(
        &mut self,
        now: u64,
        addr: u64,
        value: u8,
        len: u64,
        p: &mut P,
    ) -> Result<(), MemoryError> {
        self.host_range(addr, len)?;
        self.note_copy(addr, len);
        let alike = |_| Origin::ALIKE;
        self.host_store(now, addr, len, p, alike, |_, _, _| [value; LINE as usize]);
        Ok(())
    }

    /// Writes line after line. `bytes(done, at, len)` gives a line whose `len`
    /// bytes from `at` on are the next ones after `done`; `origin(done)` is where
    /// that line comes from.
    fn host_store<P: Probe>(
        &mut self,
        now: u64,
        addr: u64,
        len: u64,
        p: &mut P,
        origin: impl Fn(u64) -> Origin,
        mut bytes: impl FnMut(u64, usize, usize) -> [u8; LINE as usize],
    ) {
        self.stale.set_range(addr, len);
        // More than L2 holds would only push itself out.
        let rows = self.slices.iter().map(|s| u64::from(s.cache.rows())).sum::<u64>();
        let l2_bytes = rows * self.l2_line;
        let kept_from = addr + len.saturating_sub(l2_bytes);
        let mut done = 0;
        while done < len {
            let at = (addr + done) % LINE;
            let line = addr + done - at;
            let part = (LINE - at).min(len - done);
            let from = bytes(done, at as usize, part as usize);
            let which = mask::span(at, part);
            let fits = len <= self.copies_fill_most;
            let keep = self.copies_fill_l2 && fits && line >= kept_from & !(LINE - 1);
            // One line of L2 after the other: what one pushes out of L2 is older.
            for (at, bytes) in mask::parts(self.l2_line, which) {
                let from = Sourced { bytes: &from, origin: origin(done) };
                self.backing.write(now, line, from, bytes << at, p);
                self.host_update(now, line + at, bytes, keep, p);
            }
            done += part;
        }
    }

    /// Brings a line of L2 up to what the host wrote; with `keep` one is taken
    /// if none is there.
    fn host_update<P: Probe>(&mut self, now: u64, line: u64, bytes: u128, keep: bool, p: &mut P) {
        let place = self.map.place(line);
        let s = place.slice as usize;
        let slice = &mut self.slices[s];
        let set = slice.cache.set_of(self.map.in_slice(place.rest));
        slice.cache.tell_search(now, set, line, p);
        let found = match slice.find(line) {
            Some(entry) => Some(slice.fetch(entry).row),
            None => slice.cache.find(set, line),
        };
        let row = match found {
            Some(row) => row,
            None if keep => {
                let Some(row) = slice.cache.victim(set) else { return };
                self.evict(now, s, row, false, p);
                self.slices[s].cache.claim(now, row, line, p);
                row
            }
            None => return,
        };
        let cache = &self.slices[s].cache;
        // Whole sectors are taken.
        let read = if keep { bytes | cache.bytes_of(cache.sectors_of(bytes)) } else { bytes };
        let (whole, at) = (line & !(LINE - 1), line % LINE);
        let memory = self.backing.read(now, whole, read << at, Access::Read, p);
        let from = Sourced { bytes: &memory, origin: Origin::at(Place::memory(whole), 0) };
        let from = from.skip(at as usize);
        let cache = &mut self.slices[s].cache;
        let here = cache.readable(row) & bytes;
        if here != 0 {
            cache.store(now, row, from, here, Access::Write, p);
        }
        if keep {
            let state = cache.state(row);
            let busy = state.valid | cache.sectors_of(state.written);
            let sectors = cache.sectors_of(bytes) & !busy;
            if sectors != 0 {
                cache.fill(now, row, from, sectors, p);
            }
            cache.touch(row);
        }
    }

    /// Copies bytes out: L2's where it has them, else memory's.
    pub fn host_read<P: Probe>(
        &mut self,
        now: u64,
        addr: u64,
        out: &mut [u8],
        p: &mut P,
    ) -> Result<(), MemoryError> {
        self.host_range(addr, out.len() as u64)?;
        self.note_copy(addr, out.len() as u64);
        // Who differs in them has left: the host's copy is the same for all.
        self.read_below(now, addr, out, Access::CopyOut, None, p);
        Ok(())
    }

    /// Copies bytes to a core that reads past its first-level caches. Differences
    /// of ghosts are under `flight`, at the bytes' places in their line, until
    /// somebody ends it ([`end_flight`](crate::end_flight)).
    pub fn core_read<P: Probe>(
        &self,
        now: u64,
        addr: u64,
        out: &mut [u8],
        flight: &mut u32,
        p: &mut P,
    ) -> Result<(), MemoryError> {
        let len = out.len() as u64;
        if !self.mapped(addr, len) {
            return Err(MemoryError::OutOfRange { addr, len });
        }
        self.read_below(now, addr, out, Access::Read, Some(flight), p);
        Ok(())
    }

    fn read_below<P: Probe>(
        &self,
        now: u64,
        addr: u64,
        out: &mut [u8],
        access: Access,
        mut flight: Option<&mut u32>,
        p: &mut P,
    ) {
        let len = out.len() as u64;
        let mut done = 0;
        while done < len {
            let at = (addr + done) % LINE;
            let line = addr + done - at;
            let part = (LINE - at).min(len - done);
            let which = mask::span(at, part);
            if let Some(flight) = flight.as_deref_mut() {
                self.gather_ghosts(line, which, flight, p);
            }
            let bytes = self.host_line(now, line, which, access, p);
            out[done as usize..(done + part) as usize]
                .copy_from_slice(&bytes[at as usize..(at + part) as usize]);
            done += part;
        }
    }

    fn host_line<P: Probe>(
        &self,
        now: u64,
        line: u64,
        bytes: u128,
        access: Access,
        p: &mut P,
    ) -> [u8; LINE as usize] {
        // Where L2 has them: slice, row, where its line begins, and which bytes.
        let mut found = [None; 2];
        let mut below = bytes;
        for ((at, bytes), found) in mask::parts(self.l2_line, bytes).zip(&mut found) {
            let place = self.map.place(line + at);
            let cache = &self.slices[place.slice as usize].cache;
            let set = cache.set_of(self.map.in_slice(place.rest));
            cache.tell_search(now, set, line + at, p);
            if let Some(row) = cache.find(set, line + at) {
                let here = cache.readable(row) & bytes;
                below &= !(here << at);
                *found = Some((place.slice, row, at, here));
            }
        }
        let mut copy = if below == 0 {
            [0; LINE as usize]
        } else {
            self.backing.read(now, line, below, access, p)
        };
        for (slice, row, at, here) in found.into_iter().flatten() {
            let cache = &self.slices[slice as usize].cache;
            mask::copy(&mut copy[at as usize..], cache.line(row).bytes, here);
            cache.tell(now, row, access, here, p);
        }
        copy
    }

    /// Lines of the driver's own memory that hold what somebody wrote there, by
    /// address: L2's bytes where it has them, else memory's.
    pub fn written_outside(&self) -> BTreeMap<u64, [u8; LINE as usize]> {
        let global = &self.backing.global;
        let pieces = global.written_outside();
        let mut lines: BTreeSet<u64> = pieces
            .flat_map(|(at, bytes)| (at..at + bytes.len() as u64).step_by(LINE as usize))
            .collect();
        for slice in &self.slices {
            let rows = (0..slice.cache.rows()).filter(|row| slice.cache.present(*row));
            let addresses = rows.map(|row| slice.cache.address(row) & !(LINE - 1));
            lines.extend(addresses.filter(|a| global.is_drivers(*a)));
        }
        let read = |line| (line, self.host_line(0, line, !0, Access::Read, &mut Quiet));
        let mut found: BTreeMap<u64, [u8; LINE as usize]> = lines.into_iter().map(read).collect();
        found.retain(|_, bytes| !self.backing.global.is_blank(bytes));
        found
    }

    /// Writes all dirty lines back and empties L2. Rows that await a fetch
    /// stay. No cycles pass.
    pub fn flush_l2<P: Probe>(&mut self, now: u64, p: &mut P) {
        for s in 0..self.slices.len() {
            for row in 0..self.slices[s].cache.rows() {
                self.slices[s].cache.tell_line(now, row, LineFact::Emptying, p);
                if self.slices[s].cache.reserved(row) {
                    let all = self.slices[s].cache.all_sectors();
                    self.write_back(now, s, row, all, false, p);
                } else {
                    self.evict(now, s, row, false, p);
                }
            }
        }
    }
}
