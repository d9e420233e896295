//! Storage that is given out in granules.

/// Which granules are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    taken: Vec<bool>,
    granule: u32,
}

impl Room {
    /// So many units, given out in granules, all free.
    pub fn new(units: u32, granule: u32) -> Room {
        Room { taken: vec![false; (units / granule) as usize], granule }
    }

    /// Where the first free stretch of so many units begins.
    pub fn find(&self, units: u32) -> Option<u32> {
        let need = units.div_ceil(self.granule) as usize;
        if need == 0 {
            return Some(0);
        }
        let mut run = 0;
        for (i, &taken) in self.taken.iter().enumerate() {
            run = if taken { 0 } else { run + 1 };
            if run == need {
                return Some((i + 1 - need) as u32 * self.granule);
            }
        }
        None
    }

    /// Marks a stretch as taken or free.
    pub fn mark(&mut self, first: u32, units: u32, taken: bool) {
        let at = (first / self.granule) as usize;
        let n = units.div_ceil(self.granule) as usize;
        if let Some(granules) = self.taken.get_mut(at..at + n) {
            granules.fill(taken);
        }
    }

    /// Everything is free.
    pub fn clear(&mut self) {
        self.taken.fill(false);
    }

    /// Granule by granule.
    pub fn taken(&self) -> &[bool] {
        &self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_hole_that_is_large_enough_is_taken() {
        let mut room = Room::new(64, 8);
        for (units, at) in [(16, 0), (1, 16), (9, 24)] {
            assert_eq!(room.find(units), Some(at));
            room.mark(at, units, true);
        }
        room.mark(16, 1, false);
        assert_eq!((room.find(8), room.find(9)), (Some(16), Some(40)));
        assert_eq!((room.find(25), room.find(0)), (None, Some(0)));
        room.clear();
        assert_eq!(room.find(64), Some(0));
    }

    proptest! {
        /// Nothing is given out twice, and what was given back is there again.
        #[test]
        fn stretches_never_overlap(steps in prop::collection::vec((any::<bool>(), 1u32..20), 1..60)) {
            let mut room = Room::new(96, 4);
            let mut given: Vec<(u32, u32)> = Vec::new();
            for (take, units) in steps {
                if take {
                    let Some(at) = room.find(units) else { continue };
                    let end = at + units.next_multiple_of(4);
                    prop_assert!(end <= 96);
                    prop_assert!(given.iter().all(|(a, n)| end <= *a || at >= a + n.next_multiple_of(4)));
                    room.mark(at, units, true);
                    given.push((at, units));
                } else if let Some((at, units)) = given.pop() {
                    room.mark(at, units, false);
                }
            }
            given.into_iter().for_each(|(at, units)| room.mark(at, units, false));
            prop_assert_eq!(room.find(96), Some(0));
        }
    }
}
