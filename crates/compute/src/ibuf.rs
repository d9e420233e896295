//! A warp's instruction buffer: fetched bits that wait for issue.

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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ibuf {
    /// Storage; entries outside the ring keep their old bits.
    pub entries: [Entry; ENTRIES],
    head: u8,
    len: u8,
    capacity: u8,
    /// Where fetching goes on.
    pub fetch_pc: u32,
    /// A line is on its way.
    pub waiting: bool,
}

impl Ibuf {
    /// An empty buffer of `entries` entries.
    pub fn new(entries: u32) -> Ibuf {
        Ibuf { capacity: entries.clamp(1, ENTRIES as u32) as u8, ..Ibuf::default() }
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
        self.capacity
    }

    /// The oldest instruction.
    pub fn head(&self) -> Option<&Entry> {
        (self.len > 0).then(|| &self.entries[usize::from(self.head) % ENTRIES])
    }

    /// Storage index of the oldest instruction.
    pub fn head_index(&self) -> u32 {
        u32::from(self.head) % ENTRIES as u32
    }

    /// Whether an entry of the storage holds an instruction that waits.
    pub fn is_used(&self, entry: u32) -> bool {
        let capacity = u32::from(self.capacity.max(1));
        entry < capacity
            && (entry + capacity - u32::from(self.head) % capacity) % capacity < u32::from(self.len)
    }

    /// The instructions that wait, oldest first.
    pub fn waiting_entries(&self) -> impl Iterator<Item = &Entry> {
        let place = |i| usize::from((self.head + i) % self.capacity.max(1)) % ENTRIES;
        (0..self.len).map(move |i| &self.entries[place(i)])
    }

    /// Takes the oldest away.
    pub fn pop(&mut self) {
        if self.len > 0 {
            self.head = (self.head + 1) % self.capacity.max(1);
            self.len -= 1;
        }
    }

    /// Adds one; returns its storage index, or nothing when the buffer is full.
    pub fn push(&mut self, entry: Entry) -> Option<usize> {
        if self.len >= self.capacity {
            return None;
        }
        let at = usize::from((self.head + self.len) % self.capacity);
        self.entries[at] = entry;
        self.len += 1;
        Some(at)
    }
}
