//! Crossbar, L2 slices and DRAM channels, driven by events.

use upset_chip::{
    Allocate, CacheSpec, ChipSpec, MshrKind, Per, Replacement, SetHash, Space, WriteAllocate,
    WritePolicy,
};
use upset_state::bits::Bytes;
use upset_state::{Access, ArrayId, Axis, GlobalMemory, Kind, Layout, Probe, Visit, Visitor};

use crate::address::AddressMap;
use crate::backing::{Backing, Segment};
use crate::clock::Clock;
use crate::counters::MemoryCounters;
use crate::dram::{Channel, Job};
use crate::mask;
use crate::packet::{AtomicBatch, Body, Reply, ReplyBody, Request, WriteData};
use crate::slice::{NONE, Slice};
use crate::spares::Spares;
use crate::wheel::Wheel;
use crate::written::Written;
use crate::{LINE, SECTOR};

/// Bytes of a packet besides its data, per sector.
const HEADER: u32 = 8;
/// Boxes kept for later packets.
const SPARE: usize = 4096;

/// What will happen.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A packet reaches its slice.
    Arrive(u32),
    /// A slice's port is free for the next packet.
    Serve(u32),
    /// A reply reaches the port of its SM.
    Head(u32),
    /// All of a reply has reached its SM.
    Deliver(u32),
    /// A DRAM channel can issue.
    Issue(u32),
    /// DRAM's answer reaches its slice.
    Fill { slice: u32, entry: u32, sectors: u8 },
}

/// A request on its way, then its reply.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    request: Request,
    slice: u32,
    rest: u64,
    /// Next in a list of waiting or of unused packets.
    next: u32,
}

/// Everything below the first-level caches.
#[derive(Clone, Debug)]
pub struct MemorySystem {
    wheel: Wheel<Happening>,
    packets: Vec<Packet>,
    unused: u32,
    under_way: usize,
    pub(crate) slices: Vec<Slice>,
    channels: Vec<Channel>,
    pub(crate) backing: Backing,
    pub(crate) map: AddressMap,
    crossbar: Clock,
    l2: Clock,
    dram: Clock,
    rop_latency: u64,
    l2_latency: u64,
    dram_latency: u64,
    port_bytes: u32,
    flit_bytes: u32,
    pub(crate) copies_fill_l2: bool,
    /// Crossbar ticks from which each SM's ports are free.
    inject_free: Vec<u64>,
    eject_free: Vec<u64>,
    /// Writes of each SM that were not performed.
    outstanding: Vec<u32>,
    drained: Vec<u16>,
    pub(crate) stale: Written,
    pub(crate) counters: MemoryCounters,
    spare_writes: Spares<WriteData>,
}

impl MemorySystem {
    /// Of a chip, with empty memory.
    pub fn new(chip: &ChipSpec) -> MemorySystem {
        let found = chip.caches.iter().enumerate().find(|(_, c)| c.per == Per::Slice);
        let (number, spec) = match found {
            Some((i, spec)) => (i, whole_lines(spec)),
            None => (chip.caches.len(), buffer()),
        };
        let kind = Kind::Cache(number.min(255) as u8);
        let clock = |mhz| Clock::new(chip.clock.core_mhz, mhz);
        let sms = chip.sm.count as usize;
        let l2 = clock(chip.clock.l2_mhz);
        MemorySystem {
            wheel: Wheel::new(),
            packets: Vec::new(),
            unused: NONE,
            under_way: 0,
            slices: Slice::all(&spec, kind, chip.slices().max(1)),
            channels: vec![Channel::new(&chip.dram); chip.memory.partitions.max(1) as usize],
            backing: Backing { global: GlobalMemory::new(chip.memory.bytes), ranges: Vec::new() },
            map: AddressMap::new(chip),
            crossbar: clock(chip.clock.interconnect_mhz),
            l2,
            dram: clock(chip.clock.dram_mhz),
            rop_latency: u64::from(chip.memory.rop_latency),
            l2_latency: l2.cycle(u64::from(spec.latency)),
            dram_latency: u64::from(chip.memory.dram_latency),
            port_bytes: spec.port_bytes.max(1),
            flit_bytes: chip.interconnect.flit_bytes.max(1),
            copies_fill_l2: chip.memory.copies_fill_l2,
            inject_free: vec![0; sms],
            eject_free: vec![0; sms],
            outstanding: vec![0; sms],
            drained: Vec::new(),
            stale: Written::default(),
            counters: MemoryCounters::default(),
            spare_writes: Spares::new(SPARE),
        }
    }

    /// Allocations of global memory.
    pub fn global(&self) -> &GlobalMemory {
        &self.backing.global
    }

    /// Allocations of global memory. Bytes changed here are not seen by L2:
    /// use the host copies.
    pub fn global_mut(&mut self) -> &mut GlobalMemory {
        &mut self.backing.global
    }

    /// Backs a range outside global memory, or makes it longer.
    pub fn map_segment(&mut self, kind: Segment, base: u64, len: u64) {
        self.backing.map(kind, base, len);
    }

    /// Whether a program may access a range. An access of at most 128 bytes
    /// is taken to lie in one page.
    #[inline]
    pub fn mapped(&self, addr: u64, len: u64) -> bool {
        self.backing.mapped(addr, len)
    }

    /// What happened so far.
    pub fn counters(&self) -> &MemoryCounters {
        &self.counters
    }

    /// Lines written by SMs or the host since this was last cleared.
    pub fn stale(&mut self) -> &mut Written {
        &mut self.stale
    }

    /// Cycle of the next event; `u64::MAX` when there is none.
    #[inline]
    pub fn next_event(&self) -> u64 {
        self.wheel.next()
    }

    /// Whether no packet is under way. DRAM may still be busy with lines that
    /// left L2; their bytes are in memory already.
    pub fn idle(&self) -> bool {
        self.under_way == 0
    }

    /// Stores and atomics without result of an SM that are not performed yet.
    pub fn outstanding_writes(&self, sm: u16) -> u32 {
        self.outstanding.get(usize::from(sm)).copied().unwrap_or(0)
    }

    /// SMs whose last outstanding write was performed in the last `advance`.
    pub fn drained(&self) -> &[u16] {
        &self.drained
    }

    /// A box for a store, used before if possible; its contents are undefined
    /// but for an empty mask.
    pub fn write_box(&mut self) -> Box<WriteData> {
        let mut data = self.spare_writes.take().unwrap_or_default();
        data.mask = 0;
        data
    }

    /// Flits of a packet with data.
    #[inline]
    fn flits(&self, sectors: u8) -> u64 {
        let bytes = sectors.count_ones() * (SECTOR as u32 + HEADER);
        u64::from(bytes.div_ceil(self.flit_bytes).max(1))
    }

    /// Puts a request into the crossbar.
    pub fn send<P: Probe>(&mut self, now: u64, request: Request, _p: &mut P) {
        let sm = usize::from(request.sm);
        let flits = match &request.body {
            Body::Read => 1,
            Body::Write(_) | Body::Atomic(_) => self.flits(request.sectors),
        };
        if counts_as_write(&request.body) {
            self.outstanding[sm] += 1;
        }
        let start = self.crossbar.tick(now).max(self.inject_free[sm]);
        self.inject_free[sm] = start + flits;
        self.counters.flits_to_l2 += flits;
        let place = self.map.place(request.line);
        let packet = Packet { request, slice: place.slice, rest: place.rest, next: NONE };
        let id = if self.unused == NONE {
            self.packets.push(packet);
            (self.packets.len() - 1) as u32
        } else {
            let id = self.unused;
            self.unused = self.packets[id as usize].next;
            self.packets[id as usize] = packet;
            id
        };
        self.under_way += 1;
        let at = self.crossbar.cycle(start + flits) + self.rop_latency;
        self.wheel.push(at, Happening::Arrive(id));
    }

    fn discard(&mut self, id: u32) {
        self.packets[id as usize].next = self.unused;
        self.unused = id;
        self.under_way -= 1;
    }

    /// Lets everything happen up to and including cycle `now`; adds the
    /// replies that reached their SM.
    pub fn advance<P: Probe>(&mut self, now: u64, replies: &mut Vec<Reply>, p: &mut P) {
        self.drained.clear();
        while let Some((at, happening)) = self.wheel.pop_due(now) {
            match happening {
                Happening::Arrive(id) => {
                    let s = self.packets[id as usize].slice as usize;
                    let slice = &mut self.slices[s];
                    slice.queue.push_back(id);
                    if !slice.blocked && !slice.awaited {
                        self.serve_queue(at, s, p);
                    }
                }
                Happening::Serve(s) => {
                    self.slices[s as usize].awaited = false;
                    self.serve_queue(at, s as usize, p);
                }
                Happening::Head(id) => self.eject(at, id, replies),
                Happening::Deliver(id) => self.deliver(id, replies),
                Happening::Issue(channel) => self.run_channel(at, channel as usize),
                Happening::Fill { slice, entry, sectors } => {
                    self.fill(at, slice as usize, entry, sectors, p);
                }
            }
        }
    }

    /// Serves a slice's queue as far as its port and its misses allow.
    fn serve_queue<P: Probe>(&mut self, now: u64, s: usize, p: &mut P) {
        while let Some(&id) = self.slices[s].queue.front() {
            let slice = &mut self.slices[s];
            if slice.blocked || slice.awaited {
                return;
            }
            let start = self.l2.tick(now).max(slice.port_free);
            let at = self.l2.cycle(start);
            if at > now {
                slice.awaited = true;
                self.wheel.push(at, Happening::Serve(s as u32));
                return;
            }
            let sectors = self.packets[id as usize].request.sectors;
            if !self.serve(now, s, id, p) {
                self.slices[s].blocked = true;
                self.counters.l2_blocked += 1;
                return;
            }
            let bytes = sectors.count_ones() * SECTOR as u32;
            let busy = u64::from(bytes.div_ceil(self.port_bytes).max(1));
            let slice = &mut self.slices[s];
            slice.port_free = start + busy;
            slice.queue.pop_front();
        }
    }

    /// Serves one packet; false when it must stay first in the queue.
    fn serve<P: Probe>(&mut self, now: u64, s: usize, id: u32, p: &mut P) -> bool {
        let Packet { request, rest, .. } = &self.packets[id as usize];
        let (line, rest, fine) = (request.line, *rest, request.sectors);
        let slice = &mut self.slices[s];
        let sectors = slice.cache.coarse(fine);
        let fetch = slice.find(line);
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
        let set = slice.cache.set_of(self.map.in_slice(rest));
        let row = match fetch {
            Some(entry) => Some(slice.fetch(entry).row),
            None => slice.cache.find(set, line),
        };
        let body = &self.packets[id as usize].request.body;
        let needs = needs(slice, body, sectors, row, 0);
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

    /// Queues a read for a fetch, or a write.
    fn access_dram(&mut self, now: u64, line: u64, sectors: u8, fetch: Option<(u32, u32)>) {
        let place = self.map.place(line);
        let (bank, row) = self.map.bank_and_row(place.rest);
        let (slice, entry) = fetch.unwrap_or((NONE, NONE));
        let job = Job { bank, row, write: fetch.is_none(), sectors, slice, entry };
        let index = place.channel as usize;
        let channel = &mut self.channels[index];
        self.counters.dram_bytes += channel.bytes(sectors);
        let hits = channel.row_hits;
        channel.push(self.dram.tick(now), job);
        self.counters.dram_row_hits += channel.row_hits - hits;
        self.await_channel(now, index);
    }

    /// Makes sure of an event when a channel can issue.
    fn await_channel(&mut self, now: u64, index: usize) {
        let channel = &mut self.channels[index];
        if channel.next() == u64::MAX {
            return;
        }
        let at = self.dram.cycle(channel.next()).max(now);
        if at < channel.event_at {
            channel.event_at = at;
            self.wheel.push(at, Happening::Issue(index as u32));
        }
    }

    fn run_channel(&mut self, now: u64, index: usize) {
        let channel = &mut self.channels[index];
        // An event that a later, earlier one replaced.
        if channel.event_at != now {
            return;
        }
        channel.event_at = u64::MAX;
        let hits = channel.row_hits;
        while channel.next() != u64::MAX && self.dram.cycle(channel.next()) <= now {
            let Some((end, job)) = channel.issue() else { break };
            if !job.write {
                let at = self.dram.cycle(end) + self.dram_latency;
                let Job { slice, entry, sectors, .. } = job;
                self.wheel.push(at, Happening::Fill { slice, entry, sectors });
            }
        }
        self.counters.dram_row_hits += channel.row_hits - hits;
        self.await_channel(now, index);
    }

    /// DRAM's bytes come: into the line, then to whoever waited.
    fn fill<P: Probe>(&mut self, now: u64, s: usize, entry: u32, fine: u8, p: &mut P) {
        let slice = &mut self.slices[s];
        let sectors = slice.cache.coarse(fine);
        let fetch = slice.fetch(entry);
        let (line, row) = (fetch.line, fetch.row);
        fetch.pending &= !sectors;
        fetch.arrived |= sectors;
        let bytes = self.backing.read(now, line, mask::bytes_of(fine), Access::Read, p);
        self.slices[s].cache.fill(now, row, &bytes, sectors, p);

        // Each packet in its turn, unless it still lacks something or comes
        // after one that does.
        let fetch = self.slices[s].fetch(entry);
        let mut id = fetch.first;
        let mut closed = fetch.pending;
        (fetch.first, fetch.last, fetch.waiting) = (NONE, NONE, 0);
        fetch.claimed = fetch.pending;
        while id != NONE {
            let next = self.packets[id as usize].next;
            let request = &self.packets[id as usize].request;
            let slice = &mut self.slices[s];
            let sectors = slice.cache.coarse(request.sectors);
            let arrived = slice.fetch(entry).arrived;
            let needs = needs(slice, &request.body, sectors, Some(row), arrived);
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
        let (line, sm) = (packet.request.line, packet.request.sm);
        match std::mem::replace(&mut packet.request.body, Body::Read) {
            Body::Read => {
                let mut envelope =
                    packet.request.envelope.take().unwrap_or_else(|| Box::new([0; LINE as usize]));
                let sectors = packet.request.sectors;
                if let Some(row) = row {
                    let cache = &self.slices[s].cache;
                    envelope.copy_from_slice(cache.data(row));
                    cache.tell(now, row, Access::Read, mask::bytes_of(sectors), p);
                }
                self.packets[id as usize].request.envelope = Some(envelope);
                self.reply(now, s, id);
            }
            Body::Write(data) => {
                self.write(now, s, line, &data, row, p);
                self.spare_writes.give(data);
                self.performed(sm);
                self.discard(id);
            }
            Body::Atomic(mut batch) => {
                self.update(now, s, line, &mut batch, row, p);
                if batch.returns {
                    self.packets[id as usize].request.body = Body::Atomic(batch);
                    self.reply(now, s, id);
                } else {
                    self.performed(sm);
                    self.discard(id);
                }
            }
        }
    }

    /// One outstanding write fewer.
    fn performed(&mut self, sm: u16) {
        let count = &mut self.outstanding[usize::from(sm)];
        *count = count.saturating_sub(1);
        if *count == 0 {
            self.drained.push(sm);
        }
    }

    fn mark(&mut self, line: u64) {
        if self.backing.exists(line) {
            self.stale.set(line);
        }
    }

    fn write<P: Probe>(
        &mut self,
        now: u64,
        s: usize,
        line: u64,
        data: &WriteData,
        row: Option<u32>,
        p: &mut P,
    ) {
        self.mark(line);
        let slice = &mut self.slices[s];
        let below = match (slice.write, row) {
            (WritePolicy::WriteBack, Some(row)) => {
                let here = if slice.write_allocate == WriteAllocate::None {
                    data.mask & slice.cache.bytes_of(slice.cache.state(row).valid)
                } else {
                    data.mask
                };
                slice.cache.write(now, row, &data.bytes, here, true, p);
                data.mask & !here
            }
            (WritePolicy::WriteThrough, Some(row)) => {
                slice.cache.write(now, row, &data.bytes, data.mask, false, p);
                data.mask
            }
            (WritePolicy::WriteEvict | WritePolicy::ReadOnly, Some(row)) => {
                let sectors = slice.cache.sectors_of(data.mask);
                self.write_back(now, s, row, sectors, true, p);
                let slice = &mut self.slices[s];
                slice.cache.drop_sectors(now, row, sectors, p);
                if let Some(entry) = slice.find(line) {
                    slice.fetch(entry).arrived &= !sectors;
                }
                data.mask
            }
            (_, None) => data.mask,
        };
        if below != 0 {
            self.write_memory(now, line, &data.bytes, below, p);
        }
    }

    fn update<P: Probe>(
        &mut self,
        now: u64,
        s: usize,
        line: u64,
        batch: &mut AtomicBatch,
        row: Option<u32>,
        p: &mut P,
    ) {
        let Some(row) = row else { return };
        self.mark(line);
        let slice = &mut self.slices[s];
        let mut bytes = [0; LINE as usize];
        bytes.copy_from_slice(slice.cache.data(row));
        let width = usize::from(batch.width.min(8));
        let mut changed = 0;
        for lane in &mut batch.lanes {
            let at = usize::from(lane.offset);
            let Some(word) = bytes.get_mut(at..at + width) else { continue };
            let mut value = [0; 8];
            value[..width].copy_from_slice(word);
            lane.old = u64::from_le_bytes(value);
            let after = (batch.apply)(batch.code, lane.old, lane.b, lane.c);
            word.copy_from_slice(&after.to_le_bytes()[..width]);
            changed |= mask::span(at as u64, width as u64);
        }
        slice.cache.tell(now, row, Access::Read, changed, p);
        let dirty = slice.write == WritePolicy::WriteBack;
        slice.cache.write(now, row, &bytes, changed, dirty, p);
        if !dirty {
            self.write_memory(now, line, &bytes, changed, p);
        }
    }

    /// Bytes leave L2 for memory: at once, at the cost of DRAM's time.
    fn write_memory<P: Probe>(&mut self, now: u64, line: u64, from: &[u8], bytes: u128, p: &mut P) {
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
        self.backing.write(now, line, cache.data(row), bytes, p);
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

    /// Sends a reply on its way.
    fn reply(&mut self, now: u64, s: usize, id: u32) {
        let flits = self.flits(self.packets[id as usize].request.sectors);
        let ready = self.crossbar.tick(now + self.l2_latency);
        let slice = &mut self.slices[s];
        let start = ready.max(slice.out_free);
        slice.out_free = start + flits;
        self.counters.flits_to_sm += flits;
        self.wheel.push(self.crossbar.cycle(start + 1), Happening::Head(id));
    }

    /// A reply's first flit is at its SM; the port takes one per tick.
    fn eject(&mut self, now: u64, id: u32, replies: &mut Vec<Reply>) {
        let request = &self.packets[id as usize].request;
        let flits = self.flits(request.sectors);
        let free = &mut self.eject_free[usize::from(request.sm)];
        let start = self.crossbar.tick(now).max(*free);
        *free = start + flits;
        let at = self.crossbar.cycle(start + flits);
        if at <= now {
            self.deliver(id, replies);
        } else {
            self.wheel.push(at, Happening::Deliver(id));
        }
    }

    fn deliver(&mut self, id: u32, replies: &mut Vec<Reply>) {
        let request = &mut self.packets[id as usize].request;
        let body = match std::mem::replace(&mut request.body, Body::Read) {
            Body::Atomic(batch) => Some(ReplyBody::Atomic(batch)),
            Body::Read | Body::Write(_) => request.envelope.take().map(ReplyBody::Data),
        };
        let Request { sm, client, token, line, sectors, .. } = *request;
        replies.extend(body.map(|body| Reply { sm, client, token, line, sectors, body }));
        self.discard(id);
    }
}

fn counts_as_write(body: &Body) -> bool {
    match body {
        Body::Read => false,
        Body::Write(_) => true,
        Body::Atomic(batch) => !batch.returns,
    }
}

/// Sectors that must be fetched before a packet can be performed.
fn needs(slice: &Slice, body: &Body, sectors: u8, row: Option<u32>, arrived: u8) -> u8 {
    let valid = row.map_or(0, |r| slice.cache.state(r).valid) | arrived;
    match body {
        Body::Read | Body::Atomic(_) => sectors & !valid,
        Body::Write(data) => match (slice.write, slice.write_allocate) {
            (
                WritePolicy::WriteBack | WritePolicy::WriteThrough,
                WriteAllocate::FetchOnWrite | WriteAllocate::WriteAndRead,
            ) => {
                let open = sectors & !valid;
                slice.cache.sectors_of(slice.cache.bytes_of(open) & !data.mask) & open
            }
            _ => 0,
        },
    }
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

/// L2 lines are packets' lines: another size is rebuilt with as many bytes.
fn whole_lines(spec: &CacheSpec) -> CacheSpec {
    let mut spec = spec.clone();
    if u64::from(spec.line_bytes) != LINE {
        let sets = u64::from(spec.sets) * u64::from(spec.line_bytes) / LINE;
        spec.sets = (sets as u32).max(1).next_power_of_two();
        spec.line_bytes = LINE as u32;
        spec.sector_bytes = spec.sector_bytes.min(LINE as u32);
    }
    spec
}

/// What a slice has on a chip without an L2: a few lines for what is under way.
fn buffer() -> CacheSpec {
    CacheSpec {
        name: "l2".into(),
        per: Per::Slice,
        serves: vec![Space::Global],
        next: "memory".into(),
        sets: 1,
        ways: 16,
        line_bytes: LINE as u32,
        sector_bytes: SECTOR as u32,
        replacement: Replacement::Lru,
        write: WritePolicy::WriteThrough,
        write_local: None,
        allocate: Allocate::OnMiss,
        write_allocate: WriteAllocate::None,
        set_hash: SetHash::Linear,
        mshr: MshrKind::Associative,
        mshr_entries: Some(16),
        mshr_merge: Some(64),
        miss_queue: 16,
        result_fifo: None,
        port_bytes: SECTOR as u32,
        banks: 1,
        latency: 1,
        tag_bits: 57,
        source: None,
    }
}

impl Visit for MemorySystem {
    fn visit(&mut self, v: &mut dyn Visitor) {
        for (i, slice) in self.slices.iter_mut().enumerate() {
            slice.cache.visit(&format!("slice{i}"), v);
        }
        bytes("gmem", ArrayId::data(Kind::Gmem, 0), self.backing.global.storage_mut(), v);
        let locals = self.backing.ranges.iter_mut().filter(|r| r.kind == Segment::Local);
        for (i, range) in locals.enumerate() {
            bytes("lmem", ArrayId::data(Kind::Lmem, i as u32), &mut range.bytes, v);
        }
    }
}

/// Shows an array of bytes, unless it is empty.
fn bytes(kind: &str, id: ArrayId, bytes: &mut [u8], v: &mut dyn Visitor) {
    if bytes.is_empty() || !v.wants(id) {
        return;
    }
    let layout = Layout {
        id,
        kind: kind.to_string(),
        path: if id.instance == 0 { String::new() } else { format!("range{}", id.instance) },
        axes: vec![Axis::new("byte", bytes.len() as u64), Axis::new("bit", 8)],
        parted: false,
    };
    v.array(&layout, &mut Bytes(bytes));
}
