//! How L2 slices serve packets.

use upset_chip::{WriteAllocate, WritePolicy};
use upset_state::{Access, By, Origin, Place, Probe, Sourced};

use crate::packet::{AtomicBatch, Body, LineBytes, Port, Request, WriteData};
use crate::slice::{NONE, Searched, Slice};
use crate::system::{Happening, MemorySystem, Packet, of_sectors};
use crate::{LINE, haunt, mask};

impl MemorySystem {
    /// A packet reaches its slice. Where none waits it is served at once, without a
    /// stay in the queue.
    #[inline(always)]
    pub(crate) fn arrive<P: Probe>(&mut self, now: u64, id: u32, p: &mut P) {
        let s = self.packets[id as usize].slice as usize;
        let slice = &mut self.slices[s];
        // Whoever waits in a queue waits for one of these.
        if slice.blocked || slice.awaited || !self.serve_first(now, s, id, p) {
            self.slices[s].queue.push_back(id);
        }
    }

    /// Serves a slice's queue as far as its port and its misses allow.
    pub(crate) fn serve_queue<P: Probe>(&mut self, now: u64, s: usize, p: &mut P) {
        while let Some(&id) = self.slices[s].queue.front() {
            let slice = &mut self.slices[s];
            if slice.blocked || slice.awaited || !self.serve_first(now, s, id, p) {
                return;
            }
            self.slices[s].queue.pop_front();
        }
    }

    /// Serves the packet whose turn it is at a slice; false when its port or its misses
    /// do not allow it.
    fn serve_first<P: Probe>(&mut self, now: u64, s: usize, id: u32, p: &mut P) -> bool {
        let slice = &mut self.slices[s];
        let start = self.l2.tick(now).max(slice.port_free);
        let at = self.l2.cycle(start);
        if at > now {
            slice.awaited = true;
            self.expect(now, at, Happening::Serve(s as u32));
            return false;
        }
        let packet = &self.packets[id as usize];
        let busy = of_sectors(&self.port_ticks, packet.request.sectors);
        let found = slice.search(packet.set, packet.line());
        if self.serve_hit::<P>(now, s, id, found) {
            self.slices[s].port_free = start + busy;
            return true;
        }
        let busy = match &self.packets[id as usize].request.body {
            Body::Atomic(batch) => repeats(batch).max(busy),
            _ => busy,
        };
        if !self.serve(now, s, id, found, p) {
            self.slices[s].blocked = true;
            self.counters.l2_blocked += 1;
            return false;
        }
        self.slices[s].port_free = start + busy;
        true
    }

    /// Serves a packet that reads, if all it wants is there and nobody watches: so it is
    /// mostly. False: nothing was done.
    #[inline(always)]
    fn serve_hit<P: Probe>(&mut self, now: u64, s: usize, id: u32, found: Searched) -> bool {
        let (cache, packet) = (&mut self.slices[s].cache, &mut self.packets[id as usize]);
        let Searched { fetch: None, row: Some(row) } = found else { return false };
        let own = packet.sectors();
        let reads = matches!(packet.request.body, Body::Read);
        if P::ACTIVE
            || P::GHOSTS
            || !reads
            || cache.coarse(own) & !cache.lines[row as usize].valid != 0
        {
            return false;
        }
        cache.touch_in(packet.set, row);
        let request = &mut packet.request;
        let envelope = request.envelope.get_or_insert_with(empty_envelope);
        mask::copy_sectors(&mut envelope[packet.at.into()..], cache.bytes(row), own);
        request.flight = 0;
        let flits = match request.acknowledge {
            false => of_sectors(&self.reply_flits, request.sectors),
            true => of_sectors(&self.reply_flits, 0),
        };
        self.counters.l2_reads += 1;
        self.counters.l2_hits += 1;
        self.reply_of(now, s, id, flits);
        true
    }

    /// Serves one packet; false when it must stay first in the queue.
    #[inline(never)]
    fn serve<P: Probe>(
        &mut self,
        now: u64,
        s: usize,
        id: u32,
        Searched { fetch, row }: Searched,
        p: &mut P,
    ) -> bool {
        let packet = &self.packets[id as usize];
        let (line, set) = (packet.line(), packet.set);
        p.acting(for_whom(packet));
        let slice = &mut self.slices[s];
        let sectors = slice.cache.coarse(packet.sectors());
        if P::ACTIVE {
            slice.cache.tell_search(now, set, line, p);
        }
        if let Some(entry) = fetch {
            let merge = slice.merge;
            let fetch = slice.fetch(entry);
            if fetch.claimed & sectors != 0 {
                if fetch.waiting >= merge {
                    return false;
                }
                self.enqueue(s, entry, id, sectors);
                self.counters.l2_merged += 1;
                self.count(id);
                return true;
            }
        }
        let slice = &mut self.slices[s];
        let packet = &self.packets[id as usize];
        let needs = needs(slice, packet, sectors, row, 0);
        let body = &packet.request.body;
        if needs != 0 && fetch.is_none() && slice.is_full() {
            return false;
        }
        let row = match row {
            None if allocates(slice, body) => {
                let Some(row) = slice.cache.victim(set) else { return false };
                self.evict(now, s, row, true, p);
                self.slices[s].cache.claim(now, row, line, p);
                Some(row)
            }
            row => row,
        };
        self.count(id);
        let slice = &mut self.slices[s];
        if let Some(row) = row {
            slice.cache.touch(row);
        }
        match row {
            Some(row) if needs != 0 => {
                let entry = fetch.unwrap_or_else(|| slice.add(line, row));
                self.enqueue(s, entry, id, sectors);
                self.ask_dram(now, s, entry, needs);
                self.counters.l2_misses += 1;
            }
            row => {
                self.perform(now, s, id, row, p);
                self.counters.l2_hits += 1;
            }
        }
        true
    }

    fn count(&mut self, id: u32) {
        match &self.packets[id as usize].request.body {
            Body::Read => self.counters.l2_reads += 1,
            Body::Write(_) => self.counters.l2_writes += 1,
            Body::Atomic(_) => self.counters.l2_atomics += 1,
        }
    }

    /// A packet waits for a fetch.
    fn enqueue(&mut self, s: usize, entry: u32, id: u32, sectors: u8) {
        let fetch = self.slices[s].fetch(entry);
        fetch.claimed |= sectors;
        fetch.waiting += 1;
        self.packets[id as usize].next = NONE;
        match fetch.last {
            NONE => fetch.first = id,
            last => self.packets[last as usize].next = id,
        }
        fetch.last = id;
    }

    /// Fetches sectors of a line.
    fn ask_dram(&mut self, now: u64, s: usize, entry: u32, sectors: u8) {
        let slice = &mut self.slices[s];
        let fine = slice.cache.fine(sectors);
        let fetch = slice.fetch(entry);
        fetch.pending |= sectors;
        fetch.claimed |= sectors;
        let line = fetch.line;
        self.counters.dram_reads += 1;
        self.access_dram(now, line, fine, Some((s as u32, entry)));
    }

    /// DRAM's bytes come: into the line, then to whoever waited.
    pub(crate) fn fill<P: Probe>(&mut self, now: u64, s: usize, entry: u32, fine: u8, p: &mut P) {
        let slice = &mut self.slices[s];
        let sectors = slice.cache.coarse(fine);
        let fetch = slice.fetch(entry);
        let (line, row) = (fetch.line, fetch.row);
        fetch.pending &= !sectors;
        fetch.arrived |= sectors;
        if P::ACTIVE {
            let by = match fetch.first {
                NONE => By::Machine,
                id => for_whom(&self.packets[id as usize]),
            };
            p.acting(by);
        }
        let (whole, at) = (line & !(LINE - 1), line % LINE);
        let bytes = self.backing.read(now, whole, mask::bytes_of(fine) << at, Access::Read, p);
        let from = Sourced { bytes: &bytes, origin: Origin::at(Place::memory(whole), 0) };
        self.slices[s].cache.fill(now, row, from.skip(at as usize), sectors, p);

        // Each packet in its turn, unless it still lacks something or comes
        // after one that does.
        let fetch = self.slices[s].fetch(entry);
        let mut id = fetch.first;
        let mut closed = fetch.pending;
        (fetch.first, fetch.last, fetch.waiting) = (NONE, NONE, 0);
        fetch.claimed = fetch.pending;
        while id != NONE {
            let next = self.packets[id as usize].next;
            let packet = &self.packets[id as usize];
            let slice = &mut self.slices[s];
            let sectors = slice.cache.coarse(packet.sectors());
            let arrived = slice.fetch(entry).arrived;
            let needs = needs(slice, packet, sectors, Some(row), arrived);
            if sectors & closed != 0 || needs != 0 {
                let ask = needs & !slice.fetch(entry).pending;
                // Only what no earlier packet is about to change.
                let ask = if sectors & closed == 0 { ask } else { 0 };
                self.enqueue(s, entry, id, sectors);
                if ask != 0 {
                    self.ask_dram(now, s, entry, ask);
                }
                closed |= sectors | needs;
            } else {
                self.perform(now, s, id, Some(row), p);
            }
            id = next;
        }
        let slice = &mut self.slices[s];
        let fetch = slice.fetch(entry);
        if fetch.pending == 0 && fetch.first == NONE {
            slice.remove(entry);
        }
        self.slices[s].blocked = false;
        if !self.slices[s].awaited {
            self.serve_queue(now, s, p);
        }
    }

    /// Does what a packet wants. Reads and atomics need a row.
    fn perform<P: Probe>(&mut self, now: u64, s: usize, id: u32, row: Option<u32>, p: &mut P) {
        let packet = &mut self.packets[id as usize];
        p.acting(for_whom(packet));
        let (at, core) = (packet.at, packet.request.port.core);
        let line = packet.request.line;
        match std::mem::replace(&mut packet.request.body, Body::Read) {
            Body::Read => self.answer(now, s, id, row, p),
            Body::Write(data) => {
                self.write(now, s, (line, at), &data, row, p);
                haunt::end(p, data.flight);
                self.spare_writes.give(data);
                self.performed(core, now);
                self.end_write(now, s, id);
            }
            Body::Atomic(mut batch) => {
                self.update(now, s, (line, at), &mut batch, row, p);
                if batch.returns {
                    self.packets[id as usize].request.body = Body::Atomic(batch);
                    self.reply(now, s, id);
                } else {
                    haunt::end_batch(p, batch.flight);
                    self.performed(core, now);
                    self.end_write(now, s, id);
                }
            }
        }
    }

    /// Bytes of a row go to who wants to read them.
    #[inline(never)]
    fn answer<P: Probe>(&mut self, now: u64, s: usize, id: u32, row: Option<u32>, p: &mut P) {
        let packet = &mut self.packets[id as usize];
        let (at, own) = (packet.at, packet.sectors());
        let Request { envelope, flight, .. } = &mut packet.request;
        let envelope = envelope.get_or_insert_with(empty_envelope);
        if let Some(row) = row {
            let cache = &self.slices[s].cache;
            mask::copy_sectors(&mut envelope[at.into()..], cache.bytes(row), own);
            *flight = 0;
            if P::GHOSTS {
                let origin = cache.line(row).origin;
                haunt::collect(p, flight, origin, u32::from(at) / 4, mask::bytes_of(own));
            }
            if P::ACTIVE {
                cache.tell(now, row, Access::Read, mask::bytes_of(own), p);
            }
        }
        self.reply(now, s, id);
    }

    /// A write without result is over, but for its acknowledgement.
    fn end_write(&mut self, now: u64, s: usize, id: u32) {
        if self.packets[id as usize].request.acknowledge {
            self.reply(now, s, id);
        } else {
            self.discard(id);
        }
    }

    /// One outstanding write fewer.
    fn performed(&mut self, core: u16, now: u64) {
        let count = &mut self.outstanding[usize::from(core)];
        *count = count.saturating_sub(1);
        self.ahead.performed(core, now);
        if *count == 0 {
            self.drained.push(core);
        }
    }

    fn mark(&mut self, line: u64) {
        if self.backing.exists(line) {
            self.stale.set(line);
        }
    }

    /// Writes a packet's bytes. L2's line begins at byte `at` of the packet's.
    fn write<P: Probe>(
        &mut self,
        now: u64,
        s: usize,
        (line, at): (u64, u8),
        data: &WriteData,
        row: Option<u32>,
        p: &mut P,
    ) {
        self.mark(line);
        let slice = &mut self.slices[s];
        let own = data.mask >> at;
        let from = data.line().skip(at.into());
        let below = match (slice.write, row) {
            (WritePolicy::WriteBack, Some(row)) => {
                let here = if slice.write_allocate == WriteAllocate::None {
                    own & slice.cache.bytes_of(slice.cache.state(row).valid)
                } else {
                    own
                };
                slice.cache.write(now, row, from, here, true, p);
                own & !here
            }
            (WritePolicy::WriteThrough, Some(row)) => {
                slice.cache.write(now, row, from, own, false, p);
                own
            }
            (WritePolicy::WriteEvict | WritePolicy::ReadOnly, Some(row)) => {
                let sectors = slice.cache.sectors_of(own);
                self.write_back(now, s, row, sectors, true, p);
                let slice = &mut self.slices[s];
                slice.cache.drop_sectors(now, row, sectors, p);
                if let Some(entry) = slice.find(line + u64::from(at)) {
                    slice.fetch(entry).arrived &= !sectors;
                }
                own
            }
            (_, None) => own,
        };
        if below != 0 {
            self.write_memory(now, line, data.line(), below << at, p);
        }
    }

    fn update<P: Probe>(
        &mut self,
        now: u64,
        s: usize,
        (line, at): (u64, u8),
        batch: &mut AtomicBatch,
        row: Option<u32>,
        p: &mut P,
    ) {
        let Some(row) = row else { return };
        self.mark(line);
        let slice = &mut self.slices[s];
        let mut copy = [0; LINE as usize];
        let bytes = &mut copy[..slice.cache.line_bytes as usize];
        bytes.copy_from_slice(slice.cache.line(row).bytes);
        let ghosts = match P::GHOSTS {
            true => haunt::before_update(p, slice.cache.place(row), bytes, at, batch),
            false => Vec::new(),
        };
        let width = usize::from(batch.width.min(8));
        let mut changed = 0;
        for lane in &mut batch.lanes {
            let Some(range) = lane.within(at, width, bytes.len()) else { continue };
            changed |= mask::span(range.start as u64, width as u64);
            let word = &mut bytes[range];
            let mut value = [0; 8];
            value[..width].copy_from_slice(word);
            lane.old = u64::from_le_bytes(value);
            let after = (batch.apply)(batch.code, lane.old, lane.b, lane.c);
            word.copy_from_slice(&after.to_le_bytes()[..width]);
        }
        slice.cache.tell(now, row, Access::Read, changed, p);
        let dirty = slice.write == WritePolicy::WriteBack;
        slice.cache.write(now, row, Sourced::alike(bytes), changed, dirty, p);
        let place = slice.cache.place(row);
        if P::GHOSTS {
            haunt::after_update(p, place, bytes, changed, batch, ghosts);
        }
        if !dirty {
            let from = Sourced { bytes, origin: Origin::at(place, 0) };
            let line = line + u64::from(at);
            self.backing.write_part(now, line, from, changed, p);
            self.counters.dram_writes += 1;
            self.access_dram(now, line, mask::sectors_of(changed), None);
        }
    }

    /// Bytes of a packet pass L2 by: into memory at once, at the cost of DRAM's
    /// time.
    fn write_memory<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        from: Sourced<'_>,
        bytes: u128,
        p: &mut P,
    ) {
        self.backing.write(now, line, from, bytes, p);
        self.counters.dram_writes += 1;
        self.access_dram(now, line, mask::sectors_of(bytes), None);
    }

    /// Writes what memory does not have of some sectors to where the stored
    /// tag says; with `timed` at the cost of DRAM's time.
    pub(crate) fn write_back<P: Probe>(
        &mut self,
        now: u64,
        s: usize,
        row: u32,
        sectors: u8,
        timed: bool,
        p: &mut P,
    ) {
        let cache = &self.slices[s].cache;
        let bytes = cache.dirty_bytes(row, sectors);
        if bytes == 0 {
            return;
        }
        let line = cache.address(row);
        cache.tell(now, row, Access::WriteBack, bytes, p);
        self.backing.write_part(now, line, cache.line(row), bytes, p);
        self.counters.l2_write_backs += 1;
        if timed {
            self.counters.dram_writes += 1;
            self.access_dram(now, line, mask::sectors_of(bytes), None);
        }
    }

    /// Empties a row.
    pub(crate) fn evict<P: Probe>(&mut self, now: u64, s: usize, row: u32, timed: bool, p: &mut P) {
        let cache = &self.slices[s].cache;
        if cache.present(row) {
            self.counters.l2_evictions += 1;
            let all = cache.all_sectors();
            self.write_back(now, s, row, all, timed, p);
            self.slices[s].cache.drop_row(now, row, p);
        }
    }
}

/// What a reply's bytes travel in, if its request has brought nothing.
#[cold]
#[inline(never)]
fn empty_envelope() -> Box<LineBytes> {
    Box::new([0; LINE as usize])
}

/// The first-level cache that a packet is for.
fn for_whom(packet: &Packet) -> By {
    let Port { core, client } = packet.request.port;
    By::Level { sm: core.into(), client }
}

/// Sectors that must be fetched before a packet can be performed.
fn needs(slice: &Slice, packet: &Packet, sectors: u8, row: Option<u32>, arrived: u8) -> u8 {
    let valid = row.map_or(0, |r| slice.cache.state(r).valid) | arrived;
    match &packet.request.body {
        Body::Read | Body::Atomic(_) => sectors & !valid,
        Body::Write(data) => match (slice.write, slice.write_allocate) {
            (
                WritePolicy::WriteBack | WritePolicy::WriteThrough,
                WriteAllocate::FetchOnWrite | WriteAllocate::WriteAndRead,
            ) => {
                let open = sectors & !valid;
                let own = data.mask >> packet.at;
                slice.cache.sectors_of(slice.cache.bytes_of(open) & !own) & open
            }
            _ => 0,
        },
    }
}

/// Cycles that lanes of an atomic on one place take, one after the other: two
/// each on an H200 (`atom_global_same_32w` in oracles/timing).
fn repeats(batch: &AtomicBatch) -> u64 {
    let mut counts = [0u8; 128];
    let mut most = 0;
    for lane in &batch.lanes {
        let count = &mut counts[usize::from(lane.offset) % 128];
        *count += 1;
        most = most.max(*count);
    }
    if most > 1 { 2 * u64::from(most) } else { 0 }
}

/// Whether a packet that finds no line takes one.
fn allocates(slice: &Slice, body: &Body) -> bool {
    match body {
        Body::Read | Body::Atomic(_) => true,
        Body::Write(_) => {
            matches!(slice.write, WritePolicy::WriteBack | WritePolicy::WriteThrough)
                && slice.write_allocate != WriteAllocate::None
        }
    }
}
