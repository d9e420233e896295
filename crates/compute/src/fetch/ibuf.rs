//! A warp's instruction buffer: fetched bits that wait for issue.

use upset_state::{Array, ArrayId, Kind, Origin, Place, Probe};

/// Entries a warp can have at most; chips use fewer.
pub const ENTRIES: usize = 4;

/// One fetched instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The 16 bytes as they came from the cache.
    pub bits: u128,
    /// Where they were fetched from.
    pub pc: u32,
    /// First cycle at which they can issue.
    pub ready: u64,
}

/// The buffer: a ring.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Ibuf {
    head: u8,
    len: u8,
    /// A line is on its way.
    pub waiting: bool,
    /// Where fetching goes on.
    pub fetch_pc: u32,
    /// Of each, where it was fetched from and when it can issue.
    fetched: [(u32, u64); ENTRIES],
    /// The instructions; outside the ring old ones stay.
    pub bits: Array<u128, [u128; ENTRIES]>,
}

impl Ibuf {
    /// An empty buffer of `entries` entries, of a warp slot.
    pub fn new(sm: u32, slot: u32, entries: u32) -> Ibuf {
        let count = entries.clamp(1, ENTRIES as u32);
        Ibuf {
            bits: Array::part(ArrayId::data(Kind::Ibuf, sm), slot * count, count, [0; ENTRIES]),
            fetched: [(0, 0); ENTRIES],
            head: 0,
            len: 0,
            fetch_pc: 0,
            waiting: false,
        }
    }

    /// Drops everything and goes on at `pc`.
    pub fn restart(&mut self, pc: u32) {
        self.len = 0;
        self.fetch_pc = pc;
        self.waiting = false;
    }

    /// Instructions held.
    pub fn held(&self) -> usize {
        usize::from(self.len)
    }

    /// Entries.
    pub fn capacity(&self) -> u8 {
        self.bits.count() as u8
    }

    /// An entry of the storage.
    #[inline]
    pub fn entry(&self, at: usize) -> Entry {
        let (pc, ready) = self.fetched[at % ENTRIES];
        Entry { bits: self.bits.rows()[at % ENTRIES], pc, ready }
    }

    /// The oldest instruction.
    #[inline]
    pub fn head(&self) -> Option<Entry> {
        (self.len > 0).then(|| self.entry(usize::from(self.head)))
    }

    /// Where the oldest instruction was fetched from; else where fetching goes on.
    #[inline]
    pub fn next_pc(&self) -> u32 {
        match self.len {
            0 => self.fetch_pc,
            _ => self.fetched[usize::from(self.head) % ENTRIES].0,
        }
    }

    /// When the oldest instruction can issue.
    #[inline]
    pub fn head_ready(&self) -> Option<u64> {
        (self.len > 0).then(|| self.fetched[usize::from(self.head) % ENTRIES].1)
    }

    /// The oldest instruction is taken to be decoded.
    pub fn tell_decoded<P: Probe>(&self, now: u64, probe: &mut P) {
        self.bits.tell_read(now, u32::from(self.head), !0, probe);
    }

    /// Where ghosts know the oldest instruction.
    pub fn head_place(&self) -> Place {
        self.bits.place(u32::from(self.head)).0
    }

    /// Where ghosts know the newest instruction.
    pub fn newest_place(&self) -> Place {
        let capacity = self.bits.count();
        let newest = u32::from(self.head) + u32::from(self.len) + capacity - 1;
        self.bits.place(newest % capacity).0
    }

    /// Whether an entry of the storage holds an instruction that waits.
    pub fn is_used(&self, entry: u32) -> bool {
        let capacity = self.bits.count();
        entry < capacity
            && (entry + capacity - u32::from(self.head) % capacity) % capacity < u32::from(self.len)
    }

    /// The instructions that wait, oldest first.
    pub fn waiting_entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.len).map(|i| self.entry(usize::from((self.head + i) % self.capacity())))
    }

    /// An entry's number, of one less than twice round.
    #[inline]
    fn wrapped(&self, at: u8) -> u8 {
        let capacity = self.capacity();
        if at < capacity { at } else { at - capacity }
    }

    /// Takes the oldest away.
    pub fn pop(&mut self) {
        if self.len > 0 {
            self.head = self.wrapped(self.head + 1);
            self.len -= 1;
        }
    }

    /// Adds one, whose bits come from somewhere; false when the buffer is full.
    pub fn push<P: Probe>(
        &mut self,
        now: u64,
        entry: Entry,
        origin: Origin,
        probe: &mut P,
    ) -> bool {
        if self.len >= self.capacity() {
            return false;
        }
        let at = self.wrapped(self.head + self.len);
        self.bits.copy_from(now, u32::from(at), &entry.bits, origin, probe);
        self.fetched[usize::from(at)] = (entry.pc, entry.ready);
        self.len += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{Event, Force, Quiet, Watch};

    fn entry(n: u32) -> Entry {
        Entry { bits: u128::from(n), pc: 16 * n, ready: u64::from(n) }
    }

    #[test]
    fn instructions_leave_in_the_order_they_came() {
        let mut buffer = Ibuf::new(0, 0, 2);
        for n in 0..7 {
            assert!(buffer.push(0, entry(n), Origin::ALIKE, &mut Quiet));
            assert_eq!(buffer.head(), Some(entry(n)));
            assert!(buffer.push(0, entry(n + 100), Origin::ALIKE, &mut Quiet));
            assert!(!buffer.push(0, entry(n + 200), Origin::ALIKE, &mut Quiet));
            buffer.pop();
            assert_eq!(buffer.waiting_entries().collect::<Vec<_>>(), [entry(n + 100)]);
            buffer.pop();
            assert_eq!((buffer.held(), buffer.head()), (0, None));
        }
        buffer.push(0, entry(1), Origin::ALIKE, &mut Quiet);
        buffer.restart(0x40);
        assert_eq!((buffer.held(), buffer.fetch_pc), (0, 0x40));
        assert!(!buffer.is_used(0) && !buffer.is_used(1));
    }

    #[test]
    fn a_stuck_bit_of_an_entry_is_stuck_in_what_it_holds() {
        // Slot 3 of buffers of two entries: rows 6 and 7.
        let mut probe = Watch::default();
        let array = ArrayId::data(Kind::Ibuf, 1);
        probe.held.hold(Force { array, bit: 7 * 128 + 5, value: true });
        let mut buffer = Ibuf::new(1, 3, 2);
        buffer.push(0, entry(0), Origin::ALIKE, &mut probe);
        buffer.push(0, entry(0), Origin::ALIKE, &mut probe);
        assert_eq!(buffer.entry(0).bits, 0);
        assert_eq!(buffer.entry(1).bits, 1 << 5);
        let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let list = told.clone();
        let mut probe = Watch::observe(move |e: &Event| list.lock().unwrap().push(e.row));
        buffer.tell_decoded(0, &mut probe);
        buffer.pop();
        buffer.tell_decoded(0, &mut probe);
        assert_eq!(*told.lock().unwrap(), [6, 7]);
    }
}
