//! A first-level cache: lines, outstanding misses and the rules between them.

use std::ops::Range;

use upset_chip::{CacheSpec, WriteAllocate, WritePolicy};
use upset_state::{Access, ArrayId, Kind, LineFact, Origin, Probe, Sourced, Visitor};

use crate::LINE;
use crate::cache::Cache;
use crate::counters::FirstLevelCounters;
use crate::haunt;
use crate::mask;
use crate::misses::Misses;
use crate::packet::{AtomicBatch, Body, LineBytes, Port, Reply, ReplyBody, Request, WriteData};
use crate::spares::Spares;
use crate::written::Written;

/// Boxes kept for later packets.
const SPARE: usize = 256;

/// What became of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// All bytes are in this row.
    Hit(u32),
    /// The load waits for a reply.
    Miss,
    /// No room to wait; nothing changed. Try again after a fill.
    Blocked,
}

/// Where the loads that a reply set free find their bytes.
#[derive(Clone, Debug)]
pub enum Filled {
    /// In this row; who reads it says so with [`FirstLevel::note_read`].
    Line(u32),
    /// Here, at their places in the 128-byte line. Give the box back with
    /// [`FirstLevel::give_back`].
    Packet {
        /// The line.
        bytes: Box<LineBytes>,
        /// Number under which ghosts differ in it; 0: they do not.
        flight: u32,
        /// No other load will ask for these bytes.
        over: bool,
    },
    /// The answer of an atomic; the token is its own.
    Atomic(Box<AtomicBatch>),
    /// A write was performed; the token is its own.
    Done,
    /// No load was set free.
    Nothing,
}

/// One first-level cache.
///
/// Lines are allocated when their bytes come, whatever the chip's `allocate`
/// says. The bytes of one access must lie in one line of the cache
/// ([`FirstLevel::line_bytes`]); bytes outside the line of the lowest are
/// ignored.
#[derive(Clone, Debug)]
pub struct FirstLevel {
    pub(crate) cache: Cache,
    pub(crate) misses: Misses,
    pub(crate) merge: u32,
    pub(crate) write: WritePolicy,
    pub(crate) write_local: WritePolicy,
    /// Stores may write lines and sectors that are not there.
    pub(crate) lazy: bool,
    pub(crate) port: Port,
    pub(crate) spare: Spares<LineBytes>,
    pub(crate) counters: FirstLevelCounters,
}

impl FirstLevel {
    /// An empty cache of a core; `port` comes back in replies.
    pub fn new(spec: &CacheSpec, kind: Kind, port: Port) -> FirstLevel {
        FirstLevel::with_instance(spec, kind, u32::from(port.core), port)
    }

    /// An empty cache; `instance` counts over the chip, where a core has several
    /// or several cores share one.
    pub fn with_instance(spec: &CacheSpec, kind: Kind, instance: u32, port: Port) -> FirstLevel {
        let (entries, merge) = spec.mshr_limits();
        FirstLevel {
            cache: Cache::new(spec, kind, instance),
            misses: Misses::new(entries),
            merge,
            write: spec.write,
            write_local: spec.local_write(),
            lazy: spec.write_allocate != WriteAllocate::None,
            port,
            spare: Spares::new(SPARE),
            counters: FirstLevelCounters::default(),
        }
    }

    /// Its data array.
    pub(crate) fn array(&self) -> ArrayId {
        self.cache.id
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Its way into the memory system.
    pub fn port(&self) -> Port {
        self.port
    }

    /// Bytes of a line.
    pub fn line_bytes(&self) -> u32 {
        self.cache.line_bytes
    }

    /// What happened so far.
    pub fn counters(&self) -> &FirstLevelCounters {
        &self.counters
    }

    /// Whether no miss is outstanding.
    pub fn idle(&self) -> bool {
        self.misses.is_empty()
    }

    /// The bytes of a row, [`FirstLevel::line_bytes`] of them, and where they
    /// come from.
    #[inline]
    pub fn line(&self, row: u32) -> Sourced<'_> {
        self.cache.line(row)
    }

    /// Bytes of a row from an address on; those beyond the line are left alone.
    #[inline]
    pub fn read_bytes(&self, row: u32, addr: u64, out: &mut [u8]) {
        let line = self.cache.line(row).bytes;
        let at = (addr & u64::from(self.cache.line_bytes - 1)) as usize;
        for (to, from) in out.iter_mut().zip(&line[at..]) {
            *to = *from;
        }
    }

    /// Takes back a box from [`Filled::Packet`].
    #[inline]
    pub fn give_back(&mut self, packet: Box<LineBytes>) {
        self.spare.give(packet);
    }

    /// Shows the arrays; `path` is e.g. `sm3`.
    pub fn visit(&mut self, path: &str, v: &mut dyn Visitor) {
        self.cache.visit(path, v);
    }

    /// Address of the cache's line that holds the lowest of `bytes`, and the
    /// bytes within it.
    #[inline]
    fn within(&self, line: u64, bytes: u128) -> (u64, u128) {
        let size = self.cache.line_bytes;
        let bytes = if bytes == 0 { 1 } else { bytes };
        if u64::from(size) == LINE {
            return (line, bytes);
        }
        if size == 64 {
            let (low, high) = (bytes as u64, (bytes >> 64) as u64);
            return if low != 0 { (line, low.into()) } else { (line + 64, high.into()) };
        }
        self.within_short(line, bytes)
    }

    /// The same where lines are shorter than on almost all chips.
    #[inline(never)]
    fn within_short(&self, line: u64, bytes: u128) -> (u64, u128) {
        let size = self.cache.line_bytes;
        let at = bytes.trailing_zeros() & !(size - 1);
        (line + u64::from(at), bytes >> at & mask::span(0, u64::from(size)))
    }

    /// A load of `bytes` of a 128-byte line. `waiter` comes back from
    /// [`FirstLevel::fill`] after a miss. `bypass` loads ask the level below
    /// in any case and leave nothing here.
    #[allow(clippy::too_many_arguments)]
    pub fn read<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        bytes: u128,
        waiter: u32,
        bypass: bool,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> Read {
        let (line, bytes) = self.within(line, bytes);
        if P::ACTIVE {
            self.cache.tell_search(now, self.cache.set_of(line), line, p);
        }
        let found = self.cache.remembered(line);
        if found.line == line && !bypass && self.cache.finds_all(found, bytes) {
            return self.hit(now, found.row, bytes, p);
        }
        self.read_anew(now, line, bytes, waiter, bypass, out, p)
    }

    /// A load finds all its bytes in a row.
    #[inline]
    fn hit<P: Probe>(&mut self, now: u64, row: u32, bytes: u128, p: &mut P) -> Read {
        self.counters.reads += 1;
        self.counters.hits += 1;
        self.cache.tell(now, row, Access::Read, bytes, p);
        self.cache.touch(row);
        Read::Hit(row)
    }

    /// A load of bytes of a line of this cache that is not remembered.
    // Most loads hit what is: what they go through stays short.
    #[allow(clippy::too_many_arguments)]
    #[inline(never)]
    fn read_anew<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        bytes: u128,
        waiter: u32,
        bypass: bool,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> Read {
        let row = self.cache.look_up(line);
        if let Some(row) = row
            && !bypass
            && self.cache.has_all(row, bytes)
        {
            return self.hit(now, row, bytes, p);
        }
        self.missed(now, (line, row), bytes, waiter, bypass, out, p)
    }

    /// A load of bytes of a line of this cache that are not all in `row`, if there
    /// is one, or must not be taken from there.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn missed<P: Probe>(
        &mut self,
        now: u64,
        (line, row): (u64, Option<u32>),
        bytes: u128,
        waiter: u32,
        bypass: bool,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> Read {
        let readable = row.map_or(0, |r| self.cache.readable(r));
        let joined = if bypass { None } else { self.misses.find_open(line) };
        let room = match joined {
            Some(e) => self.misses.get_mut(e).is_some_and(|m| m.waiting < self.merge),
            None => !self.misses.is_full(),
        };
        if !room {
            self.counters.blocked += 1;
            return Read::Blocked;
        }
        self.counters.reads += 1;
        let wanted = self.cache.sectors_of(bytes);
        let needs = match bypass || readable == 0 {
            true => wanted,
            false => self.cache.sectors_of(bytes & !readable),
        };
        if bypass {
            // Later loads must not see what was asked for before.
            self.misses.part(line, wanted);
        }
        let entry = joined.unwrap_or_else(|| self.misses.add(line, !bypass));
        if let Some(row) = row.filter(|_| readable != 0) {
            self.set_aside(now, entry, row, bytes & readable & !self.cache.bytes_of(needs), p);
            // What is written here but not complete must be below before it is fetched.
            let state = self.cache.state(row);
            let partial = self.cache.sectors_of(state.written) & !state.valid;
            let gone = needs & (state.valid | partial);
            if gone != 0 {
                self.send_dirty(now, row, gone, out, p);
                self.cache.drop_sectors(now, row, gone, p);
            }
        }
        let Some(miss) = self.misses.get_mut(entry) else { return Read::Blocked };
        let fetch = needs & !miss.pending;
        miss.pending |= fetch;
        miss.claimed |= wanted;
        self.misses.wait(entry, waiter, needs, bytes);
        if fetch == 0 {
            self.counters.merged += 1;
        } else {
            self.counters.misses += 1;
            self.ask(line, fetch, entry, out);
        }
        Read::Miss
    }

    /// Fetches a line's bytes without a load that waits. False when there is
    /// no room; true also when there is nothing to fetch.
    pub fn prefetch<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        bytes: u128,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> bool {
        let (line, bytes) = self.within(line, bytes);
        let set = self.cache.set_of(line);
        self.cache.tell_search(now, set, line, p);
        let row = self.cache.find(set, line);
        let state = row.map_or_else(Default::default, |r| self.cache.state(r));
        let busy = state.valid | self.cache.sectors_of(state.written);
        let wanted = self.cache.sectors_of(bytes) & !busy;
        if wanted == 0 || self.misses.find_open(line).is_some() {
            return true;
        }
        if self.misses.is_full() {
            return false;
        }
        let entry = self.misses.add(line, true);
        if let Some(miss) = self.misses.get_mut(entry) {
            miss.pending = wanted;
        }
        self.counters.misses += 1;
        self.ask(line, wanted, entry, out);
        true
    }

    /// Keeps bytes that are here now for loads that wait for others.
    fn set_aside<P: Probe>(&mut self, now: u64, entry: u32, row: u32, bytes: u128, p: &mut P) {
        if bytes == 0 {
            return;
        }
        self.cache.tell(now, row, Access::Read, bytes, p);
        let spare = &mut self.spare;
        let Some(miss) = self.misses.get_mut(entry) else { return };
        let at = (miss.line % LINE) as usize;
        let buffer =
            miss.buffer.get_or_insert_with(|| spare.take().unwrap_or_else(|| Box::new([0; 128])));
        haunt::pick_up(&mut buffer[..], &mut miss.flight, at, self.cache.line(row), bytes, p);
    }

    /// A request for sectors of a line of this cache.
    #[inline]
    fn ask(&mut self, line: u64, sectors: u8, entry: u32, out: &mut Vec<Request>) {
        out.push(Request {
            port: self.port,
            token: entry,
            line: line & !(LINE - 1),
            sectors: self.cache.fine(sectors) << (line % LINE / 32),
            body: Body::Read,
            envelope: self.spare.take(),
            flight: 0,
            acknowledge: false,
        });
    }

    /// Sends what the level below does not have of some sectors.
    fn send_dirty<P: Probe>(
        &mut self,
        now: u64,
        row: u32,
        sectors: u8,
        out: &mut Vec<Request>,
        p: &mut P,
    ) {
        let bytes = self.cache.dirty_bytes(row, sectors);
        if bytes == 0 {
            return;
        }
        self.cache.tell(now, row, Access::WriteBack, bytes, p);
        self.counters.write_backs += 1;
        let addr = self.cache.address(row);
        let at = addr % LINE;
        let mut data = Box::new(WriteData { bytes: [0; 128], mask: bytes << at, flight: 0 });
        let WriteData { bytes: to, flight, .. } = &mut *data;
        haunt::pick_up(to, flight, at as usize, self.cache.line(row), bytes, p);
        self.send_write(addr & !(LINE - 1), data, None, out);
    }

    /// Sends bytes below; with a `token` it comes back when they are there.
    fn send_write(
        &self,
        line: u64,
        data: Box<WriteData>,
        token: Option<u32>,
        out: &mut Vec<Request>,
    ) {
        out.push(Request {
            port: self.port,
            token: token.unwrap_or(0),
            line,
            sectors: mask::sectors_of(data.mask),
            body: Body::Write(data),
            envelope: None,
            flight: 0,
            acknowledge: token.is_some(),
        });
    }

    /// A row for an address: the one that answers for it, or the next to leave.
    fn take_row<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> Option<u32> {
        let set = self.cache.set_of(line);
        self.cache.tell_search(now, set, line, p);
        if let Some(row) = self.cache.find(set, line) {
            self.cache.touch(row);
            return Some(row);
        }
        let row = self.cache.victim(set)?;
        if self.cache.present(row) {
            self.counters.evictions += 1;
            self.send_dirty(now, row, self.cache.all_sectors(), out, p);
            self.cache.drop_row(now, row, p);
        }
        self.cache.claim(now, row, line, p);
        Some(row)
    }

    /// A store to a 128-byte line. It never waits.
    pub fn write<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        data: Box<WriteData>,
        local: bool,
        out: &mut Vec<Request>,
        p: &mut P,
    ) {
        self.write_all(now, line, data, local, None, out, p);
    }

    /// Whether bytes of stores to global memory may be here alone, without the rest of
    /// their sectors.
    pub fn keeps_stores(&self) -> bool {
        self.lazy && !matches!(self.write, WritePolicy::ReadOnly | WritePolicy::WriteEvict)
    }

    /// A store to global memory whose `token` comes back ([`Filled::Done`])
    /// when it was performed below: as often as this says, once per line of the
    /// cache of which bytes go there.
    pub fn write_acknowledged<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        data: Box<WriteData>,
        token: u32,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> u32 {
        self.write_all(now, line, data, false, Some(token), out, p)
    }

    #[allow(clippy::too_many_arguments)]
    fn write_all<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        data: Box<WriteData>,
        local: bool,
        token: Option<u32>,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> u32 {
        self.counters.writes += 1;
        let mut data = data;
        let size = u64::from(self.cache.line_bytes);
        if size == LINE && data.mask != 0 {
            let kept = self.write_one(now, line, 0, data.mask, &data, local, out, p);
            data.mask &= !kept;
            if data.mask == 0 {
                haunt::end(p, data.flight);
                return 0;
            }
            self.send_write(line, data, token, out);
            return 1;
        }
        for (at, bytes) in mask::parts(size, data.mask) {
            let kept = self.write_one(now, line + at, at as u32, bytes, &data, local, out, p);
            data.mask &= !(kept << at);
        }
        if data.mask == 0 {
            haunt::end(p, data.flight);
            return 0;
        }
        // A packet keeps to one line of the cache, and so to one of L2.
        let mut packets = 1;
        let (first, bytes) = mask::parts(size, data.mask).next().unwrap_or((0, data.mask));
        let rest = data.mask & !(bytes << first);
        for (at, bytes) in mask::parts(size, rest) {
            let mut part = WriteData { bytes: data.bytes, mask: bytes << at, flight: 0 };
            haunt::collect(p, &mut part.flight, data.line().origin, 0, part.mask);
            self.send_write(line, Box::new(part), token, out);
            packets += 1;
        }
        data.mask &= !rest;
        self.send_write(line, data, token, out);
        packets
    }

    /// The part of a store in one line of the cache; gives back the bytes that
    /// need not go below.
    #[allow(clippy::too_many_arguments)]
    fn write_one<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        at: u32,
        bytes: u128,
        data: &WriteData,
        local: bool,
        out: &mut Vec<Request>,
        p: &mut P,
    ) -> u128 {
        let touched = self.cache.sectors_of(bytes);
        self.misses.part(line, touched);
        let from = data.line().skip(at as usize);
        let set = self.cache.set_of(line);
        self.cache.tell_search(now, set, line, p);
        let row = self.cache.find(set, line);
        match if local { self.write_local } else { self.write } {
            WritePolicy::ReadOnly | WritePolicy::WriteEvict => {
                if let Some(row) = row {
                    self.evict_sectors(now, row, touched, out, p);
                }
                0
            }
            WritePolicy::WriteThrough => {
                let row = if self.lazy { self.take_row(now, line, out, p) } else { row };
                if let Some(row) = row {
                    let here = if self.lazy { bytes } else { self.held(row, bytes) };
                    if here != 0 {
                        self.cache.touch(row);
                        self.cache.write(now, row, from, here, false, p);
                    }
                }
                0
            }
            WritePolicy::WriteBack => {
                let row = if self.lazy { self.take_row(now, line, out, p) } else { row };
                let Some(row) = row else { return 0 };
                let here = if self.lazy { bytes } else { self.held(row, bytes) };
                if here != 0 {
                    self.cache.touch(row);
                    self.cache.write(now, row, from, here, true, p);
                }
                here
            }
        }
    }

    /// The bytes that lie in valid sectors of a row.
    fn held(&self, row: u32, bytes: u128) -> u128 {
        bytes & self.cache.bytes_of(self.cache.state(row).valid)
    }

    fn evict_sectors<P: Probe>(
        &mut self,
        now: u64,
        row: u32,
        sectors: u8,
        out: &mut Vec<Request>,
        p: &mut P,
    ) {
        if self.cache.sectors_of(self.cache.readable(row)) & sectors != 0 {
            self.send_dirty(now, row, sectors, out, p);
            self.cache.drop_sectors(now, row, sectors, p);
        }
    }

    /// Lets an atomic pass: the sectors it touches leave, and it goes below.
    /// If it returns values, `token` comes back with them. Above an L2 with
    /// lines of 64 bytes its lanes must lie in one of them.
    pub fn atomic<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        batch: Box<AtomicBatch>,
        token: u32,
        out: &mut Vec<Request>,
        p: &mut P,
    ) {
        self.pass(now, line, batch, (token, false), out, p);
    }

    /// The same for one that returns nothing, but whose `token` comes back
    /// ([`Filled::Done`]) when it was performed.
    pub fn atomic_acknowledged<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        batch: Box<AtomicBatch>,
        token: u32,
        out: &mut Vec<Request>,
        p: &mut P,
    ) {
        let acknowledge = !batch.returns;
        self.pass(now, line, batch, (token, acknowledge), out, p);
    }

    fn pass<P: Probe>(
        &mut self,
        now: u64,
        line: u64,
        batch: Box<AtomicBatch>,
        (token, acknowledge): (u32, bool),
        out: &mut Vec<Request>,
        p: &mut P,
    ) {
        self.counters.atomics += 1;
        let bytes = batch
            .lanes
            .iter()
            .fold(0, |all, lane| all | mask::span(u64::from(lane.offset), u64::from(batch.width)));
        for (at, part) in mask::parts(u64::from(self.cache.line_bytes), bytes) {
            let own = line + at;
            let touched = self.cache.sectors_of(part);
            self.misses.part(own, touched);
            let set = self.cache.set_of(own);
            self.cache.tell_search(now, set, own, p);
            if let Some(row) = self.cache.find(set, own) {
                self.evict_sectors(now, row, touched, out, p);
            }
        }
        out.push(Request {
            port: self.port,
            token,
            line,
            sectors: mask::sectors_of(bytes),
            body: Body::Atomic(batch),
            envelope: None,
            flight: 0,
            acknowledge,
        });
    }

    /// Takes a reply. The tokens of loads that have all their bytes now are
    /// added to `waiters`, in the order of the loads.
    pub fn fill<P: Probe>(
        &mut self,
        now: u64,
        reply: Reply,
        out: &mut Vec<Request>,
        waiters: &mut Vec<u32>,
        p: &mut P,
    ) -> Filled {
        let packet = match reply.body {
            ReplyBody::Data(packet) => packet,
            ReplyBody::Atomic(batch) => {
                waiters.push(reply.token);
                return Filled::Atomic(batch);
            }
            ReplyBody::Done => {
                waiters.push(reply.token);
                return Filled::Done;
            }
        };
        let Some(miss) = self.misses.get_mut(reply.token) else { return Filled::Nothing };
        let line = miss.line;
        let at = (line % LINE) as usize;
        let arrived = self.cache.coarse(reply.sectors >> (at / 32) & 15);
        miss.pending &= !arrived;
        let keep = arrived & miss.keep;
        let row = if keep == 0 { None } else { self.take_row(now, line, out, p) };
        if let Some(row) = row {
            let from = Sourced { bytes: &packet[..], origin: Origin::flight(reply.flight, 0) };
            self.cache.fill(now, row, from.skip(at), keep, p);
            self.counters.fills += 1;
        }
        // All bytes of the loads so far are in the packet, whatever the line does.
        let Some(miss) = self.misses.get_mut(reply.token) else { return Filled::Nothing };
        let (mut packet, mut flight) = (packet, reply.flight);
        if let Some(buffer) = miss.buffer.take() {
            (packet, flight) = self.join(reply.token, (packet, flight), reply.sectors, buffer, p);
        }
        let before = waiters.len();
        let bytes = self.misses.release(reply.token, waiters);
        let released = waiters.len() > before;
        let Some(miss) = self.misses.get_mut(reply.token) else { return Filled::Nothing };
        // Not from the line if a later store has changed it there.
        let fresh = miss.keep;
        let row = row.filter(|row| {
            self.cache.has_all(*row, bytes) && self.cache.sectors_of(bytes) & !fresh == 0
        });
        let over = miss.pending == 0 && miss.waiting == 0;
        if !over {
            miss.flight = flight;
            let bytes = if released && row.is_none() { Some(packet.clone()) } else { None };
            miss.buffer = Some(packet);
            return match (row.filter(|_| released), bytes) {
                (Some(row), _) => Filled::Line(row),
                (None, Some(bytes)) => Filled::Packet { bytes, flight, over },
                (None, None) => Filled::Nothing,
            };
        }
        self.misses.remove(reply.token);
        if released && row.is_none() {
            return Filled::Packet { bytes: packet, flight, over };
        }
        haunt::end(p, flight);
        self.give_back(packet);
        match row.filter(|_| released) {
            Some(row) => Filled::Line(row),
            None => Filled::Nothing,
        }
    }

    /// What a reply brings joins what came before, or was read.
    #[inline(never)]
    fn join<P: Probe>(
        &mut self,
        entry: u32,
        (packet, flight): (Box<LineBytes>, u32),
        sectors: u8,
        buffer: Box<LineBytes>,
        p: &mut P,
    ) -> (Box<LineBytes>, u32) {
        let mut buffer = buffer;
        mask::copy_sectors(&mut buffer[..], &packet[..], sectors);
        self.spare.give(packet);
        let Some(miss) = self.misses.get_mut(entry) else { return (buffer, flight) };
        haunt::join(p, &mut miss.flight, flight, mask::bytes_of(sectors));
        (buffer, miss.flight)
    }

    /// Tells of bytes of a 128-byte line that are read from a row outside
    /// [`FirstLevel::read`]: after a fill, or more than was asked for.
    pub fn note_read<P: Probe>(&self, now: u64, row: u32, line: u64, bytes: u128, p: &mut P) {
        if P::ACTIVE {
            let (_, bytes) = self.within(line, bytes);
            self.cache.tell(now, row, Access::Read, bytes, p);
        }
    }

    /// Drops all lines; bytes that the level below lacks are sent there.
    pub fn invalidate_all<P: Probe>(&mut self, now: u64, out: &mut Vec<Request>, p: &mut P) {
        self.misses.forget(|_| true);
        for row in 0..self.cache.rows() {
            self.cache.tell_line(now, row, LineFact::Emptying, p);
            self.invalidate(now, row, out, p);
        }
    }

    /// Drops the lines that were written below.
    pub fn drop_stale<P: Probe>(
        &mut self,
        now: u64,
        stale: &Written,
        out: &mut Vec<Request>,
        p: &mut P,
    ) {
        if stale.is_empty() {
            return;
        }
        self.misses.forget(|line| stale.is_set(line));
        if !P::ACTIVE {
            let mut from = 0;
            while let Some(row) = self.cache.next_among(from, |addr| stale.is_set(addr)) {
                self.invalidate(now, row, out, p);
                from = row + 1;
            }
            return;
        }
        for row in 0..self.cache.rows() {
            self.cache.tell_stale(now, row, |addr| stale.is_set(addr), p);
            if self.cache.present(row) && stale.is_set(self.cache.address(row)) {
                self.invalidate(now, row, out, p);
            }
        }
    }

    /// Drops lines of which nobody wants a byte any more, written or not.
    pub fn drop_dead<P: Probe>(&mut self, now: u64, dead: Range<u64>, p: &mut P) {
        self.misses.forget(|line| dead.contains(&line));
        for row in 0..self.cache.rows() {
            self.cache.tell_stale(now, row, |addr| dead.contains(&addr), p);
            if self.cache.present(row) && dead.contains(&self.cache.address(row)) {
                self.cache.drop_row(now, row, p);
            }
        }
    }

    fn invalidate<P: Probe>(&mut self, now: u64, row: u32, out: &mut Vec<Request>, p: &mut P) {
        if self.cache.present(row) {
            self.send_dirty(now, row, self.cache.all_sectors(), out, p);
            self.cache.drop_row(now, row, p);
        }
    }
}
