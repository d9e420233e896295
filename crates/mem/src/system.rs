//! Crossbar, L2 slices and DRAM channels, driven by events.

use upset_chip::ChipSpec;
use upset_state::{GlobalMemory, Kind, Probe};

use crate::address::{AddressMap, Place};
use crate::backing::{Backing, Segment};
use crate::clock::Clock;
use crate::counters::MemoryCounters;
use crate::dram::{Channel, Job};
use crate::driver::driver_of;
use crate::held_back::{Ahead, Sent};
use crate::packet::{Body, Port, Reply, ReplyBody, Request, WriteData};
use crate::slice::{NONE, Slice, l2_of};
use crate::spares::Spares;
use crate::wheel::Wheel;
use crate::written::Written;
use crate::{LINE, SECTOR};

/// Boxes kept for later packets.
const SPARE: usize = 4096;

/// What will happen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happening {
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

/// What will happen, and since when that is known: of one cycle's happenings
/// those known before the others come first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub(crate) born: u64,
    // Two words travel in registers: an enumeration would be put together in memory
    // and read back at once, before the host is done with its parts.
    what: u64,
}

/// Where the parts of a happening are in its word, the lowest of which says what it is:
/// sectors, the number of a fetch (of which a slice has less than 2^24), and whatever
/// it concerns.
const KINDS: u64 = 16;
const SECTORS_AT: u32 = 4;
const ENTRY_AT: u32 = 8;
const NUMBER_AT: u32 = 32;
/// The latter two, cut out.
const SECTORS: u64 = (1 << (ENTRY_AT - SECTORS_AT)) - 1;
const ENTRIES: u64 = (1 << (NUMBER_AT - ENTRY_AT)) - 1;

impl Due {
    #[inline]
    pub(crate) fn new(born: u64, what: Happening) -> Due {
        let word = |kind: u64, number: u32| kind | u64::from(number) << NUMBER_AT;
        let what = match what {
            Happening::Arrive(id) => word(0, id),
            Happening::Serve(slice) => word(1, slice),
            Happening::Head(id) => word(2, id),
            Happening::Deliver(id) => word(3, id),
            Happening::Issue(channel) => word(4, channel),
            Happening::Fill { slice, entry, sectors } => {
                debug_assert!(u64::from(entry) <= ENTRIES && u64::from(sectors) <= SECTORS);
                word(5, slice) | u64::from(entry) << ENTRY_AT | u64::from(sectors) << SECTORS_AT
            }
        };
        Due { born, what }
    }

    #[inline]
    pub(crate) fn what(self) -> Happening {
        let number = (self.what >> NUMBER_AT) as u32;
        match self.what % KINDS {
            0 => Happening::Arrive(number),
            1 => Happening::Serve(number),
            2 => Happening::Head(number),
            3 => Happening::Deliver(number),
            4 => Happening::Issue(number),
            _ => Happening::Fill {
                slice: number,
                entry: (self.what >> ENTRY_AT & ENTRIES) as u32,
                sectors: (self.what >> SECTORS_AT & SECTORS) as u8,
            },
        }
    }
}

/// A request on its way, then its reply; one of the host's lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Packet {
    pub(crate) request: Request,
    pub(crate) slice: u32,
    /// The set of L2's line there.
    pub(crate) set: u32,
    /// Byte of the request's line at which L2's line begins.
    pub(crate) at: u8,
    /// Next in a list of waiting or of unused packets.
    pub(crate) next: u32,
}

impl Packet {
    /// Address of L2's line.
    #[inline]
    pub(crate) fn line(&self) -> u64 {
        self.request.line + u64::from(self.at)
    }

    /// Sectors of 32 bytes within L2's line.
    #[inline]
    pub(crate) fn sectors(&self) -> u8 {
        self.request.sectors >> (self.at / SECTOR as u8)
    }
}

/// How a request gets into the crossbar.
pub(crate) struct Departure {
    /// The tick from which its way is free again.
    pub(crate) free: u64,
    /// When it reaches its slice.
    pub(crate) at: u64,
    /// Its flits.
    pub(crate) flits: u64,
}

/// Everything below the first-level caches.
#[derive(Clone, Debug)]
pub struct MemorySystem {
    pub(crate) wheel: Wheel<Due>,
    pub(crate) packets: Vec<Packet>,
    pub(crate) unused: u32,
    pub(crate) under_way: usize,
    pub(crate) slices: Vec<Slice>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) backing: Backing,
    pub(crate) map: AddressMap,
    pub(crate) crossbar: Clock,
    pub(crate) l2: Clock,
    pub(crate) dram: Clock,
    pub(crate) rop_latency: u64,
    pub(crate) l2_latency: u64,
    pub(crate) dram_latency: u64,
    /// Bytes of a line of L2.
    pub(crate) l2_line: u64,
    /// L2 ticks that a slice's data port is busy with so many sectors.
    pub(crate) port_ticks: BySectors,
    /// Flits of a packet with so many, and of a reply.
    pub(crate) flits: BySectors,
    pub(crate) reply_flits: BySectors,
    pub(crate) copies_fill_l2: bool,
    pub(crate) copies_fill_most: u64,
    /// Ways that a core has into the crossbar, and out of it.
    pub(crate) ports: usize,
    /// Crossbar ticks from which each core's ports are free.
    pub(crate) inject_free: Vec<u64>,
    pub(crate) eject_free: Vec<u64>,
    /// Writes of each SM that were not performed.
    pub(crate) outstanding: Vec<u32>,
    pub(crate) drained: Vec<u16>,
    pub(crate) stale: Written,
    pub(crate) counters: MemoryCounters,
    /// The host has copied something that is not whole words of 32 bits.
    pub(crate) host_narrow: bool,
    pub(crate) spare_writes: Spares<WriteData>,
    /// What cores that run ahead of each other have sent and been spared.
    pub(crate) ahead: Ahead,
}

impl MemorySystem {
    /// Of a chip, with empty memory.
    pub fn new(chip: &ChipSpec) -> MemorySystem {
        let (number, spec) = l2_of(chip);
        let kind = Kind::Cache(number.min(255) as u8);
        let clock = |mhz| Clock::new(chip.clock.core_mhz, mhz);
        let cores = chip.cores() as usize;
        let l2 = clock(chip.clock.l2_mhz);
        let network = &chip.interconnect;
        // With its share of the header.
        let sector_bytes = SECTOR as u32 + network.header_bytes;
        let ports = network.ports.unwrap_or(1) as usize;
        MemorySystem {
            wheel: Wheel::new(),
            packets: Vec::new(),
            unused: NONE,
            under_way: 0,
            slices: Slice::all(&spec, kind, chip.slices()),
            channels: vec![Channel::new(&chip.dram); chip.memory.partitions as usize],
            backing: Backing {
                global: GlobalMemory::new(chip.memory.bytes, driver_of(chip)),
                ranges: Vec::new(),
                moved: 0,
            },
            map: AddressMap::new(chip),
            crossbar: clock(chip.clock.interconnect_mhz),
            l2,
            dram: clock(chip.clock.dram_mhz),
            rop_latency: u64::from(chip.memory.rop_latency),
            l2_latency: l2.cycle(u64::from(spec.latency)),
            dram_latency: u64::from(chip.memory.dram_latency),
            l2_line: u64::from(spec.line_bytes),
            port_ticks: by_sectors(SECTOR as u32, spec.port_bytes.unwrap_or(SECTOR as u32)),
            flits: by_sectors(sector_bytes, network.flit_bytes),
            reply_flits: by_sectors(
                sector_bytes,
                network.reply_flit_bytes.unwrap_or(network.flit_bytes),
            ),
            copies_fill_l2: chip.memory.copies_fill_l2,
            copies_fill_most: chip.memory.copies_fill_most.unwrap_or(u64::MAX),
            ports,
            inject_free: vec![0; cores * ports],
            eject_free: vec![0; cores * ports],
            outstanding: vec![0; cores],
            drained: Vec::new(),
            stale: Written::default(),
            counters: MemoryCounters::default(),
            host_narrow: false,
            spare_writes: Spares::new(SPARE),
            ahead: Ahead::default(),
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
    pub fn map_segment<P: Probe>(
        &mut self,
        now: u64,
        kind: Segment,
        base: u64,
        len: u64,
        p: &mut P,
    ) {
        self.backing.map(now, kind, base, len, p);
    }

    /// Bytes that were copied because segments grew, since the beginning.
    pub fn moved_bytes(&self) -> u64 {
        self.backing.moved
    }

    /// Whether an access finds memory. One of at most 128 bytes is taken to
    /// lie in one page.
    #[inline]
    pub fn mapped(&self, addr: u64, len: u64) -> bool {
        self.backing.is_mapped(addr, len)
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

    /// Stores and atomics without result of an SM that are not performed at cycle `now`.
    pub fn outstanding_writes(&self, core: u16, now: u64) -> u32 {
        let left = self.outstanding.get(usize::from(core)).copied().unwrap_or(0);
        left + self.ahead.performed_after(core, now)
    }

    /// SMs whose last outstanding write was performed in the last `advance`.
    pub fn drained(&self) -> &[u16] {
        &self.drained
    }

    /// A box for a store, used before if possible; its contents are undefined
    /// but for an empty mask.
    pub fn write_box(&mut self) -> Box<WriteData> {
        let mut data = self.spare_writes.take().unwrap_or_default();
        (data.mask, data.flight) = (0, 0);
        data
    }

    /// Flits of a reply, towards the cores.
    #[inline]
    fn reply_flits(&self, request: &Request) -> u64 {
        // An acknowledgement has no bytes.
        let sectors = if request.acknowledge { 0 } else { request.sectors };
        of_sectors(&self.reply_flits, sectors)
    }

    /// The way into and out of the crossbar that a first-level cache uses.
    #[inline]
    fn way(&self, port: Port) -> usize {
        let core = usize::from(port.core);
        // Most cores have one, and a division would be felt.
        match self.ports {
            1 => core,
            ports => core * ports + usize::from(port.client) % ports,
        }
    }

    /// First cycle at which a first-level cache's way into the crossbar is free.
    pub fn injection_free(&self, port: Port) -> u64 {
        self.inject_free.get(self.way(port)).map_or(0, |&t| self.crossbar.cycle(t))
    }

    /// When a request gets through a way into the crossbar that is free from some tick on.
    #[inline]
    pub(crate) fn departure(&self, now: u64, request: &Request, free: u64) -> Departure {
        let flits = match &request.body {
            Body::Read => 1,
            Body::Write(_) | Body::Atomic(_) => of_sectors(&self.flits, request.sectors),
        };
        let free = self.crossbar.tick(now).max(free) + flits;
        Departure { free, at: self.crossbar.cycle(free) + self.rop_latency, flits }
    }

    /// Puts a request into the crossbar.
    pub fn send<P: Probe>(&mut self, now: u64, request: Request, _p: &mut P) {
        let way = self.way(request.port);
        if counts_as_write(&request.body) {
            self.outstanding[usize::from(request.port.core)] += 1;
        }
        let Departure { free, at, flits } = self.departure(now, &request, self.inject_free[way]);
        self.inject_free[way] = free;
        self.counters.flits_to_l2 += flits;
        let id = self.packet(request);
        match self.ahead.turn {
            Some(turn) => self.ahead.held_back.push(Sent { born: now, turn, at, id }),
            None => self.send_now(now, at, id),
        }
    }

    /// A request is on its way at once.
    #[inline(never)]
    fn send_now(&mut self, now: u64, at: u64, id: u32) {
        self.address(id);
        self.put(now, at, id);
    }

    /// A packet for a request. Where it goes is said by [`MemorySystem::address`], for
    /// many at once where they are held back: code and tables for that need not be in the
    /// host's caches while cores run.
    #[inline]
    pub(crate) fn packet(&mut self, request: Request) -> u32 {
        if self.unused == NONE {
            self.make_packet(request.port);
        }
        let id = self.unused;
        let packet = &mut self.packets[id as usize];
        self.unused = std::mem::replace(&mut packet.next, NONE);
        // What was there is over, and has nothing left to be given back.
        std::mem::forget(std::mem::replace(&mut packet.request, request));
        id
    }

    /// Works out where a packet goes.
    #[inline]
    pub(crate) fn address(&mut self, id: u32) {
        let packet = &mut self.packets[id as usize];
        let first = u64::from(packet.request.sectors.trailing_zeros()) * SECTOR;
        let at = first & (LINE - self.l2_line);
        let Place { slice, rest, .. } = self.map.place_here(packet.request.line + at);
        // Slices are alike.
        let set = self.slices[0].cache.set_of(self.map.in_slice(rest));
        (packet.slice, packet.set, packet.at) = (slice, set, at as u8);
    }

    /// Storage for one more packet.
    #[cold]
    #[inline(never)]
    fn make_packet(&mut self, port: Port) {
        let request = Request {
            port,
            token: 0,
            line: 0,
            sectors: 0,
            body: Body::Read,
            envelope: None,
            flight: 0,
            acknowledge: false,
        };
        let next = std::mem::replace(&mut self.unused, self.packets.len() as u32);
        self.packets.push(Packet { request, slice: 0, set: 0, at: 0, next });
    }

    /// A packet is on its way since cycle `born` and reaches its slice at `arrives`.
    #[inline(always)]
    pub(crate) fn put(&mut self, born: u64, arrives: u64, id: u32) {
        self.under_way += 1;
        let due = Due::new(born, Happening::Arrive(id));
        self.wheel.push_before(arrives, due, |other| other.born > born);
    }

    /// Something will happen at `at`, as is known since cycle `now`.
    #[inline]
    pub(crate) fn expect(&mut self, now: u64, at: u64, what: Happening) {
        self.wheel.push(at, Due::new(now, what));
    }

    #[inline]
    pub(crate) fn discard(&mut self, id: u32) {
        self.free_packet(id);
        self.under_way -= 1;
    }

    /// A packet's storage can be used again.
    #[inline]
    pub(crate) fn free_packet(&mut self, id: u32) {
        self.packets[id as usize].next = self.unused;
        self.unused = id;
    }

    /// Lets everything happen up to and including cycle `now`; adds the
    /// replies that reached their SM.
    pub fn advance<P: Probe>(&mut self, now: u64, replies: &mut Vec<Reply>, p: &mut P) {
        self.drained.clear();
        self.ahead.places = [0; 2];
        let last = self.ahead.last;
        self.happen(now, false, p, &mut |_, _, reply| replies.push(reply));
        self.ahead.last = last;
        self.wheel.pass(now);
    }

    /// Lets everything happen up to and including cycle `last`, or until no packet is
    /// under way if that `ends` it: then gives back the cycle. Tells of every reply that
    /// reached its SM, when, and of its place.
    #[inline(never)]
    pub(crate) fn happen<P: Probe>(
        &mut self,
        last: u64,
        ends: bool,
        p: &mut P,
        arrive: &mut impl FnMut(u64, u32, Reply),
    ) -> Option<u64> {
        while let Some((at, due)) = self.wheel.pop_until(last) {
            self.ahead.last = at;
            match due.what() {
                Happening::Arrive(id) => self.arrive(at, id, p),
                Happening::Serve(s) => {
                    self.slices[s as usize].awaited = false;
                    self.serve_queue(at, s as usize, p);
                }
                Happening::Head(id) => self.eject(at, id, arrive),
                Happening::Deliver(id) => {
                    let place = self.ahead.place(false);
                    self.deliver((at, place), id, arrive);
                }
                Happening::Issue(channel) => self.run_channel(at, channel as usize),
                Happening::Fill { slice, entry, sectors } => {
                    self.fill(at, slice as usize, entry, sectors, p);
                }
            }
            if ends && self.under_way == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Queues a read for a fetch, or a write.
    pub(crate) fn access_dram(
        &mut self,
        now: u64,
        line: u64,
        sectors: u8,
        fetch: Option<(u32, u32)>,
    ) {
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
    pub(crate) fn await_channel(&mut self, now: u64, index: usize) {
        let channel = &mut self.channels[index];
        if channel.next() == u64::MAX {
            return;
        }
        let at = self.dram.cycle(channel.next()).max(now);
        if at < channel.event_at {
            channel.event_at = at;
            self.expect(now, at, Happening::Issue(index as u32));
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
                let what = Happening::Fill { slice, entry, sectors };
                self.wheel.push(at, Due::new(now, what));
            }
        }
        self.counters.dram_row_hits += channel.row_hits - hits;
        self.await_channel(now, index);
    }

    /// Sends a reply on its way.
    #[inline(never)]
    pub(crate) fn reply(&mut self, now: u64, s: usize, id: u32) {
        let flits = self.reply_flits(&self.packets[id as usize].request);
        self.reply_of(now, s, id, flits);
    }

    /// The same for one of so many flits.
    #[inline(always)]
    pub(crate) fn reply_of(&mut self, now: u64, s: usize, id: u32, flits: u64) {
        let ready = self.crossbar.tick(now + self.l2_latency);
        let slice = &mut self.slices[s];
        let start = ready.max(slice.out_free);
        slice.out_free = start + flits;
        self.counters.flits_to_sm += flits;
        self.expect(now, self.crossbar.cycle(start + 1), Happening::Head(id));
    }

    /// A reply's first flit is at its SM; the port takes one per tick.
    #[inline(always)]
    fn eject(&mut self, now: u64, id: u32, arrive: &mut impl FnMut(u64, u32, Reply)) {
        let request = &self.packets[id as usize].request;
        let flits = self.reply_flits(request);
        let way = self.way(request.port);
        let free = &mut self.eject_free[way];
        let start = self.crossbar.tick(now).max(*free);
        *free = start + flits;
        let at = self.crossbar.cycle(start + flits);
        if at < self.ahead.until {
            self.ahead.landed = self.ahead.landed.max(at);
            let place = self.ahead.place(true);
            self.deliver((at, place), id, arrive);
        } else {
            self.eject_later(now, at, id, arrive);
        }
    }

    #[inline(never)]
    fn eject_later(
        &mut self,
        now: u64,
        at: u64,
        id: u32,
        arrive: &mut impl FnMut(u64, u32, Reply),
    ) {
        if at <= now {
            let place = self.ahead.place(false);
            self.deliver((now, place), id, arrive);
        } else {
            self.expect(now, at, Happening::Deliver(id));
        }
    }

    /// All of a reply is at its SM: in which cycle, and its place there.
    #[inline]
    fn deliver(
        &mut self,
        (now, place): (u64, u32),
        id: u32,
        arrive: &mut impl FnMut(u64, u32, Reply),
    ) {
        let request = &mut self.packets[id as usize].request;
        let body = match &request.body {
            Body::Read if !request.acknowledge => request.envelope.take().map(ReplyBody::Data),
            _ => take_other(request),
        };
        let Request { port, token, line, sectors, flight, .. } = *request;
        self.discard(id);
        if let Some(body) = body {
            arrive(now, place, Reply { port, token, line, sectors, body, flight });
        }
    }
}

/// What answers a request that is no plain read.
#[inline(never)]
fn take_other(request: &mut Request) -> Option<ReplyBody> {
    match std::mem::replace(&mut request.body, Body::Read) {
        Body::Atomic(batch) => Some(ReplyBody::Atomic(batch)),
        Body::Read | Body::Write(_) if request.acknowledge => Some(ReplyBody::Done),
        Body::Read | Body::Write(_) => request.envelope.take().map(ReplyBody::Data),
    }
}

#[inline]
pub(crate) fn counts_as_write(body: &Body) -> bool {
    match body {
        Body::Read => false,
        Body::Write(_) => true,
        Body::Atomic(batch) => !batch.returns,
    }
}

/// A number for every combination of a line's sectors: divisions would be felt, and
/// counts of bits.
pub(crate) type BySectors = [u32; 16];

/// Pieces that so many sectors are moved in, at least one.
fn by_sectors(sector_bytes: u32, piece: u32) -> BySectors {
    std::array::from_fn(|which| (which.count_ones() * sector_bytes).div_ceil(piece.max(1)).max(1))
}

#[inline]
pub(crate) fn of_sectors(table: &BySectors, sectors: u8) -> u64 {
    u64::from(table[usize::from(sectors & 15)])
}

// Whatever is added to packets should not make them two lines.
const _: () = assert!(size_of::<Packet>() == 64);
