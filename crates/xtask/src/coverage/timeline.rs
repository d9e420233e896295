//! When a fault-free run touched the array that a program is about.

use std::ops::Range;

use upset_state::{Access, By, Event};

use crate::Outcome;

/// Bits that matter for some cycles: a flip of any of them in any of these
/// cycles changes the output, or keeps the run from ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Numbers of the bits in their array.
    pub bits: Range<u64>,
    /// The cycles.
    pub cycles: Range<u64>,
}

impl Held {
    /// Written in one cycle and last read in another. A flip comes first in
    /// its cycle: with the write it is lost, with the read it is seen.
    pub fn between(bits: Range<u64>, accesses: Range<u64>) -> Held {
        Held { bits, cycles: accesses.start + 1..accesses.end + 1 }
    }

    /// Bits x cycles.
    pub fn area(&self) -> u128 {
        let len = |r: &Range<u64>| u128::from(r.end.saturating_sub(r.start));
        len(&self.bits) * len(&self.cycles)
    }
}

/// The accesses to one array in a launch, in order.
pub struct Timeline {
    /// Cycles of the launch.
    pub window: Range<u64>,
    /// Accesses in it, and the host's after it.
    pub events: Vec<Event>,
}

impl Timeline {
    /// Exactly `n` accesses of a kind.
    pub fn select(&self, n: u32, wanted: impl Fn(&Event) -> bool) -> Outcome<Vec<Event>> {
        let some: Vec<Event> = self.events.iter().filter(|e| wanted(e)).copied().collect();
        match some.len() == n as usize {
            true => Ok(some),
            false => Err(format!("{} accesses where the program has {n}", some.len())),
        }
    }

    /// The cycle in which instruction number `n` wrote the array.
    pub fn wrote(&self, n: usize) -> Outcome<u64> {
        self.at(n, Access::Write, None)
    }

    /// The cycle in which instruction number `n` read the array.
    pub fn read(&self, n: usize) -> Outcome<u64> {
        self.at(n, Access::Read, None)
    }

    /// The cycle in which it wrote a row.
    pub fn wrote_row(&self, n: usize, row: u32) -> Outcome<u64> {
        self.at(n, Access::Write, Some(row))
    }

    /// The cycle in which it read a row.
    pub fn read_row(&self, n: usize, row: u32) -> Outcome<u64> {
        self.at(n, Access::Read, Some(row))
    }

    fn at(&self, n: usize, access: Access, row: Option<u32>) -> Outcome<u64> {
        let of = |e: &&Event| {
            let by = matches!(e.by, By::Warp { pc, .. } if pc as usize == 16 * n);
            by && e.access == access && row.is_none_or(|r| r == e.row)
        };
        let mut cycles: Vec<u64> = self.events.iter().filter(of).map(|e| e.cycle).collect();
        cycles.dedup();
        match cycles[..] {
            [cycle] => Ok(cycle),
            _ => Err(format!("instruction {n}: {access:?} of row {row:?} in cycles {cycles:?}")),
        }
    }

    /// The last write of a row before a read of it.
    pub fn written_before(&self, read: &Event) -> Outcome<u64> {
        let before =
            |e: &&Event| e.row == read.row && e.access == Access::Write && e.cycle < read.cycle;
        let last = self.events.iter().rfind(before);
        last.map(|e| e.cycle).ok_or_else(|| format!("row {} is read unwritten", read.row))
    }

    /// Bits that were there before the launch and are last read in a cycle.
    pub fn until(&self, bits: Range<u64>, read: u64) -> Held {
        Held { bits, cycles: self.window.start..read + 1 }
    }

    /// Bits that are written in a cycle and read by the host after the launch.
    pub fn since(&self, bits: Range<u64>, written: u64) -> Held {
        Held { bits, cycles: written + 1..self.window.end }
    }
}
