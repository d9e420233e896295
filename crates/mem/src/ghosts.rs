//! What caches and memory know of ghosts: who differs in what is read, and how
//! a run becomes one of them.

use upset_state::ghosts::Delta;
use upset_state::words::{WORDS, Words, apply_words, byte_mask};
use upset_state::{Ghosts, Origin, Place, Probe};

use crate::first_level::FirstLevel;
use crate::packet::{AtomicBatch, Body};
use crate::system::MemorySystem;
use crate::{LINE, haunt, mask};

impl MemorySystem {
    /// What is read of a line past the first-level caches, for each line of L2:
    /// of its row, if it has one, and of memory. With where L2's line begins,
    /// and the bytes within it.
    fn origins(&self, line: u64, bytes: u128) -> impl Iterator<Item = (Origin, u32, u128)> {
        mask::parts(self.l2_line, bytes).flat_map(move |(at, bytes)| {
            let place = self.map.place(line + at);
            let cache = &self.slices[place.slice as usize].cache;
            let row = cache.find(cache.set_of(self.map.in_slice(place.rest)), line + at);
            let here = row.map_or(0, |row| cache.readable(row));
            let at = at as u32;
            let memory = Origin::at(Place::memory(line), at / 4);
            let l2 = row.map_or(Origin::ALIKE, |row| cache.line(row).origin);
            [(l2, at, bytes & here), (memory, at, bytes & !here)]
        })
    }

    /// Takes the differences in bytes of a line along in a packet.
    pub(crate) fn gather_ghosts<P: Probe>(
        &self,
        line: u64,
        bytes: u128,
        flight: &mut u32,
        p: &mut P,
    ) {
        if P::GHOSTS {
            for (origin, at, bytes) in self.origins(line, bytes) {
                haunt::collect(p, flight, origin, at / 4, bytes);
            }
        }
    }

    /// The ghosts that differ in what the host would read.
    pub fn ghosts_in<P: Probe>(&self, addr: u64, len: u64, p: &mut P) -> Vec<u32> {
        let Some(g) = p.ghosts() else { return Vec::new() };
        let mut who = Vec::new();
        let mut line = addr & !(LINE - 1);
        while line < addr.saturating_add(len) {
            let from = addr.max(line) - line;
            let to = (addr + len - line).min(LINE);
            for (origin, _, bytes) in self.origins(line, mask::span(from, to - from)) {
                let mask = byte_mask(bytes);
                let differs = |d: &Delta| d.words.iter().zip(&mask).any(|(w, m)| w & m != 0);
                who.extend(g.at_origin(origin).iter().filter(|d| differs(d)).map(|d| d.ghost));
            }
            line += LINE;
        }
        who
    }

    /// The host has copied bytes of memory and carries them from `host` on:
    /// differences go along. Both begin at the same place of a line.
    pub fn carry_ghosts<P: Probe>(&self, addr: u64, len: u64, host: u64, p: &mut P) {
        let Some(g) = p.ghosts().filter(|g| !g.is_calm()) else { return };
        let mut line = addr & !(LINE - 1);
        let mut to = Place::host(host);
        let mut done = 0;
        while line < addr.saturating_add(len) {
            let from = addr.max(line) - line;
            let part = (addr + len - line).min(LINE) - from;
            for (origin, at, bytes) in self.origins(line, mask::span(from, part)) {
                let mask = haunt::moved(&byte_mask(bytes), at / 4);
                for Delta { ghost, words } in g.at_origin(origin) {
                    let words = haunt::moved(&words, at / 4);
                    if words.iter().zip(&mask).any(|(w, m)| w & m != 0) {
                        g.mark_used(ghost);
                        g.merge(to, ghost, &mask, &words);
                    }
                }
            }
            done += part;
            to = Place::host(host + done);
            line += LINE;
        }
    }

    /// Address of a byte of a memory array.
    pub fn address_of(&self, array: upset_state::ArrayId, byte: u64) -> Option<u64> {
        self.backing.address(array, byte)
    }

    /// Gives a ghost's difference to the bytes of memory it belongs to.
    pub fn become_ghost(&mut self, line: u64, words: &Words) {
        if let Some((bytes, ..)) = self.backing.line(line) {
            apply_words(words, bytes);
        }
    }

    /// Gives a ghost's differences to all packets under way.
    pub fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        for packet in &mut self.packets {
            let request = &mut packet.request;
            match &mut request.body {
                Body::Write(data) => in_flight(ghosts, ghost, data.flight, &mut data.bytes),
                Body::Atomic(batch) if batch.flight != 0 => become_in_batch(ghosts, ghost, batch),
                Body::Atomic(_) | Body::Read => {}
            }
            if let Some(bytes) = &mut request.envelope {
                in_flight(ghosts, ghost, request.flight, &mut bytes[..]);
            }
        }
    }
}

fn in_flight(ghosts: &Ghosts, ghost: u32, id: u32, bytes: &mut [u8]) {
    if id != 0
        && let Some(words) = ghosts.of_ghost(Place::flight(id, 0), ghost)
    {
        apply_words(words, bytes);
    }
}

fn become_in_batch(ghosts: &Ghosts, ghost: u32, batch: &mut AtomicBatch) {
    let row = |r: u32| ghosts.of_ghost(Place::flight(batch.flight, r), ghost).copied();
    let rows: [Words; 6] = std::array::from_fn(|r| row(r as u32).unwrap_or([0; WORDS]));
    for (i, lane) in batch.lanes.iter_mut().enumerate().take(WORDS) {
        let pair = |r: usize| u64::from(rows[r][i]) | u64::from(rows[r + 1][i]) << 32;
        lane.b ^= pair(0);
        lane.c ^= pair(2);
        lane.old ^= pair(4);
    }
}

impl FirstLevel {
    /// Gives a ghost's differences to what its misses have gathered.
    pub fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        for miss in self.misses.entries_mut() {
            if let Some(bytes) = &mut miss.buffer {
                in_flight(ghosts, ghost, miss.flight, &mut bytes[..]);
            }
        }
    }
}
