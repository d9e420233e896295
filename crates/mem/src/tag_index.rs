//! Finding a line by its tag without a look at every line of its set.

use crate::line_state::{Line, NONE};

/// Hash chains through the rows that hold something; lines know who comes next.
/// It follows the tags and never answers anything that a search of them would not.
#[derive(Clone, Debug)]
pub(crate) struct TagIndex {
    heads: Vec<u32>,
    shift: u32,
}

impl TagIndex {
    pub(crate) fn new(rows: u32) -> TagIndex {
        let size = (u64::from(rows) * 2).next_power_of_two().max(2);
        TagIndex { heads: vec![NONE; size as usize], shift: 64 - size.ilog2() }
    }

    #[inline]
    fn bucket(&self, tag: u64) -> usize {
        (tag.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    pub(crate) fn add(&mut self, lines: &mut [Line], row: u32) {
        let line = &mut lines[row as usize];
        let bucket = self.bucket(line.tag);
        line.chain = std::mem::replace(&mut self.heads[bucket], row);
        line.indexed = true;
    }

    pub(crate) fn remove(&mut self, lines: &mut [Line], row: u32) {
        let Line { tag, chain: after, .. } = lines[row as usize];
        lines[row as usize].indexed = false;
        let bucket = self.bucket(tag);
        let mut at = self.heads[bucket];
        if at == row {
            self.heads[bucket] = after;
            return;
        }
        while at != NONE {
            let next = lines[at as usize].chain;
            if next == row {
                lines[at as usize].chain = after;
                return;
            }
            at = next;
        }
    }

    /// The lowest row of a set with this tag.
    #[inline]
    pub(crate) fn lowest(&self, lines: &[Line], set: u32, tag: u64) -> Option<u32> {
        let mut found = NONE;
        let mut at = self.heads[self.bucket(tag)];
        while at != NONE {
            let line = &lines[at as usize];
            if line.tag == tag && line.set == set {
                found = found.min(at);
            }
            at = line.chain;
        }
        (found != NONE).then_some(found)
    }
}
