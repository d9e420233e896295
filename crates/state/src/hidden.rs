//! Bits of ghosts that cannot be followed, as long as nobody looks at them.
//!
//! A tag or the state of a line is no value that moves. But until the fault-free
//! run accesses it, a flip of it does nothing; and while a ghost is one, its
//! accesses are those of the fault-free run, which are known beforehand.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Site;

/// A bit that is flipped in a ghost and has not been accessed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hidden {
    /// The bit.
    pub site: Site,
    /// When the fault-free run accesses it; `u64::MAX`: never.
    pub until: u64,
    /// That access looks at it. Else it overwrites it.
    pub used: bool,
}

/// The hidden bits of all ghosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hiding {
    bits: BTreeMap<u32, Vec<Hidden>>,
    /// Cycles of accesses and ghosts, soonest last.
    turns: Vec<(u64, u32)>,
}

/// What the accesses of a cycle mean for a ghost.
pub(crate) enum Turn {
    /// One of its bits is looked at.
    Used(u32),
    /// Its bits are overwritten, if it is a ghost to the end of the cycle.
    Overwritten(u32),
}

impl Hiding {
    /// Of these ghosts.
    pub(crate) fn of_all(list: impl Iterator<Item = (u32, Vec<Hidden>)>) -> Hiding {
        let bits: BTreeMap<u32, Vec<Hidden>> = list.filter(|(_, bits)| !bits.is_empty()).collect();
        let each = bits.iter().flat_map(|(ghost, bits)| bits.iter().map(|b| (b.until, *ghost)));
        let mut turns: Vec<(u64, u32)> = each.filter(|t| t.0 != u64::MAX).collect();
        turns.sort_unstable_by(|a, b| b.cmp(a));
        turns.dedup();
        Hiding { bits, turns }
    }

    /// The next ghost with a bit that is accessed in this cycle or before.
    #[inline]
    pub(crate) fn next(&self, now: u64) -> Option<Turn> {
        let &(cycle, ghost) = self.turns.last().filter(|t| t.0 <= now)?;
        let used = |b: &Hidden| b.until <= cycle && b.used;
        Some(match self.bits.get(&ghost).is_some_and(|bits| bits.iter().any(used)) {
            true => Turn::Used(ghost),
            false => Turn::Overwritten(ghost),
        })
    }

    /// That one was dealt with; `gone`: what was overwritten is no more.
    pub(crate) fn pass(&mut self, gone: bool) {
        let Some((cycle, ghost)) = self.turns.pop() else { return };
        if gone && let Some(bits) = self.bits.get_mut(&ghost) {
            bits.retain(|b| b.until > cycle);
        }
    }

    pub(crate) fn of(&self, ghost: u32) -> Vec<Site> {
        self.bits.get(&ghost).into_iter().flatten().map(|b| b.site).collect()
    }
}
