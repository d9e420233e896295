//! Which line of a set leaves first.

const NONE: u32 = u32::MAX;

/// One list per set, from the row used last to the one used longest ago.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    ways: u32,
    /// Newer and older neighbour of each row.
    links: Vec<(u32, u32)>,
    /// Newest and oldest row of each set.
    ends: Vec<(u32, u32)>,
}

impl Order {
    pub(crate) fn new(sets: u32, ways: u32) -> Order {
        // Way 0 is the oldest: empty sets fill from there.
        let links = (0..sets * ways).map(|row| {
            let way = row % ways;
            let newer = if way + 1 == ways { NONE } else { row + 1 };
            (newer, if way == 0 { NONE } else { row - 1 })
        });
        let ends = (0..sets).map(|set| (set * ways + ways - 1, set * ways));
        Order { ways, links: links.collect(), ends: ends.collect() }
    }

    fn unlink(&mut self, row: u32) {
        let (newer, older) = self.links[row as usize];
        let set = (row / self.ways) as usize;
        match newer {
            NONE => self.ends[set].0 = older,
            n => self.links[n as usize].1 = older,
        }
        match older {
            NONE => self.ends[set].1 = newer,
            o => self.links[o as usize].0 = newer,
        }
    }

    /// Makes a row the newest.
    #[inline]
    pub(crate) fn renew(&mut self, row: u32) {
        let set = (row / self.ways) as usize;
        if self.ends[set].0 == row {
            return;
        }
        self.unlink(row);
        let newest = self.ends[set].0;
        self.links[row as usize] = (NONE, newest);
        self.links[newest as usize].0 = row;
        self.ends[set].0 = row;
    }

    /// Makes a row the oldest.
    #[inline]
    pub(crate) fn retire(&mut self, row: u32) {
        let set = (row / self.ways) as usize;
        if self.ends[set].1 == row {
            return;
        }
        self.unlink(row);
        let oldest = self.ends[set].1;
        self.links[row as usize] = (oldest, NONE);
        self.links[oldest as usize].1 = row;
        self.ends[set].1 = row;
    }

    /// Rows of a set, the oldest first.
    pub(crate) fn by_age(&self, set: u32) -> impl Iterator<Item = u32> {
        let mut row = self.ends[set as usize].1;
        std::iter::from_fn(move || {
            let this = (row != NONE).then_some(row)?;
            row = self.links[this as usize].0;
            Some(this)
        })
    }

    /// The oldest row of a set that `may` leave.
    #[inline]
    pub(crate) fn oldest(&self, set: u32, may: impl Fn(u32) -> bool) -> Option<u32> {
        let mut row = self.ends[set as usize].1;
        while row != NONE {
            if may(row) {
                return Some(row);
            }
            row = self.links[row as usize].0;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_behave_like_vectors(ways in 1u32..6, moves in prop::collection::vec((0u32..18, any::<bool>()), 0..60)) {
            let mut order = Order::new(3, ways);
            let mut model: Vec<Vec<u32>> =
                (0..3).map(|s| (s * ways..(s + 1) * ways).collect()).collect();
            for (row, renew) in moves {
                let row = row % (3 * ways);
                let set = &mut model[(row / ways) as usize];
                set.retain(|r| *r != row);
                if renew { set.push(row); order.renew(row) } else { set.insert(0, row); order.retire(row) }
                for s in 0..3 {
                    for skip in 0..=ways as usize {
                        let banned = &model[s as usize][..skip];
                        prop_assert_eq!(order.oldest(s, |r| !banned.contains(&r)), model[s as usize].get(skip).copied());
                    }
                }
            }
        }
    }
}
