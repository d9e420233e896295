//! Digests of the hierarchy's state: equal digests, equal future.
//!
//! Every structure is taken apart field by field, so that a new field does not
//! compile until somebody has said here whether it can be seen. Numbers of
//! pool entries, free lists, spare boxes and statistics cannot; times count
//! from now on, ages by their order; bytes that no valid bit covers are not
//! there. A line is known by its age in its set, not by its way.

use upset_state::Digest;

use crate::backing::{Backing, Range, Segment};
use crate::cache::Cache;
use crate::clock::Clock;
use crate::dram::{Bank, Channel, Job, Offer, Waiting};
use crate::first_level::FirstLevel;
use crate::line_state::Line;
use crate::mask;
use crate::misses::{Miss, Misses, Waiter};
use crate::packet::{AtomicBatch, Body, LaneOp, Port, Request, WriteData};
use crate::slice::{Fetch, NONE, Slice};
use crate::system::{Happening, MemorySystem, Packet};

/// Bytes of memory that are one part of the state.
const PIECE: usize = 1 << 20;

/// What a request's token means to the SM that sent it.
pub trait Tokens {
    /// A token as a number that does not depend on how the SM stores what waits:
    /// of a load, whose misses are the cache's, or the SM's own (`own`), of an
    /// atomic or of a write that is acknowledged.
    fn token(&self, port: Port, token: u32, own: bool) -> u64;
}

/// Takes in the bytes with ones in `which`.
fn masked(d: &mut Digest, bytes: &[u8], which: u128) {
    d.bytes(&which.to_le_bytes());
    if which == !0 {
        return d.bytes(bytes);
    }
    let mut copy = [0; 128];
    let n = bytes.len().min(128);
    mask::copy(&mut copy[..n], &bytes[..n], which);
    d.bytes(&copy[..n]);
}

impl Cache {
    /// Takes in lines and their order.
    pub(crate) fn digest(&self, d: &mut Digest) {
        let Cache {
            id: _,
            name: _,
            sets,
            ways,
            line_bytes: _,
            sectors: _,
            tag_bits: _,
            has_dirty: _,
            has_masks: _,
            line_shift: _,
            grain: _,
            tag_mask: _,
            fifo: _,
            index: _,
            lines,
            written: _,
            data: _,
            in_sets,
            known: _,
            newest: _,
            in_use: _,
            held: _,
            bytes_of: _,
            // Only counts.
            counted: _,
        } = self;
        let mut seen = Vec::new();
        for set in 0..*sets {
            let mut empty = 0u64;
            seen.clear();
            let by_age = in_sets.by_age(lines, set);
            for &row in &by_age {
                if !self.present(row) {
                    empty += 1;
                    continue;
                }
                // Where the empty ones are among the others decides what leaves.
                d.put(empty);
                empty = 0;
                // The others say how it is found, and when it leaves.
                let Line { tag, valid, dirty, reserved, .. } = lines[row as usize];
                seen.push(tag);
                d.put(tag);
                d.put(u64::from(valid) | u64::from(dirty) << 8 | u64::from(reserved) << 16);
                let state = self.state(row);
                d.bytes(&state.written.to_le_bytes());
                masked(d, self.line(row).bytes, self.readable(row));
            }
            d.put(!empty);
            // With one tag twice, the lowest way answers.
            seen.sort_unstable();
            if seen.windows(2).any(|w| w[0] == w[1]) {
                by_age.iter().for_each(|row| d.put(row % ways));
            }
        }
    }

    /// Place of a row in the order of its set.
    fn age(&self, row: u32) -> u64 {
        let place =
            self.in_sets.by_age(&self.lines, row / self.ways).iter().position(|r| *r == row);
        place.map_or(u64::MAX, |p| p as u64)
    }
}

impl Misses {
    /// Number of a miss that does not depend on where it is stored: of its
    /// line's chain, newest first.
    fn place(&self, entry: u32) -> u64 {
        let Some(miss) = self.entries.get(entry as usize) else { return u64::MAX };
        let bucket = self.bucket(miss.line);
        let (mut at, mut place) = (self.heads[bucket], 0);
        while at != entry && at != crate::misses::NONE {
            at = self.entries[at as usize].chain;
            place += 1;
        }
        (bucket as u64) << 32 | place
    }

    fn digest(&self, token: &dyn Fn(u32) -> u64, d: &mut Digest) {
        let Misses { limit: _, heads, shift: _, entries, free: _, used, waiters, free_waiter: _ } =
            self;
        d.count(*used);
        for (bucket, &head) in heads.iter().enumerate() {
            let mut at = head;
            while let Some(miss) = entries.get(at as usize) {
                let Miss {
                    line,
                    pending,
                    claimed,
                    keep,
                    open,
                    waiting,
                    buffer,
                    // Whoever is compared has no ghosts.
                    flight: _,
                    first,
                    last: _,
                    chain,
                } = miss;
                d.count(bucket);
                d.put(*line);
                d.value(&(pending, claimed, keep, open, waiting));
                let mut read = 0;
                let mut waiter = *first;
                while let Some(Waiter { token: t, needs, bytes, next }) =
                    waiters.get(waiter as usize)
                {
                    d.put(token(*t));
                    d.put(*needs);
                    d.bytes(&bytes.to_le_bytes());
                    read |= *bytes;
                    waiter = *next;
                }
                if let Some(buffer) = buffer {
                    let from = (line % crate::LINE) as usize;
                    masked(d, &buffer[from..], read);
                }
                at = *chain;
            }
        }
    }
}

impl FirstLevel {
    /// Takes in lines and misses. `token` numbers those that wait.
    pub fn digest(&self, token: &dyn Fn(u32) -> u64, d: &mut Digest) {
        let FirstLevel {
            cache,
            misses,
            merge: _,
            write: _,
            write_local: _,
            lazy: _,
            port: _,
            spare: _,
            counters: _,
        } = self;
        cache.digest(d);
        misses.digest(token, d);
    }

    /// A number for a miss that does not depend on where it is stored.
    pub fn miss(&self, entry: u32) -> u64 {
        self.misses.place(entry)
    }
}

impl Channel {
    fn digest(&self, clock: Clock, now: u64, fetch: &dyn Fn(u32, u32) -> u64, d: &mut Digest) {
        let Channel {
            t: _,
            banks,
            offers,
            jobs,
            free: _,
            seen,
            limit: _,
            backlog,
            age: _,
            groups,
            activate_ok,
            column_ok,
            read_ok,
            write_ok,
            next,
            next_bank,
            event_at,
            row_hits: _,
        } = self;
        let over = clock.over(now);
        let mut ages: Vec<u64> = Vec::new();
        let mut list = |first: u32| {
            let mut at = first;
            while let Some(w) = jobs.get(at as usize) {
                ages.push(w.age);
                at = w.next;
            }
        };
        for bank in banks {
            list(bank.first);
        }
        let prepared = banks.iter().filter_map(|b| jobs.get(b.prepared as usize));
        ages.extend(prepared.map(|w| w.age));
        ages.sort_unstable();
        let rank = |age: u64| ages.partition_point(|a| *a < age) as u64;
        let job = |d: &mut Digest, j: &Job| {
            let Job { bank, row, write, sectors, slice, entry } = *j;
            d.value(&(bank, row, write, sectors, slice));
            d.put(fetch(slice, entry));
        };
        for bank in banks {
            let Bank {
                first,
                last: _,
                prepared,
                row,
                activate_ok,
                precharge_ok,
                column_ok,
                group: _,
            } = bank;
            let mut at = *first;
            while let Some(Waiting { job: j, age, next }) = jobs.get(at as usize) {
                job(d, j);
                d.put(rank(*age));
                at = *next;
            }
            d.put(u64::MAX);
            if let Some(Waiting { job: j, age, next: _ }) = jobs.get(*prepared as usize) {
                job(d, j);
                d.put(rank(*age));
            }
            d.put(*row);
            [activate_ok, precharge_ok, column_ok].iter().for_each(|t| d.time(over, **t));
        }
        for Offer { ready, age, write, group } in offers {
            d.time(over, *ready);
            d.put(if *ready == u64::MAX { 0 } else { rank(*age) });
            d.value(&(write, group));
        }
        d.count(*seen);
        backlog.iter().for_each(|j| job(d, j));
        groups.iter().for_each(|t| d.time(over, *t));
        [activate_ok, column_ok, read_ok, write_ok].iter().for_each(|t| d.time(over, **t));
        d.time(over, next.0);
        if next.0 != u64::MAX {
            d.put(rank(next.1));
            d.count(*next_bank);
        }
        d.time(now, *event_at);
    }
}

impl Slice {
    fn line_of(&self, entry: u32) -> u64 {
        self.fetches.get(entry as usize).map_or(u64::MAX, |f| f.line)
    }
}

impl MemorySystem {
    /// Begins a launch: with nothing under way, all clocks start anew, and what
    /// DRAM has still to write is planned by them.
    pub fn restart_clocks(&mut self, now: u64) {
        if !self.idle() {
            return;
        }
        let crossbar = self.crossbar.restart(now);
        let l2 = self.l2.restart(now);
        let dram = self.dram.restart(now);
        let moved = |t: &mut u64, by: u64| *t = t.saturating_sub(by);
        self.inject_free.iter_mut().for_each(|t| moved(t, crossbar));
        self.eject_free.iter_mut().for_each(|t| moved(t, crossbar));
        for slice in &mut self.slices {
            moved(&mut slice.port_free, l2);
            moved(&mut slice.out_free, crossbar);
        }
        // Without packets there is nothing else in the wheel.
        self.wheel = crate::Wheel::new();
        for index in 0..self.channels.len() {
            self.channels[index].rebase(dram);
            self.channels[index].event_at = u64::MAX;
            self.await_channel(now, index);
        }
    }

    /// Parts that the state below the SMs is divided into: what is under way,
    /// each slice, each piece of memory.
    pub fn parts(&self) -> usize {
        1 + self.slices.len() + self.backing.pieces().count()
    }

    /// The part that a slice is.
    pub fn part_of_slice(&self, slice: u32) -> usize {
        1 + slice as usize
    }

    /// Takes in one part of the state at the beginning of cycle `now`.
    pub fn digest(&self, part: usize, now: u64, tokens: &dyn Tokens, d: &mut Digest) {
        match part.checked_sub(1) {
            None => self.digest_flow(now, tokens, d),
            Some(s) if s < self.slices.len() => self.slices[s].cache.digest(d),
            Some(n) => {
                if let Some(piece) = self.backing.pieces().nth(n - self.slices.len()) {
                    d.bytes(piece);
                }
            }
        }
    }

    fn digest_flow(&self, now: u64, tokens: &dyn Tokens, d: &mut Digest) {
        let MemorySystem {
            wheel,
            packets: _,
            unused: _,
            under_way,
            slices,
            channels,
            backing,
            map: _,
            crossbar,
            l2,
            dram,
            rop_latency: _,
            l2_latency: _,
            dram_latency: _,
            l2_line: _,
            port_ticks: _,
            flits: _,
            reply_flits: _,
            copies_fill_l2: _,
            copies_fill_most: _,
            ports: _,
            inject_free,
            eject_free,
            outstanding,
            // Only tells what the last cycle did.
            drained: _,
            stale,
            counters: _,
            host_narrow: _,
            spare_writes: _,
            // Empty between cycles.
            ahead: _,
        } = self;
        [crossbar, l2, dram].iter().for_each(|c| d.put(c.phase(now)));
        let fetch = |slice: u32, entry: u32| match slices.get(slice as usize) {
            Some(s) => s.line_of(entry),
            None => u64::MAX,
        };
        d.count(wheel.len());
        wheel.each(|at, due| {
            d.time(now, at);
            match due.what() {
                Happening::Arrive(id) => self.digest_packet(0, id, tokens, d),
                Happening::Serve(slice) => d.value(&(1u8, slice)),
                Happening::Head(id) => self.digest_packet(2, id, tokens, d),
                Happening::Deliver(id) => self.digest_packet(3, id, tokens, d),
                Happening::Issue(channel) => d.value(&(4u8, channel)),
                Happening::Fill { slice, entry, sectors } => {
                    d.value(&(5u8, slice, fetch(slice, entry), sectors));
                }
            }
        });
        d.count(*under_way);
        for slice in slices {
            self.digest_slice(slice, now, tokens, d);
        }
        channels.iter().for_each(|c| c.digest(*dram, now, &fetch, d));
        let over = crossbar.over(now);
        inject_free.iter().chain(eject_free).for_each(|t| d.time(over, *t));
        d.value(outstanding);
        stale.digest(d);
        let Backing { global, ranges, moved: _ } = backing;
        global.digest(d);
        for Range { kind, base, bytes } in ranges {
            d.put(match kind {
                Segment::Code => 0u64,
                Segment::Constant => 1,
                Segment::Local => 2,
            });
            d.put(*base);
            d.count(bytes.len());
        }
    }

    fn digest_slice(&self, slice: &Slice, now: u64, tokens: &dyn Tokens, d: &mut Digest) {
        let Slice {
            // A part of its own.
            cache,
            write: _,
            write_allocate: _,
            queue,
            port_free,
            out_free,
            blocked,
            awaited,
            merge: _,
            limit: _,
            heads,
            shift: _,
            fetches,
            free: _,
            used,
        } = slice;
        d.count(queue.len());
        queue.iter().for_each(|&id| self.digest_packet(6, id, tokens, d));
        d.time(self.l2.over(now), *port_free);
        d.time(self.crossbar.over(now), *out_free);
        d.value(&(blocked, awaited));
        d.count(*used);
        if *used == 0 {
            return;
        }
        for &head in heads {
            let mut at = head;
            while let Some(fetch) = fetches.get(at as usize) {
                let Fetch { line, row, pending, claimed, arrived, waiting, first, last: _, chain } =
                    fetch;
                d.put(*line);
                d.put(cache.age(*row));
                d.value(&(pending, claimed, arrived, waiting));
                let mut id = *first;
                while id != NONE {
                    self.digest_packet(7, id, tokens, d);
                    id = self.packets[id as usize].next;
                }
                at = *chain;
            }
        }
    }

    /// A packet, and where it is: `place` 2 and 3 are replies.
    fn digest_packet(&self, place: u8, id: u32, tokens: &dyn Tokens, d: &mut Digest) {
        let Packet { request, slice: _, set: _, at: _, next: _ } = &self.packets[id as usize];
        let Request { port, token, line, sectors, body, envelope, flight: _, acknowledge } =
            request;
        let Port { core, client } = port;
        d.value(&(place, core, client, line, sectors));
        if *acknowledge {
            d.put(tokens.token(*port, *token, true));
        }
        match body {
            // What is left of a write that was performed.
            Body::Read if *acknowledge => {}
            Body::Read => {
                d.put(tokens.token(*port, *token, false));
                if let (2 | 3, Some(envelope)) = (place, envelope) {
                    masked(d, &envelope[..], mask::bytes_of(*sectors));
                }
            }
            Body::Write(data) => {
                let WriteData { bytes, mask, flight: _ } = &**data;
                masked(d, bytes, *mask);
            }
            Body::Atomic(batch) => {
                // The function follows from the code.
                let AtomicBatch { width, code, apply: _, lanes, returns, flight: _ } = &**batch;
                d.value(&(width, code, returns));
                for LaneOp { lane, offset, b, c, old } in lanes {
                    d.value(&(lane, offset, b, c, old));
                }
                if *returns {
                    d.put(tokens.token(*port, *token, true));
                }
            }
        }
    }
}

impl Backing {
    /// All memory, cut into pieces.
    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let ranges = self.ranges.iter().map(|r| r.bytes.as_slice());
        std::iter::once(self.global.storage()).chain(ranges).flat_map(|bytes| bytes.chunks(PIECE))
    }
}
