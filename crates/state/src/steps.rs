//! How many of something there are over time, kept where it changes.

use serde::{Deserialize, Serialize};

/// A count over time: every change of it, with the cycle in which it came.
///
/// Changes in one cycle are one, and none where they cancel out: a line that
/// takes another one's place costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps(Vec<(u64, i64)>);

impl Steps {
    /// So many more from the next cycle on; less when negative.
    #[inline]
    pub fn add(&mut self, cycle: u64, more: i64) {
        match self.0.last_mut() {
            Some(last) if last.0 == cycle => {
                last.1 += more;
                if last.1 == 0 {
                    self.0.pop();
                }
            }
            _ if more == 0 => {}
            _ => self.0.push((cycle, more)),
        }
    }

    /// The sum of several counts.
    pub fn sum<'a>(counts: impl IntoIterator<Item = &'a Steps>) -> Steps {
        let mut all: Vec<(u64, i64)> = Vec::new();
        counts.into_iter().for_each(|c| all.extend_from_slice(&c.0));
        all.sort_by_key(|s| s.0);
        let mut sum = Steps::default();
        all.into_iter().for_each(|(cycle, more)| sum.add(cycle, more));
        sum
    }

    /// Sum of the count over the cycles of some ranges: half-open, ascending and
    /// apart. What happens in a cycle counts from the next one on.
    pub fn area(&self, ranges: &[std::ops::Range<u64>]) -> u128 {
        let mut area = 0u128;
        let mut count = 0i64;
        let mut next = 0;
        for range in ranges {
            let mut at = range.start;
            while let Some(&(cycle, more)) = self.0.get(next).filter(|s| s.0 < range.end) {
                // A change in the last cycle counts after the range.
                let from = (cycle + 1).clamp(at, range.end);
                area += u128::from(from - at) * count.max(0) as u128;
                (at, count, next) = (from, count + more, next + 1);
            }
            area += u128::from(range.end - at) * count.max(0) as u128;
        }
        area
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_area_is_the_sum_over_all_cycles(
            changes in proptest::collection::vec((0u64..50, -3i64..4), 0..40),
            others in proptest::collection::vec((0u64..50, 0i64..4), 0..10),
            cuts in proptest::collection::btree_set(0u64..60, 0..6),
        ) {
            let mut changes = changes;
            changes.sort_by_key(|c| c.0);
            // Enough from the start that there are never fewer than none.
            let mut steps = Steps::default();
            steps.add(0, 200);
            changes.iter().for_each(|&(cycle, more)| steps.add(cycle, more));
            let mut other = Steps::default();
            let mut sorted = others.clone();
            sorted.sort_by_key(|c| c.0);
            sorted.iter().for_each(|&(cycle, more)| other.add(cycle, more));
            let steps = Steps::sum([&steps, &other]);
            let count = |at: u64| -> i64 {
                let all = changes.iter().chain(&others).chain(&[(0, 200)]);
                all.filter(|c| c.0 < at).map(|c| c.1).sum()
            };
            let cuts: Vec<u64> = cuts.into_iter().collect();
            let ranges: Vec<_> = cuts.chunks_exact(2).map(|c| c[0]..c[1]).collect();
            let slow: i64 = ranges.iter().cloned().flatten().map(count).sum();
            prop_assert_eq!(steps.area(&ranges), slow as u128);
        }
    }

    #[test]
    fn what_cancels_out_in_a_cycle_leaves_no_trace() {
        let mut steps = Steps::default();
        steps.add(3, 1);
        for cycle in 4..1000 {
            steps.add(cycle, -1);
            steps.add(cycle, 1);
        }
        assert_eq!(steps.0, [(3, 1)]);
        assert_eq!(steps.area(std::slice::from_ref(&(0..10))), 6);
    }
}
