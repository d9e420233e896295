//! Which line of a set leaves first.

use crate::line_state::{Line, NONE};

/// One list per set, from the row used last to the one used longest ago; lines
/// know their neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Newest and oldest row of each set.
    ends: Vec<(u32, u32)>,
}

impl Order {
    pub(crate) fn new(sets: u32, ways: u32) -> Order {
        Order { ends: (0..sets).map(|set| (set * ways + ways - 1, set * ways)).collect() }
    }

    fn unlink(&mut self, lines: &mut [Line], row: u32) {
        let Line { newer, older, set, .. } = lines[row as usize];
        match newer {
            NONE => self.ends[set as usize].0 = older,
            n => lines[n as usize].older = older,
        }
        match older {
            NONE => self.ends[set as usize].1 = newer,
            o => lines[o as usize].newer = newer,
        }
    }

    /// Makes a row the newest.
    #[inline]
    pub(crate) fn renew(&mut self, lines: &mut [Line], row: u32) {
        // Nobody is newer.
        if lines[row as usize].newer == NONE {
            return;
        }
        self.unlink(lines, row);
        let ends = &mut self.ends[lines[row as usize].set as usize];
        let newest = std::mem::replace(&mut ends.0, row);
        (lines[row as usize].newer, lines[row as usize].older) = (NONE, newest);
        lines[newest as usize].newer = row;
    }

    /// Makes a row the oldest.
    #[inline]
    pub(crate) fn retire(&mut self, lines: &mut [Line], row: u32) {
        if lines[row as usize].older == NONE {
            return;
        }
        self.unlink(lines, row);
        let ends = &mut self.ends[lines[row as usize].set as usize];
        let oldest = std::mem::replace(&mut ends.1, row);
        (lines[row as usize].newer, lines[row as usize].older) = (oldest, NONE);
        lines[oldest as usize].older = row;
    }

    /// Rows of a set, the oldest first.
    pub(crate) fn by_age<'a>(&self, lines: &'a [Line], set: u32) -> impl Iterator<Item = u32> + 'a {
        let first = Some(self.ends[set as usize].1);
        let newer = |row: &u32| Some(lines[*row as usize].newer).filter(|row| *row != NONE);
        std::iter::successors(first, newer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_behave_like_vectors(ways in 1u32..6, moves in prop::collection::vec((0u32..18, any::<bool>()), 0..60)) {
            let (mut order, mut lines) = (Order::new(3, ways), Line::all(3, ways));
            let mut model: Vec<Vec<u32>> =
                (0..3).map(|s| (s * ways..(s + 1) * ways).collect()).collect();
            for (row, renew) in moves {
                let row = row % (3 * ways);
                let set = &mut model[(row / ways) as usize];
                set.retain(|r| *r != row);
                if renew { set.push(row); order.renew(&mut lines, row) } else { set.insert(0, row); order.retire(&mut lines, row) }
                for s in 0..3 {
                    for skip in 0..=ways as usize {
                        let banned = &model[s as usize][..skip];
                        prop_assert_eq!(order.by_age(&lines, s).find(|r| !banned.contains(r)), model[s as usize].get(skip).copied());
                    }
                }
            }
        }
    }
}
