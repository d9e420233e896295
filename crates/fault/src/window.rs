//! The cycles that faults are drawn from.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Some ranges of cycles, half-open, ascending and apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Range<u64>>", into = "Vec<Range<u64>>")]
pub struct Window {
    ranges: Vec<Range<u64>>,
    /// Cycles of all ranges up to and including each.
    ends: Vec<u64>,
}

impl Window {
    /// The cycles in any of these ranges.
    pub fn new(ranges: Vec<Range<u64>>) -> Window {
        let mut sorted: Vec<Range<u64>> = ranges.into_iter().filter(|r| r.start < r.end).collect();
        sorted.sort_unstable_by_key(|r| r.start);
        let mut joined: Vec<Range<u64>> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        let mut total = 0;
        let ends = joined.iter().map(|r| {
            total += r.end - r.start;
            total
        });
        Window { ends: ends.collect(), ranges: joined }
    }

    /// The ranges, ascending and apart.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// How many cycles it has.
    pub fn cycles(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// One past its last cycle; 0 when it has none.
    pub fn end(&self) -> u64 {
        self.ranges.last().map_or(0, |r| r.end)
    }

    /// Its nth cycle, from 0.
    pub fn nth(&self, n: u64) -> Option<u64> {
        let i = self.ends.partition_point(|&end| end <= n);
        let range = self.ranges.get(i)?;
        Some(range.end - (self.ends[i] - n))
    }

    /// How many of its cycles are before `cycle`.
    pub fn before(&self, cycle: u64) -> u64 {
        let i = self.ranges.partition_point(|r| r.end <= cycle);
        let whole = if i == 0 { 0 } else { self.ends[i - 1] };
        whole + self.ranges.get(i).map_or(0, |r| cycle.saturating_sub(r.start))
    }

    /// Is the cycle in it?
    pub fn contains(&self, cycle: u64) -> bool {
        let i = self.ranges.partition_point(|r| r.end <= cycle);
        self.ranges.get(i).is_some_and(|r| r.start <= cycle)
    }
}

impl From<Range<u64>> for Window {
    fn from(range: Range<u64>) -> Window {
        Window::new(vec![range])
    }
}

impl From<Vec<Range<u64>>> for Window {
    fn from(ranges: Vec<Range<u64>>) -> Window {
        Window::new(ranges)
    }
}

impl From<Window> for Vec<Range<u64>> {
    fn from(window: Window) -> Vec<Range<u64>> {
        window.ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_list_of_its_cycles(ends in prop::collection::vec((0u64..40, 0u64..12), 0..8)) {
            let ranges: Vec<Range<u64>> = ends.iter().map(|&(s, n)| s..s + n).collect();
            let list: Vec<u64> = (0..60).filter(|c| ranges.iter().any(|r| r.contains(c))).collect();
            let window = Window::new(ranges);
            prop_assert_eq!(window.cycles(), list.len() as u64);
            prop_assert_eq!(window.end(), list.last().map_or(0, |last| last + 1));
            for (n, &cycle) in list.iter().enumerate() {
                prop_assert_eq!(window.nth(n as u64), Some(cycle));
            }
            prop_assert_eq!(window.nth(list.len() as u64), None);
            for cycle in 0..60 {
                prop_assert_eq!(window.contains(cycle), list.contains(&cycle));
                let before = list.iter().filter(|c| **c < cycle).count() as u64;
                prop_assert_eq!(window.before(cycle), before);
            }
            prop_assert!(window.ranges().windows(2).all(|w| w[0].end < w[1].start));
        }
    }

    #[test]
    fn the_largest_cycles_do_not_overflow() {
        let window = Window::from(0..u64::MAX);
        assert_eq!(window.nth(u64::MAX - 1), Some(u64::MAX - 1));
        assert_eq!(window.before(u64::MAX), u64::MAX);
    }
}
