//! Outstanding misses of a first-level cache.

use crate::packet::LineBytes;

pub(crate) const NONE: u32 = u32::MAX;

/// One line's miss: loads that wait, and what came so far. Sectors are those
/// of the cache.
#[derive(Clone, Debug)]
pub(crate) struct Miss {
    /// Address of the cache's line.
    pub(crate) line: u64,
    /// Sectors asked for and not here.
    pub(crate) pending: u8,
    /// Sectors that waiting loads want, here or not: a store to them parts
    /// earlier from later loads.
    pub(crate) claimed: u8,
    /// Sectors that the cache keeps when they come.
    pub(crate) keep: u8,
    /// Whether later loads may join.
    pub(crate) open: bool,
    pub(crate) waiting: u32,
    /// Bytes read so far, where not all come in one reply.
    pub(crate) buffer: Option<Box<LineBytes>>,
    /// Number under which ghosts differ in the buffer; 0: they do not.
    pub(crate) flight: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) chain: u32,
}

/// A load that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiter {
    pub(crate) token: u32,
    /// Sectors it still needs, if they are pending.
    pub(crate) needs: u8,
    /// Bytes it will read, within the cache's line.
    pub(crate) bytes: u128,
    pub(crate) next: u32,
}

/// All misses of a cache: a table hashed by line, in fixed order.
#[derive(Clone, Debug)]
pub(crate) struct Misses {
    pub(crate) limit: usize,
    pub(crate) heads: Vec<u32>,
    pub(crate) shift: u32,
    pub(crate) entries: Vec<Miss>,
    pub(crate) free: u32,
    pub(crate) used: usize,
    pub(crate) waiters: Vec<Waiter>,
    pub(crate) free_waiter: u32,
}

impl Misses {
    pub(crate) fn new(limit: u64) -> Misses {
        let limit = limit.clamp(1, 1 << 20) as usize;
        let size = (limit * 2).next_power_of_two().clamp(2, 1024);
        Misses {
            limit,
            heads: vec![NONE; size],
            shift: 64 - size.ilog2(),
            entries: Vec::new(),
            free: NONE,
            used: 0,
            waiters: Vec::new(),
            free_waiter: NONE,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.used >= self.limit
    }

    #[inline]
    pub(crate) fn bucket(&self, line: u64) -> usize {
        ((line >> 5).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// All of them, ended ones included.
    pub(crate) fn entries_mut(&mut self) -> &mut [Miss] {
        &mut self.entries
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, entry: u32) -> Option<&mut Miss> {
        self.entries.get_mut(entry as usize)
    }

    /// The miss of a line that loads may join.
    #[inline]
    pub(crate) fn find_open(&self, line: u64) -> Option<u32> {
        if self.used == 0 {
            return None;
        }
        let mut at = self.heads[self.bucket(line)];
        while at != NONE {
            let miss = &self.entries[at as usize];
            if miss.line == line && miss.open {
                return Some(at);
            }
            at = miss.chain;
        }
        None
    }

    /// A store or an atomic changes sectors of a line: later loads must ask
    /// anew, and what is under way must not be kept.
    #[inline]
    pub(crate) fn part(&mut self, line: u64, sectors: u8) {
        if self.used == 0 {
            return;
        }
        let mut at = self.heads[self.bucket(line)];
        while at != NONE {
            let miss = &mut self.entries[at as usize];
            if miss.line == line && sectors & (miss.pending | miss.claimed) != 0 {
                miss.open = false;
                miss.keep &= !sectors;
            }
            at = miss.chain;
        }
    }

    /// Nothing that is under way for lines that `which` names is kept.
    pub(crate) fn forget(&mut self, which: impl Fn(u64) -> bool) {
        for miss in self.entries.iter_mut().filter(|m| which(m.line)) {
            miss.open = false;
            miss.keep = 0;
        }
    }

    /// A new miss without requests; there must be room.
    #[inline(always)]
    pub(crate) fn add(&mut self, line: u64, open: bool) -> u32 {
        let bucket = self.bucket(line);
        let miss = Miss {
            line,
            pending: 0,
            claimed: 0,
            keep: if open { !0 } else { 0 },
            open,
            waiting: 0,
            buffer: None,
            flight: 0,
            first: NONE,
            last: NONE,
            chain: self.heads[bucket],
        };
        let entry = if self.free == NONE {
            self.entries.push(miss);
            (self.entries.len() - 1) as u32
        } else {
            let entry = self.free;
            self.free = self.entries[entry as usize].chain;
            self.entries[entry as usize] = miss;
            entry
        };
        self.heads[bucket] = entry;
        self.used += 1;
        entry
    }

    /// Ends a miss.
    #[inline(always)]
    pub(crate) fn remove(&mut self, entry: u32) {
        let bucket = self.bucket(self.entries[entry as usize].line);
        let after = self.entries[entry as usize].chain;
        let mut at = self.heads[bucket];
        if at == entry {
            self.heads[bucket] = after;
        } else {
            while at != NONE && self.entries[at as usize].chain != entry {
                at = self.entries[at as usize].chain;
            }
            if at != NONE {
                self.entries[at as usize].chain = after;
            }
        }
        let miss = &mut self.entries[entry as usize];
        miss.open = false;
        miss.chain = self.free;
        self.free = entry;
        self.used -= 1;
    }

    /// A load waits.
    #[inline(always)]
    pub(crate) fn wait(&mut self, entry: u32, token: u32, needs: u8, bytes: u128) {
        let waiter = Waiter { token, needs, bytes, next: NONE };
        let index = if self.free_waiter == NONE {
            self.waiters.push(waiter);
            (self.waiters.len() - 1) as u32
        } else {
            let index = self.free_waiter;
            self.free_waiter = self.waiters[index as usize].next;
            self.waiters[index as usize] = waiter;
            index
        };
        let miss = &mut self.entries[entry as usize];
        miss.waiting += 1;
        if miss.last == NONE {
            miss.first = index;
        } else {
            self.waiters[miss.last as usize].next = index;
        }
        miss.last = index;
    }

    /// Takes the loads of a miss that need nothing pending any more, in their
    /// order; gives back all bytes they read.
    #[inline]
    pub(crate) fn release(&mut self, entry: u32, tokens: &mut Vec<u32>) -> u128 {
        let miss = &mut self.entries[entry as usize];
        let at = miss.first;
        // Mostly one load waits, and has all it needs.
        if let Some(waiter) = self.waiters.get_mut(at as usize)
            && waiter.next == NONE
            && waiter.needs & miss.pending == 0
        {
            tokens.push(waiter.token);
            (miss.first, miss.last, miss.waiting) = (NONE, NONE, 0);
            waiter.next = std::mem::replace(&mut self.free_waiter, at);
            return waiter.bytes;
        }
        self.release_some(entry, tokens)
    }

    #[inline(never)]
    fn release_some(&mut self, entry: u32, tokens: &mut Vec<u32>) -> u128 {
        let miss = &mut self.entries[entry as usize];
        let mut bytes = 0;
        let mut at = miss.first;
        let mut before = NONE;
        while at != NONE {
            let waiter = self.waiters[at as usize];
            if waiter.needs & miss.pending == 0 {
                tokens.push(waiter.token);
                bytes |= waiter.bytes;
                match before {
                    NONE => miss.first = waiter.next,
                    b => self.waiters[b as usize].next = waiter.next,
                }
                if miss.last == at {
                    miss.last = before;
                }
                miss.waiting -= 1;
                self.waiters[at as usize].next = self.free_waiter;
                self.free_waiter = at;
            } else {
                before = at;
            }
            at = waiter.next;
        }
        bytes
    }
}
