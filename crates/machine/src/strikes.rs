//! Changes of bits, and what the bits belonged to.

use upset_state::Change;

use crate::owner::Owner;

/// A change of a bit, and what it belonged to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struck {
    /// When.
    pub cycle: u64,
    /// What was done.
    pub change: Change,
    /// The bit's value before; none where there is no such bit yet.
    pub before: Option<bool>,
    /// What it belonged to.
    pub owner: Owner,
}

/// The changes of a run. A bank has half a million bits: of all of them the
/// value is kept, of the first also what they belonged to.
#[derive(Clone, Debug, Default)]
pub struct Strikes {
    /// The first [`Strikes::KEPT`] changes, with what they belonged to.
    pub first: Vec<Struck>,
    /// All changes, and the bit's value before; none where there is no such bit yet.
    pub all: Vec<(Change, Option<bool>)>,
    /// Of all changes, those of bits that belonged to somebody.
    pub allocated: u64,
}

impl Strikes {
    /// Changes of which it is kept what they belonged to.
    pub const KEPT: usize = 1024;

    /// Changes of one cycle: the bits' values before (none where there are no
    /// such bits yet) and what they belonged to.
    pub(crate) fn add(&mut self, cycle: u64, changes: &[Change], before: &[bool], owned: Owned) {
        let value = |i: usize| before.get(i).copied();
        self.all.extend(changes.iter().enumerate().map(|(i, change)| (*change, value(i))));
        self.allocated += owned.allocated;
        let first = changes.iter().zip(owned.first).enumerate();
        self.first.extend(first.map(|(i, (change, owner))| Struck {
            cycle,
            change: *change,
            before: value(i),
            owner,
        }));
    }
}

/// What bits that are about to change belong to.
#[derive(Default)]
pub(crate) struct Owned {
    first: Vec<Owner>,
    allocated: u64,
}

impl Owned {
    /// One bit more; its owner is kept while there is room.
    pub(crate) fn add(&mut self, owner: Owner, room: usize) {
        self.allocated += u64::from(owner.is_allocated());
        if self.first.len() < room {
            self.first.push(owner);
        }
    }
}
