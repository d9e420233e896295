//! Counts how much of the hierarchy is in use.

use crate::cache::Cache;
use crate::first_level::FirstLevel;
use crate::lines_in_use::LinesInUse;
use crate::system::MemorySystem;

impl Cache {
    fn count_lines(&mut self) {
        self.counted = Some(Box::new(LinesInUse::of(self.rows())));
    }
}

impl FirstLevel {
    /// Counts lines in use from now on.
    pub fn count_lines(&mut self) {
        self.cache.count_lines();
    }

    /// Its name, and what was counted.
    pub fn lines_in_use(&self) -> Option<(&str, &LinesInUse)> {
        self.cache.counted.as_deref().map(|c| (self.cache.name.as_str(), c))
    }
}

impl MemorySystem {
    /// Counts lines of L2 in use from now on.
    pub fn count_lines(&mut self) {
        self.slices.iter_mut().for_each(|s| s.cache.count_lines());
    }

    /// A copy by the host.
    pub(crate) fn note_copy(&mut self, addr: u64, len: u64) {
        self.host_narrow |= !(addr | len).is_multiple_of(4);
    }

    /// Whether all copies by the host were of whole words of 32 bits.
    pub fn host_copies_words(&self) -> bool {
        !self.host_narrow
    }

    /// Name of each slice's cache, and what was counted.
    pub fn lines_in_use(&self) -> impl Iterator<Item = (&str, &LinesInUse)> {
        let counted = |c: &'_ Cache| c.counted.is_some();
        let slices = self.slices.iter().map(|s| &s.cache).filter(move |c| counted(c));
        slices.filter_map(|c| Some((c.name.as_str(), c.counted.as_deref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use upset_chip::ChipSpec;
    use upset_state::{Kind, Quiet};

    proptest! {
        /// Against a count of all rows in every cycle.
        #[test]
        fn the_counts_are_those_of_a_census(
            steps in prop::collection::vec((0u64..3, 0u8..4, 0u32..8, 0u64..9), 1..120),
        ) {
            let chip = ChipSpec::preset("rtx2060").unwrap();
            let mut spec = chip.cache("l2").unwrap().clone();
            (spec.sets, spec.ways) = (2, 4);
            let mut c = Cache::new(&spec, Kind::Cache(0), 0);
            c.count_lines();
            let (mut now, mut area, mut ever_area) = (0, 0u128, 0u128);
            let mut ever = [false; 8];
            let census = |c: &Cache| (0..8).filter(|r| c.present(*r)).count() as u128;
            for (wait, what, row, n) in steps {
                area += u128::from(wait) * census(&c);
                ever_area += u128::from(wait) * ever.iter().filter(|e| **e).count() as u128;
                now += wait;
                match what {
                    0 | 1 => {
                        c.claim(now, row, n * 128, &mut Quiet);
                        c.write(now, row, upset_state::Sourced::alike(&[1; 128]), 1 << n, true, &mut Quiet);
                        ever[row as usize] = true;
                    }
                    2 => c.drop_row(now, row, &mut Quiet),
                    _ => c.drop_sectors(now, row, 1 << (n % 4), &mut Quiet),
                }
            }
            // A change in a cycle counts from the next on.
            let counted = c.counted.as_deref().unwrap();
            prop_assert_eq!(counted.now.area(std::slice::from_ref(&(1..now + 1))), area);
            prop_assert_eq!(counted.ever.area(std::slice::from_ref(&(1..now + 1))), ever_area);
        }
    }
}
