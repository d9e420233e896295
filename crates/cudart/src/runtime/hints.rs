//! What a program said about where its managed memory should be. Nothing moves
//! here; it may ask what it said.

use std::collections::BTreeSet;
use std::ops::Range;

/// What a hint is about, with the number of `cudaMemRangeAttribute` that asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// Whether it is mostly read: 0 or 1.
    ReadMostly = 1,
    /// Where it should be.
    Preferred = 2,
    /// Who accesses it.
    AccessedBy = 3,
    /// Where it was sent last.
    Prefetched = 4,
}

/// A place: the number of a device, or one of these.
pub const ON_HOST: i32 = -1;
/// No place was named (`cudaInvalidDeviceId`).
pub const NOWHERE: i32 = -2;

/// Hints in the order they were given: later ones count.
#[derive(Default)]
pub struct Hints(Vec<(About, Range<u64>, i32)>);

impl Hints {
    /// Takes a hint.
    pub fn say(&mut self, about: About, at: Range<u64>, value: i32) {
        // What it covers is not asked for any more.
        self.0.retain(|(a, old, _)| *a != about || old.start < at.start || old.end > at.end);
        self.0.push((about, at, value));
    }

    /// Forgets what was said about memory that is freed.
    pub fn forget(&mut self, at: Range<u64>) {
        self.0.retain(|(_, old, _)| old.end <= at.start || old.start >= at.end);
    }

    /// What holds for all of some memory; nothing if parts of it differ.
    pub fn of(&self, about: About, at: Range<u64>, unsaid: i32) -> Option<i32> {
        let said: Vec<_> = self.0.iter().filter(|(a, ..)| *a == about).collect();
        let edges = said.iter().flat_map(|(_, r, _)| [r.start, r.end]);
        let mut parts: BTreeSet<u64> = edges.filter(|edge| at.contains(edge)).collect();
        parts.insert(at.start);
        let holds = |place: u64| {
            said.iter().rev().find(|(_, r, _)| r.contains(&place)).map_or(unsaid, |(.., v)| *v)
        };
        let values: BTreeSet<i32> = parts.into_iter().map(holds).collect();
        values.iter().next().copied().filter(|_| values.len() == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_hints_count_and_parts_that_differ_have_none() {
        let mut hints = Hints::default();
        assert_eq!(hints.of(About::Preferred, 0..100, NOWHERE), Some(NOWHERE));
        hints.say(About::Preferred, 0..100, 0);
        assert_eq!(hints.of(About::Preferred, 10..90, NOWHERE), Some(0));
        assert_eq!(hints.of(About::Prefetched, 10..90, NOWHERE), Some(NOWHERE));
        hints.say(About::Preferred, 50..100, ON_HOST);
        assert_eq!(hints.of(About::Preferred, 0..50, NOWHERE), Some(0));
        assert_eq!(hints.of(About::Preferred, 50..100, NOWHERE), Some(ON_HOST));
        assert_eq!(hints.of(About::Preferred, 0..100, NOWHERE), None);
        hints.forget(0..100);
        assert_eq!(hints.of(About::Preferred, 0..100, NOWHERE), Some(NOWHERE));
    }
}
