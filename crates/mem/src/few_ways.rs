//! The sets of a cache that has few ways: what a search and the order of use need
//! of a set lies in one of the host's lines.

use crate::line_state::{Line, NONE};

/// Most ways that a set's words have room for.
pub(crate) const MOST: u32 = 25;

/// Ways per word of hashes.
const PER_WORD: u32 = 8;
/// Bits of a way's number,
const WIDE: u32 = 5;
/// and where few enough of them fit into half a word.
const NARROW: u32 = 4;
/// Most ways of such sets.
const MOST_NARROW: u32 = 16;
/// A one in the lowest bit of each of their numbers.
const NARROW_ONES: u64 = 0x1111_1111_1111_1111;

/// A set.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Set {
    /// Its ways, the one used longest ago in the lowest bits.
    order: u128,
    /// A byte of each way's tag, hashed; of those that are not in the index, anything.
    hashes: [u64; MOST.div_ceil(PER_WORD) as usize],
    /// The row that was made the newest last, if it still is.
    newest: u32,
}

/// A one in the lowest bit of each way's number.
const ONES: u128 = {
    let (mut ones, mut i) = (0, 0);
    while i < MOST {
        ones |= 1 << (WIDE * i);
        i += 1;
    }
    ones
};
/// The same for the bytes of a word.
const BYTES: u64 = 0x0101_0101_0101_0101;

/// All sets.
#[derive(Clone, Debug)]
pub(crate) struct FewWays {
    sets: Vec<Set>,
    ways: u32,
}

/// A byte of a tag that differs between most tags.
#[inline]
fn hash(tag: u64) -> u8 {
    (tag.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

impl FewWays {
    /// Way 0 of a set is the oldest: it fills from there.
    pub(crate) fn new(sets: u32, ways: u32) -> FewWays {
        let wide = if ways <= MOST_NARROW { NARROW } else { WIDE };
        let order = (0..ways).fold(0, |all, way| all | u128::from(way) << (wide * way));
        let set = Set { order, hashes: [0; MOST.div_ceil(PER_WORD) as usize], newest: NONE };
        FewWays { sets: vec![set; sets as usize], ways }
    }

    #[inline]
    fn way(&self, line: &Line, row: u32) -> u32 {
        row - line.set * self.ways
    }

    #[inline]
    pub(crate) fn add(&mut self, lines: &mut [Line], row: u32) {
        let line = &mut lines[row as usize];
        line.indexed = true;
        let way = row - line.set * self.ways;
        let shift = way % PER_WORD * 8;
        let word = &mut self.sets[line.set as usize].hashes[(way / PER_WORD) as usize];
        *word = *word & !(0xff << shift) | u64::from(hash(line.tag)) << shift;
    }

    #[inline]
    pub(crate) fn remove(&mut self, lines: &mut [Line], row: u32) {
        lines[row as usize].indexed = false;
    }

    /// The lowest row of a set with this tag.
    #[inline]
    pub(crate) fn lowest(&self, lines: &[Line], set: u32, tag: u64) -> Option<u32> {
        let wanted = u64::from(hash(tag)) * BYTES;
        let first = set * self.ways;
        for (i, word) in self.sets[set as usize].hashes.iter().enumerate() {
            let other = word ^ wanted;
            // Bytes that are zero have their highest bit here, and a few others.
            let mut maybe = other.wrapping_sub(BYTES) & !other & BYTES << 7;
            while maybe != 0 {
                let way = i as u32 * PER_WORD + maybe.trailing_zeros() / 8;
                let row = first + way;
                let line = lines.get(row as usize).filter(|_| way < self.ways);
                if line.is_some_and(|line| line.tag == tag && line.indexed) {
                    return Some(row);
                }
                maybe &= maybe - 1;
            }
            if (i as u32 + 1) * PER_WORD >= self.ways {
                break;
            }
        }
        None
    }

    /// Bit at which a way stands in the order of its set.
    #[inline]
    fn place(order: u128, way: u32) -> u32 {
        let other = order ^ (ONES * u128::from(way));
        // The lowest number that is zero has its highest bit here; behind the last
        // way there are zeroes, but after way 0's place.
        let found = other.wrapping_sub(ONES) & !other & ONES << (WIDE - 1);
        found.trailing_zeros() - (WIDE - 1)
    }

    /// The same where numbers are narrow.
    #[inline]
    fn narrow_place(order: u64, way: u32) -> u32 {
        let other = order ^ (NARROW_ONES * u64::from(way));
        let found = other.wrapping_sub(NARROW_ONES) & !other & NARROW_ONES << (NARROW - 1);
        found.trailing_zeros() - (NARROW - 1)
    }

    /// Whether a row is known to be the newest of its set.
    #[inline]
    pub(crate) fn is_newest(&self, lines: &[Line], row: u32) -> bool {
        self.is_newest_in(lines[row as usize].set, row)
    }

    /// The same for a row of a set that is known.
    #[inline]
    pub(crate) fn is_newest_in(&self, set: u32, row: u32) -> bool {
        self.sets[set as usize].newest == row
    }

    /// Makes a row the newest.
    pub(crate) fn renew(&mut self, lines: &[Line], row: u32) {
        let line = &lines[row as usize];
        let way = self.way(line, row);
        let Set { order, newest, .. } = &mut self.sets[line.set as usize];
        *newest = row;
        if self.ways <= MOST_NARROW {
            let old = *order as u64;
            let below = (1 << FewWays::narrow_place(old, way)) - 1;
            let top = u64::from(way) << (NARROW * (self.ways - 1));
            *order = u128::from(old & below | old >> NARROW & !below | top);
            return;
        }
        let top = WIDE * (self.ways - 1);
        let place = FewWays::place(*order, way);
        let below = (1 << place) - 1;
        *order = *order & below | *order >> WIDE & !below | u128::from(way) << top;
    }

    /// Makes a row the oldest.
    pub(crate) fn retire(&mut self, lines: &[Line], row: u32) {
        let line = &lines[row as usize];
        let way = self.way(line, row);
        let Set { order, newest, .. } = &mut self.sets[line.set as usize];
        *newest = NONE;
        if self.ways <= MOST_NARROW {
            let old = *order as u64;
            let below = (1 << FewWays::narrow_place(old, way)) - 1;
            let above = !(below << NARROW | ((1 << NARROW) - 1));
            *order = u128::from(old & above | (old & below) << NARROW | u64::from(way));
            return;
        }
        let place = FewWays::place(*order, way);
        let below = (1 << place) - 1;
        let above = !(below << WIDE | ((1 << WIDE) - 1));
        *order = *order & above | (*order & below) << WIDE | u128::from(way);
    }

    /// Rows of a set, the oldest first.
    #[inline]
    pub(crate) fn by_age(&self, set: u32) -> impl Iterator<Item = u32> {
        let (order, first) = (self.sets[set as usize].order, set * self.ways);
        let wide = if self.ways <= MOST_NARROW { NARROW } else { WIDE };
        (0..self.ways).map(move |i| first + (order >> (wide * i)) as u32 % (1 << wide))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Tags of few different hashes, some of them in several ways.
        #[test]
        fn a_search_finds_what_a_look_at_all_lines_does(
            ways in 1..=MOST,
            moves in prop::collection::vec((any::<u32>(), 0u64..12, any::<bool>()), 0..80),
        ) {
            let (mut few, mut lines) = (FewWays::new(3, ways), Line::all(3, ways));
            for (row, tag, add) in moves {
                let row = row % (3 * ways);
                if add {
                    lines[row as usize].tag = tag;
                    few.add(&mut lines, row);
                } else {
                    few.remove(&mut lines, row);
                }
                for (set, tag) in (0..3).flat_map(|set| (0..13).map(move |tag| (set, tag))) {
                    let has = |row: &u32| {
                        let line = &lines[*row as usize];
                        line.indexed && line.tag == tag
                    };
                    let first = (set * ways..(set + 1) * ways).find(has);
                    prop_assert_eq!(few.lowest(&lines, set, tag), first);
                }
            }
        }

        #[test]
        fn words_behave_like_vectors(
            ways in 1..=MOST,
            moves in prop::collection::vec((any::<u32>(), any::<bool>()), 0..80),
        ) {
            let (mut few, lines) = (FewWays::new(3, ways), Line::all(3, ways));
            let mut model: Vec<Vec<u32>> =
                (0..3).map(|s| (s * ways..(s + 1) * ways).collect()).collect();
            for (row, renew) in moves {
                let row = row % (3 * ways);
                let set = &mut model[(row / ways) as usize];
                set.retain(|r| *r != row);
                if renew {
                    set.push(row);
                    few.renew(&lines, row);
                } else {
                    set.insert(0, row);
                    few.retire(&lines, row);
                }
                for s in 0..3 {
                    prop_assert_eq!(&few.by_age(s).collect::<Vec<_>>(), &model[s as usize]);
                }
            }
        }
    }
}
