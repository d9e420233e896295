//! Divergence by a stack, as code before sm_70 has it: one program counter per
//! warp, and entries that say where which threads go on.
//!
//! `SSY`, `PBK`, `PCNT`, `PRET` and `PLONGJMP` push an address with the threads
//! that run; a call pushes where it returns to; a branch that only some threads
//! take pushes those. A thread leaves its group by an instruction with `.S`, by
//! `BRK`, `CONT`, `RET` or `LONGJMP`, and the group goes on without it. When
//! nobody is left, the uppermost entry says who goes on and where; if none of
//! its threads can, the next one does. A thread that has left by `BRK` is
//! passed over until the entry of a `PBK` that names it comes up, and so for
//! the other three.
//!
//! What is known of hardware and what is assumed is in docs/kepler-control.md.

use std::hash::{Hash, Hasher};

use crate::Mask;

/// Entries in the SM, of each warp; those below them are in memory.
pub const ENTRIES: usize = 16;
/// Entries of a warp at most, in the SM and in memory.
pub const DEEPEST: u16 = 1 << DEPTH_BITS;
/// Bits of the number of entries.
pub const DEPTH_BITS: u32 = 10;
/// Bits of an entry: address, threads, kind.
pub const ENTRY_BITS: u32 = 32 + 32 + KIND_BITS;
const KIND_BITS: u32 = 3;

/// What pushed an entry, and so whom it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A branch: threads that went the other way.
    Branch = 1,
    /// `SSY`; threads come by `.S`.
    Sync = 2,
    /// `PBK`; threads come by `BRK`.
    Break = 3,
    /// `PCNT`; threads come by `CONT`.
    Continue = 4,
    /// A call or `PRET`; threads come by `RET`.
    Call = 5,
    /// `PLONGJMP`; threads come by `LONGJMP`.
    LongJump = 6,
}

impl EntryKind {
    /// All of them.
    pub const ALL: [EntryKind; 6] = [
        EntryKind::Branch,
        EntryKind::Sync,
        EntryKind::Break,
        EntryKind::Continue,
        EntryKind::Call,
        EntryKind::LongJump,
    ];

    fn stored(bits: u8) -> Option<EntryKind> {
        EntryKind::ALL.into_iter().find(|kind| *kind as u8 == bits)
    }

    /// Which state threads are in that wait for such an entry; those that wait
    /// for a branch or a join need none, they are just not active.
    pub(super) fn state(self) -> Option<usize> {
        match self {
            EntryKind::Branch | EntryKind::Sync => None,
            EntryKind::Break => Some(0),
            EntryKind::Continue => Some(1),
            EntryKind::Call => Some(2),
            EntryKind::LongJump => Some(3),
        }
    }
}

/// States of a thread that is neither active nor branched off, by name.
pub const STATES: [&str; 4] = ["broke", "continued", "returned", "jumped"];

/// An entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Where its threads go on.
    pub address: u32,
    /// Its threads.
    pub threads: Mask,
    /// Its [`EntryKind`], as stored: a fault may leave what is none.
    pub kind: u8,
}

impl Entry {
    pub(super) fn new(kind: EntryKind, address: u32, threads: Mask) -> Entry {
        Entry { address, threads, kind: kind as u8 }
    }

    /// A bit of it: the address first, then the threads, then the kind.
    pub fn bit(&self, bit: u32) -> bool {
        self.word() >> bit & 1 == 1
    }

    /// Sets a bit of it.
    pub fn set_bit(&mut self, bit: u32, value: bool) {
        let word = self.word() & !(1 << bit) | u128::from(value) << bit;
        self.address = word as u32;
        self.threads = (word >> 32) as u32;
        self.kind = (word >> 64) as u8 & ((1 << KIND_BITS) - 1);
    }

    fn word(&self) -> u128 {
        u128::from(self.address) | u128::from(self.threads) << 32 | u128::from(self.kind) << 64
    }
}

/// What is wrong with a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wrong {
    Full,
    Empty,
    NoKind,
}

/// A warp's threads at a CTA barrier, where they stop and go on together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AtBarrier {
    pub bar: u8,
    pub threads: Mask,
    pub released: bool,
}

/// The stack of a warp.
///
/// Every state is accepted: a fault may put any bits anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stack {
    /// The uppermost entries. The one at depth `d` is number `d % ENTRIES`, so
    /// that entries stay where they are; those that are not used keep what
    /// they held.
    pub entries: [Entry; ENTRIES],
    /// Entries pushed and not popped.
    pub depth: u16,
    /// Threads in each of [`STATES`].
    pub left: [Mask; STATES.len()],
    /// Entries that the SM had no room for, in memory.
    below: Vec<Entry>,
    pub(super) at_barrier: Option<AtBarrier>,
    pub(super) wrong: Option<Wrong>,
}

impl Stack {
    fn place(depth: u16) -> usize {
        usize::from(depth) % ENTRIES
    }

    /// Numbers of the entries in use, from the lowest of those in the SM up.
    pub fn used(&self) -> impl Iterator<Item = usize> {
        let here = usize::from(self.depth).saturating_sub(self.below.len()).min(ENTRIES) as u16;
        (self.depth - here..self.depth).map(Stack::place)
    }

    pub(super) fn push(&mut self, entry: Entry) {
        if self.depth >= DEEPEST - 1 {
            self.wrong = Some(Wrong::Full);
            return;
        }
        let place = Stack::place(self.depth);
        // The lowest one in the SM is where the new one will be.
        if usize::from(self.depth) >= self.below.len() + ENTRIES {
            self.below.push(self.entries[place]);
        }
        self.entries[place] = entry;
        self.depth += 1;
    }

    fn pop(&mut self) -> Option<Entry> {
        let depth = self.depth.checked_sub(1)?;
        self.depth = depth;
        if usize::from(depth) < self.below.len() {
            // None is left in the SM; only a fault empties it further.
            let lowest = self.below.pop()?;
            self.entries[Stack::place(depth)] = lowest;
        }
        Some(self.entries[Stack::place(depth)])
    }

    /// Where threads go on now that nobody runs, and who.
    pub(super) fn next(&mut self, live: Mask) -> Option<(EntryKind, u32, Mask)> {
        while let Some(entry) = self.pop() {
            let Some(kind) = EntryKind::stored(entry.kind) else {
                self.wrong = Some(Wrong::NoKind);
                return None;
            };
            if let Some(state) = kind.state() {
                self.left[state] &= !entry.threads;
            }
            let elsewhere = self.left.iter().fold(0, |all, threads| all | threads);
            let threads = entry.threads & live & !elsewhere;
            if threads != 0 {
                return Some((kind, entry.address, threads));
            }
        }
        if live != 0 {
            self.wrong = Some(Wrong::Empty);
        }
        None
    }
}

impl Stack {
    /// Takes in what can still be seen.
    pub(super) fn observe(&self, h: &mut impl Hasher) {
        let Stack { entries, depth, left, below, at_barrier, wrong } = self;
        (depth, left, below, at_barrier, wrong).hash(h);
        self.used().for_each(|place| entries[place].hash(h));
    }
}
