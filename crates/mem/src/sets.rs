//! The sets of a cache: where a tag is, and which line leaves first. They follow
//! the lines' tags and states and never answer anything that a search of them would not.

use crate::few_ways::{self, FewWays};
use crate::line_state::{Line, NONE};
use crate::order::Order;
use crate::tag_index::TagIndex;

/// The sets of a cache.
#[derive(Clone, Debug)]
pub(crate) enum Sets {
    Few(FewWays),
    Many(Order, TagIndex),
}

impl Sets {
    pub(crate) fn new(sets: u32, ways: u32) -> Sets {
        match ways <= few_ways::MOST {
            true => Sets::Few(FewWays::new(sets, ways)),
            false => Sets::Many(Order::new(sets, ways), TagIndex::new(sets * ways)),
        }
    }

    /// A row holds or awaits something from now on: it is found by its tag.
    #[inline]
    pub(crate) fn add(&mut self, lines: &mut [Line], row: u32) {
        match self {
            Sets::Few(few) => few.add(lines, row),
            Sets::Many(_, index) => index.add(lines, row),
        }
    }

    /// It does not any more.
    #[inline]
    pub(crate) fn remove(&mut self, lines: &mut [Line], row: u32) {
        match self {
            Sets::Few(few) => few.remove(lines, row),
            Sets::Many(_, index) => index.remove(lines, row),
        }
    }

    /// The lowest row of a set with this tag.
    #[inline]
    pub(crate) fn lowest(&self, lines: &[Line], set: u32, tag: u64) -> Option<u32> {
        match self {
            Sets::Few(few) => few.lowest(lines, set, tag),
            Sets::Many(_, index) => index.lowest(lines, set, tag),
        }
    }

    /// Whether a row is known to be the newest of its set.
    #[inline]
    pub(crate) fn is_newest(&self, lines: &[Line], row: u32) -> bool {
        match self {
            Sets::Few(few) => few.is_newest(lines, row),
            Sets::Many(..) => lines[row as usize].newer == NONE,
        }
    }

    /// The same for a row of a set that is known.
    #[inline]
    pub(crate) fn is_newest_in(&self, lines: &[Line], set: u32, row: u32) -> bool {
        match self {
            Sets::Few(few) => few.is_newest_in(set, row),
            Sets::Many(..) => lines[row as usize].newer == NONE,
        }
    }

    /// Makes a row the newest.
    #[inline]
    pub(crate) fn renew(&mut self, lines: &mut [Line], row: u32) {
        match self {
            Sets::Few(few) => few.renew(lines, row),
            Sets::Many(order, _) => order.renew(lines, row),
        }
    }

    /// Makes a row the oldest.
    #[inline]
    pub(crate) fn retire(&mut self, lines: &mut [Line], row: u32) {
        match self {
            Sets::Few(few) => few.retire(lines, row),
            Sets::Many(order, _) => order.retire(lines, row),
        }
    }

    /// The oldest row of a set that awaits nothing.
    #[inline]
    pub(crate) fn victim(&self, lines: &[Line], set: u32) -> Option<u32> {
        let may = |row: &u32| lines[*row as usize].reserved == 0;
        match self {
            Sets::Few(few) => few.by_age(set).find(may),
            Sets::Many(order, _) => order.by_age(lines, set).find(may),
        }
    }

    /// Rows of a set, the oldest first.
    pub(crate) fn by_age(&self, lines: &[Line], set: u32) -> Vec<u32> {
        match self {
            Sets::Few(few) => few.by_age(set).collect(),
            Sets::Many(order, _) => order.by_age(lines, set).collect(),
        }
    }
}
