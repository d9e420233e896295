//! From tag to way in sets too wide to search one by one.

const NONE: u32 = u32::MAX;

/// Hash chains through the rows that hold something. It follows the tag array
/// and never answers anything that a search of the tags would not.
#[derive(Clone, Debug)]
pub(crate) struct TagIndex {
    heads: Vec<u32>,
    next: Vec<u32>,
    shift: u32,
}

impl TagIndex {
    pub(crate) fn new(rows: u32) -> TagIndex {
        let size = (u64::from(rows) * 2).next_power_of_two().max(2);
        TagIndex {
            heads: vec![NONE; size as usize],
            next: vec![NONE; rows as usize],
            shift: 64 - size.ilog2(),
        }
    }

    #[inline]
    fn bucket(&self, tag: u64) -> usize {
        (tag.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    pub(crate) fn add(&mut self, row: u32, tag: u64) {
        let bucket = self.bucket(tag);
        self.next[row as usize] = self.heads[bucket];
        self.heads[bucket] = row;
    }

    pub(crate) fn remove(&mut self, row: u32, tag: u64) {
        let bucket = self.bucket(tag);
        let after = self.next[row as usize];
        let mut at = self.heads[bucket];
        if at == row {
            self.heads[bucket] = after;
            return;
        }
        while at != NONE {
            let next = self.next[at as usize];
            if next == row {
                self.next[at as usize] = after;
                return;
            }
            at = next;
        }
    }

    /// The lowest row for which `same` holds among those with this tag's hash.
    #[inline]
    pub(crate) fn lowest(&self, tag: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mut found = NONE;
        let mut at = self.heads[self.bucket(tag)];
        while at != NONE {
            if at < found && same(at) {
                found = at;
            }
            at = self.next[at as usize];
        }
        (found != NONE).then_some(found)
    }
}
