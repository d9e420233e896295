//! What an SM keeps of ghosts: their parts in what is in flight and in the
//! instruction that issues.

use std::collections::BTreeMap;
use std::sync::Arc;

use upset_isa::{Inst, Mask, Results};
use upset_state::{Origin, Probe};

use crate::code::Op;
use crate::depend::scoreboard::Scoreboard;
use crate::lsu::access::Access;
use crate::units::result::Flags;

/// A ghost's result on its way to the registers.
#[derive(Clone)]
pub(crate) struct GhostWrite {
    pub(super) ghost: u32,
    /// The instruction, which may be another one than the fault-free run's.
    pub(super) inst: Inst,
    pub(super) mask: Mask,
    pub(super) results: Results,
    pub(super) flags: Flags,
}

/// A ghost's version of an access.
pub(crate) type GhostAccess = (u32, Box<Access>);

/// What a word means to those who have another: the words, where they are, and how
/// many registers a thread has. Asked again and again, since warps execute a word in
/// turn.
pub(crate) type Meanings = BTreeMap<(u128, u128, u32, u32), Meaning>;

/// What a ghost's word means.
#[derive(Clone)]
pub(crate) enum Meaning {
    /// The same.
    Same,
    /// An instruction that takes the same course as the right one, with other results.
    Instead(Arc<Op>),
    /// Something else happens.
    Other,
}

/// A ghost's result goes to other places of a warp than the right one: until both are
/// there, a scoreboard says something else.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    pub(super) ghost: u32,
    pub(super) slot: u32,
    /// The result.
    pub(super) index: u32,
    pub(super) right: Scoreboard,
    pub(super) own: Scoreboard,
}

impl Board {
    /// Whether the two say something else about an instruction.
    pub(super) fn concerns(&self, op: &Op) -> bool {
        op.marks
            .as_ref()
            .is_some_and(|marks| self.right.meets(&marks.touched) || self.own.meets(&marks.touched))
    }
}

/// Ghosts' parts in what is in flight in an SM.
#[derive(Clone, Default)]
pub(crate) struct Shadows {
    pub(super) writes: BTreeMap<u32, Vec<GhostWrite>>,
    pub(super) boards: Vec<Board>,
    /// Whole accesses, of which only the data differ.
    pub(super) accesses: BTreeMap<u32, Vec<GhostAccess>>,
    /// And in the instruction that issues.
    pub(crate) issuing: Issuing,
    pub(crate) meanings: Meanings,
}

impl Shadows {
    pub(crate) fn clear(&mut self) {
        self.writes.clear();
        self.boards.clear();
        self.accesses.clear();
    }

    /// The ghosts' versions of an access.
    pub(crate) fn each_of(&mut self, index: u32) -> impl Iterator<Item = &mut Access> {
        self.accesses.get_mut(&index).into_iter().flatten().map(|(_, shadow)| &mut **shadow)
    }

    /// Takes the ghosts' versions of an access.
    pub(crate) fn take_access(&mut self, index: u32) -> Vec<GhostAccess> {
        self.accesses.remove(&index).unwrap_or_default()
    }

    /// Puts them back, if there are any.
    pub(crate) fn put_access(&mut self, index: u32, list: Vec<GhostAccess>) {
        if !list.is_empty() {
            self.accesses.insert(index, list);
        }
    }
}

/// Ghosts' parts in the instruction that issues: from the reading of its
/// constants on until it is on its way.
#[derive(Clone, Default)]
pub(crate) struct Issuing {
    /// Who has a part in it.
    pub(super) involved: Vec<u32>,
    /// Ghosts that execute another instruction, and which.
    pub(super) instead: Vec<(u32, Arc<Op>)>,
    /// Differences of its constants: ghost, number of the constant, difference.
    pub(super) constants: Vec<(u32, u8, u32)>,
    /// Packet in which the last constant that came from below its cache is.
    pub(crate) flight: u32,
}

impl Issuing {
    /// The instruction that a ghost executes where the others execute `op`.
    pub(super) fn own<'a>(&'a self, ghost: u32, op: &'a Op) -> &'a Op {
        self.instead.iter().find(|(g, _)| *g == ghost).map_or(op, |(_, own)| own)
    }

    /// Another instruction is about to issue.
    pub(crate) fn forget(&mut self) {
        self.involved.clear();
        self.constants.clear();
    }

    /// A word was read from an origin: it is constant `number`.
    pub(crate) fn keep_constant<P: Probe>(&mut self, number: usize, origin: Origin, p: &mut P) {
        let of_word = differences(origin, p);
        self.constants.extend(of_word.map(|(ghost, xor)| (ghost, number as u8, xor)));
    }

    /// Ghosts' words of a constant.
    pub(crate) fn of_constant(&self, number: u8) -> impl Iterator<Item = (u32, u32)> {
        self.constants.iter().filter(move |c| c.1 == number).map(|c| (c.0, c.2))
    }
}

/// The ghosts that differ in the word at an origin, and how.
pub(crate) fn differences<P: Probe>(
    origin: Origin,
    p: &mut P,
) -> impl Iterator<Item = (u32, u32)> + use<P> {
    let deltas = p.ghosts().map(|g| g.at_origin(origin)).unwrap_or_default();
    deltas.into_iter().map(|d| (d.ghost, d.words[0])).filter(|d| d.1 != 0)
}
