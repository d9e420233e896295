//! What caches and memory know of ghosts: who differs in what is read, and how
//! a run becomes one of them.

use upset_state::ghosts::{WORDS, Words, apply_words, byte_mask};
use upset_state::{Ghosts, Place, Probe};

use crate::LINE;
use crate::first_level::FirstLevel;
use crate::packet::{AtomicBatch, Body};
use crate::system::MemorySystem;

impl MemorySystem {
    /// Notes the ghosts that differ in bytes of a line as read past the
    /// first-level caches.
    pub(crate) fn note_ghosts<P: Probe>(&self, line: u64, bytes: u128, p: &mut P) {
        let Some(g) = p.ghosts().filter(|g| !g.is_calm()) else { return };
        let place = self.map.place(line);
        let slice = &self.slices[place.slice as usize];
        let set = slice.cache.set_of(self.map.in_slice(place.rest));
        let row = slice.cache.find(set, line);
        let here = row.map_or(0, |row| slice.cache.readable(row));
        let mut noted = Vec::new();
        let mut note = |g: &Ghosts, place: Place, mask: Words| {
            for delta in g.at(place) {
                for (i, (w, m)) in delta.words.iter().zip(&mask).enumerate() {
                    if w & m != 0 {
                        noted.push((delta.ghost, line + 4 * i as u64, w & m));
                    }
                }
            }
        };
        note(g, Place::memory(line), byte_mask(bytes & !here));
        if let Some(row) = row {
            note(g, slice.cache.place(row), byte_mask(bytes & here));
        }
        g.noted.append(&mut noted);
    }

    /// Notes the ghosts that differ in what the host would read.
    pub fn note_ghosts_of<P: Probe>(&self, addr: u64, len: u64, p: &mut P) {
        let mut line = addr & !(LINE - 1);
        while line < addr.saturating_add(len) {
            let from = addr.max(line) - line;
            let to = (addr + len - line).min(LINE);
            self.note_ghosts(line, crate::mask::span(from, to - from), p);
            line += LINE;
        }
    }

    /// Address of a byte of a memory array.
    pub fn address_of(&self, array: upset_state::ArrayId, byte: u64) -> Option<u64> {
        self.backing.address(array, byte)
    }

    /// Gives a ghost's difference to the bytes it belongs to: of an L2 line
    /// or of memory.
    pub fn become_ghost(&mut self, cache: Option<(u32, u32)>, line: u64, words: &Words) {
        match cache {
            Some((slice, row)) => {
                if let Some(slice) = self.slices.get_mut(slice as usize) {
                    let size = slice.cache.line_bytes as usize;
                    let at = row as usize * size;
                    if let Some(bytes) = slice.cache.data_mut().get_mut(at..at + size) {
                        apply_words(words, bytes);
                    }
                }
            }
            None => {
                if let Some((bytes, ..)) = self.backing.line(line) {
                    apply_words(words, bytes);
                }
            }
        }
    }

    /// Number of the cache in the slices.
    pub fn l2_number(&self) -> Option<u8> {
        match self.slices.first()?.cache.id.kind {
            upset_state::Kind::Cache(n) => Some(n),
            _ => None,
        }
    }

    /// The same for all packets under way.
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
    /// Gives a ghost's difference to the bytes of a line.
    pub fn become_ghost(&mut self, row: u32, words: &Words) {
        let (cache, _) = self.haunted_parts();
        let size = cache.line_bytes as usize;
        let at = row as usize * size;
        if let Some(bytes) = cache.data_mut().get_mut(at..at + size) {
            apply_words(words, bytes);
        }
    }

    /// The same for what its misses have gathered.
    pub fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        let (_, misses) = self.haunted_parts();
        for miss in misses.entries_mut() {
            if let Some(bytes) = &mut miss.buffer {
                in_flight(ghosts, ghost, miss.flight, &mut bytes[..]);
            }
        }
    }

    /// Number of this cache in the chip's list.
    pub fn number(&self) -> Option<u8> {
        match self.array().kind {
            upset_state::Kind::Cache(n) => Some(n),
            _ => None,
        }
    }
}
