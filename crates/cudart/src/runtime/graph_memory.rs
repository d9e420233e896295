//! Memory that graphs allocate. Its addresses are given when nodes are added, and stay;
//! how much of it there is changes with launches, as a real GPU tells it (H200, driver
//! 580.159): pieces are there from the first launch on, are used again by the next one,
//! and go when they are nobody's and somebody trims.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};

/// Bytes of a piece.
const PIECE: u64 = 32 << 20;

/// What a launch has allocated and nobody has freed yet.
struct Held {
    bytes: u64,
    at: BTreeSet<u64>,
}

/// Memory of all graphs.
#[derive(Default)]
pub struct GraphMemory {
    /// What nodes were given, and how much.
    given: BTreeMap<u64, u64>,
    held: Vec<Held>,
    /// Bytes that are there and nobody's.
    idle: u64,
    /// The most that was used and there, since each was last set to zero.
    most: [u64; 2],
}

impl GraphMemory {
    /// A node is given memory.
    pub fn give(&mut self, at: u64, bytes: u64) {
        self.given.insert(at, bytes);
    }

    /// How much is at an address, if a node was given it.
    pub fn bytes_at(&self, at: u64) -> Option<u64> {
        self.given.get(&at).copied()
    }

    /// Bytes that are there.
    pub fn now(&self) -> u64 {
        self.idle + self.held.iter().map(|held| held.bytes).sum::<u64>()
    }

    /// The most that was used (0) or there (1).
    pub fn most(&self, which: usize) -> u64 {
        self.most[which]
    }

    /// Counts from now on.
    pub fn forget_most(&mut self, which: usize) {
        self.most[which] = 0;
    }

    /// Gives back what is nobody's.
    pub fn trim(&mut self) {
        self.idle = 0;
    }

    /// A graph runs that allocates and frees. What it allocated before must be free, or
    /// is freed now (`again`).
    pub fn launch(&mut self, allocated: &[u64], freed: &[u64], again: bool) -> Result<()> {
        let mut own: BTreeSet<u64> = allocated.iter().copied().collect();
        let is_held = |at: &u64| self.held.iter().any(|held| held.at.contains(at));
        if !again && own.iter().any(is_held) {
            return Err(Error::INVALID_VALUE);
        }
        for &at in &own {
            // Most are free already.
            let _ = self.free(at);
        }
        self.idle = self.idle.max(self.pieces(&own));
        for at in freed {
            own.remove(at);
            if !allocated.contains(at) {
                self.free(*at)?;
            }
        }
        if !own.is_empty() {
            let bytes = self.pieces(&own);
            self.idle -= bytes.min(self.idle);
            self.held.push(Held { bytes, at: own });
        }
        let now = self.now();
        self.most.iter_mut().for_each(|most| *most = now.max(*most));
        Ok(())
    }

    /// Frees what a launch has allocated.
    pub fn free(&mut self, at: u64) -> Result<()> {
        let of = self.held.iter_mut().position(|held| held.at.remove(&at));
        let of = of.ok_or(Error::INVALID_VALUE)?;
        if self.held[of].at.is_empty() {
            self.idle += self.held.remove(of).bytes;
        }
        Ok(())
    }

    fn pieces(&self, at: &BTreeSet<u64>) -> u64 {
        let bytes: u64 = at.iter().filter_map(|at| self.bytes_at(*at)).sum();
        bytes.next_multiple_of(PIECE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(list: &[(u64, u64)]) -> GraphMemory {
        let mut memory = GraphMemory::default();
        list.iter().for_each(|(at, bytes)| memory.give(*at, *bytes));
        memory
    }

    /// Sizes as an H200 tells them of one graph at a time; that a smaller one finds what a
    /// larger one has left was not asked there.
    #[test]
    fn memory_is_there_from_the_first_launch_until_it_is_trimmed() {
        let mut memory = given(&[(1, 1000), (2, 64 << 20)]);
        assert_eq!(memory.now(), 0, "nodes alone need none");
        for (at, bytes) in [(1, PIECE), (2, 2 * PIECE), (1, 2 * PIECE)] {
            memory.launch(&[at], &[at], false).expect("launched");
            assert_eq!((memory.now(), memory.most(0)), (bytes, bytes));
        }
        memory.trim();
        assert_eq!((memory.now(), memory.most(1)), (0, 2 * PIECE));
        memory.forget_most(1);
        assert_eq!((memory.most(0), memory.most(1)), (2 * PIECE, 0));
        // One address may be given to two nodes, one after the other.
        memory.launch(&[1, 1], &[1, 1], false).expect("launched");
        assert_eq!(memory.now(), PIECE);
    }

    #[test]
    fn what_is_not_freed_stays_and_keeps_its_graph_from_another_launch() {
        let mut memory = given(&[(1, 4 << 20), (2, 4 << 20)]);
        memory.launch(&[1], &[], false).expect("launched");
        assert_eq!(memory.launch(&[1], &[], false), Err(Error::INVALID_VALUE));
        memory.trim();
        assert_eq!(memory.now(), PIECE);
        // Another graph's is beside it.
        memory.launch(&[2], &[2], false).expect("launched");
        assert_eq!(memory.now(), 2 * PIECE);
        memory.free(1).expect("freed");
        assert_eq!(memory.free(1), Err(Error::INVALID_VALUE));
        assert_eq!(memory.now(), 2 * PIECE);
        memory.trim();
        assert_eq!(memory.now(), 0);
        // Freed by the launch itself, or by another graph.
        memory.launch(&[1], &[], false).expect("launched");
        memory.launch(&[1], &[], true).expect("launched again");
        memory.launch(&[], &[1], false).expect("freed by a graph");
        assert_eq!(memory.launch(&[], &[1], false), Err(Error::INVALID_VALUE));
        assert_eq!(memory.now(), PIECE);
    }
}
