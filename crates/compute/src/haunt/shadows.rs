//! What an SM keeps of ghosts: their parts in what is in flight and in the
//! instruction that issues.

use std::collections::BTreeMap;

use upset_isa::{Mask, Results};
use upset_state::{Origin, Probe};

use crate::lsu::access::Access;
use crate::units::result::Flags;

/// A ghost's result on its way to the registers.
#[derive(Clone)]
pub(crate) struct GhostWrite {
    pub(super) ghost: u32,
    pub(super) mask: Mask,
    pub(super) results: Results,
    pub(super) flags: Flags,
}

/// A ghost's version of an access.
pub(crate) type GhostAccess = (u32, Box<Access>);

/// Whether two words mean the same: the words, where they are, and how many
/// registers a thread has. Asked again and again, since warps execute a word in turn.
pub(crate) type Meanings = BTreeMap<(u128, u128, u32, u32), bool>;

/// Ghosts' parts in what is in flight in an SM.
#[derive(Clone, Default)]
pub(crate) struct Shadows {
    pub(super) writes: BTreeMap<u32, Vec<GhostWrite>>,
    /// Whole accesses, of which only the data differ.
    pub(super) accesses: BTreeMap<u32, Vec<GhostAccess>>,
    /// And in the instruction that issues.
    pub(crate) issuing: Issuing,
    pub(crate) meanings: Meanings,
}

impl Shadows {
    pub(crate) fn clear(&mut self) {
        self.writes.clear();
        self.accesses.clear();
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
    /// Differences of its constants: ghost, number of the constant, difference.
    pub(super) constants: Vec<(u32, u8, u32)>,
    /// Packet in which the last constant that came from below its cache is.
    pub(crate) flight: u32,
}

impl Issuing {
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
