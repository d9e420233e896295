//! One L2 slice: lines, packets that wait, outstanding fetches.

use std::collections::VecDeque;

use upset_chip::{
    CacheSpec, ChipSpec, Per, Replacement, SetHash, Space, WriteAllocate, WritePolicy,
};
use upset_state::Kind;

use crate::cache::Cache;
use crate::{LINE, SECTOR};

pub(crate) const NONE: u32 = u32::MAX;

/// A line with fetches under way. Packets that touch a sector that is being
/// fetched, or one that an earlier packet waits for, wait here in the order
/// of their arrival. Sectors are those of the cache.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    pub(crate) line: u64,
    pub(crate) row: u32,
    /// Asked for and not here.
    pub(crate) pending: u8,
    /// Pending, or wanted by a packet that waits.
    pub(crate) claimed: u8,
    /// Came since the first request: readable, whatever the valid bits say,
    /// so that a stuck bit cannot make a packet wait for ever.
    pub(crate) arrived: u8,
    pub(crate) waiting: u32,
    /// Packets.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) chain: u32,
}

/// What a slice has of a line: a fetch under way, and its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Searched {
    pub(crate) fetch: Option<u32>,
    pub(crate) row: Option<u32>,
}

/// A slice.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    pub(crate) cache: Cache,
    pub(crate) write: WritePolicy,
    pub(crate) write_allocate: WriteAllocate,
    /// Packets that reached the slice and were not served.
    pub(crate) queue: VecDeque<u32>,
    /// L2 tick from which the data port is free.
    pub(crate) port_free: u64,
    /// Crossbar tick from which the way out is free.
    pub(crate) out_free: u64,
    /// The first packet waits for a fetch to end.
    pub(crate) blocked: bool,
    /// An event will look at the queue.
    pub(crate) awaited: bool,
    pub(crate) merge: u32,
    pub(crate) limit: usize,
    pub(crate) heads: Vec<u32>,
    pub(crate) shift: u32,
    pub(crate) fetches: Vec<Fetch>,
    pub(crate) free: u32,
    pub(crate) used: usize,
}

impl Slice {
    /// All slices of a chip.
    pub(crate) fn all(spec: &CacheSpec, kind: Kind, count: u32) -> Vec<Slice> {
        let mut slices: Vec<Slice> = (0..count).map(|i| Slice::new(spec, kind, i)).collect();
        if let Some((first, others)) = slices.split_first_mut() {
            others.iter_mut().for_each(|other| other.cache.share_index(&first.cache));
        }
        slices
    }

    fn new(spec: &CacheSpec, kind: Kind, number: u32) -> Slice {
        let (entries, merge) = spec.mshr_limits();
        // Reservations of a row are counted in 16 bits, which chip files know.
        let limit = entries.min(60_000) as usize;
        let size = (limit * 2).next_power_of_two();
        Slice {
            cache: Cache::new(spec, kind, number),
            write: spec.write,
            write_allocate: spec.write_allocate,
            queue: VecDeque::new(),
            port_free: 0,
            out_free: 0,
            blocked: false,
            awaited: false,
            merge,
            limit,
            heads: vec![NONE; size],
            shift: 64 - size.ilog2(),
            fetches: Vec::new(),
            free: NONE,
            used: 0,
        }
    }

    #[inline]
    fn bucket(&self, line: u64) -> usize {
        ((line >> self.cache.line_shift).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    pub(crate) fn is_full(&self) -> bool {
        self.used >= self.limit
    }

    #[inline]
    pub(crate) fn find(&self, line: u64) -> Option<u32> {
        if self.used == 0 {
            return None;
        }
        let mut at = self.heads[self.bucket(line)];
        while at != NONE {
            let fetch = &self.fetches[at as usize];
            if fetch.line == line {
                return Some(at);
            }
            at = fetch.chain;
        }
        None
    }

    /// What there is of a line of a set.
    #[inline(always)]
    pub(crate) fn search(&self, set: u32, line: u64) -> Searched {
        let fetch = self.find(line);
        let row = match fetch {
            Some(entry) => Some(self.fetches[entry as usize].row),
            None => self.cache.find_here(set, line),
        };
        Searched { fetch, row }
    }

    pub(crate) fn fetch(&mut self, entry: u32) -> &mut Fetch {
        &mut self.fetches[entry as usize]
    }

    /// A new fetch into a row; there must be room.
    pub(crate) fn add(&mut self, line: u64, row: u32) -> u32 {
        let bucket = self.bucket(line);
        let fetch = Fetch {
            line,
            row,
            pending: 0,
            claimed: 0,
            arrived: 0,
            waiting: 0,
            first: NONE,
            last: NONE,
            chain: self.heads[bucket],
        };
        let entry = if self.free == NONE {
            self.fetches.push(fetch);
            (self.fetches.len() - 1) as u32
        } else {
            let entry = self.free;
            self.free = self.fetches[entry as usize].chain;
            self.fetches[entry as usize] = fetch;
            entry
        };
        self.heads[bucket] = entry;
        self.used += 1;
        self.cache.reserve(row);
        entry
    }

    /// Ends a fetch.
    pub(crate) fn remove(&mut self, entry: u32) {
        let Fetch { line, row, chain, .. } = self.fetches[entry as usize];
        let bucket = self.bucket(line);
        let mut at = self.heads[bucket];
        if at == entry {
            self.heads[bucket] = chain;
        } else {
            while at != NONE && self.fetches[at as usize].chain != entry {
                at = self.fetches[at as usize].chain;
            }
            if at != NONE {
                self.fetches[at as usize].chain = chain;
            }
        }
        self.fetches[entry as usize].chain = self.free;
        self.free = entry;
        self.used -= 1;
        self.cache.unreserve(row);
    }
}

/// The cache that sits in the slices, and its number in the chip's list.
pub(crate) fn l2_of(chip: &ChipSpec) -> (usize, CacheSpec) {
    match chip.caches.iter().enumerate().find(|(_, c)| c.per == Per::Slice) {
        Some((i, spec)) => (i, spec.clone()),
        None => (chip.caches.len(), buffer()),
    }
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
        write_allocate: WriteAllocate::None,
        set_hash: SetHash::Linear,
        mshr_entries: Some(16),
        mshr_merge: Some(64),
        port_bytes: Some(SECTOR as u32),
        banks: None,
        latency: 1,
        tag_bits: 57,
        source: None,
    }
}
