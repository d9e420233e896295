//! What readers need of a value's bits.
//!
//! Two questions, since wrong bits that are harmless one by one may do harm
//! together. *Alone*: does a flip of this bit, and of nothing else in the
//! machine, do harm? *Jointly*: may it, whatever other bits are wrong? The first
//! decides what counts; the second is asked of values that a flip reached in
//! more than one bit, or on more than one way.

use upset_isa::{Lanes, WARP};

/// What one reader needs of a register, bit by bit.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    /// A flip alone does harm.
    pub(crate) alone: Lanes,
    /// A change may do harm together with others.
    pub(crate) jointly: Lanes,
    /// A flip alone changes one bit of the result, harmless unless others are
    /// wrong as well.
    pub(crate) passes: Lanes,
    /// A flip alone changes bits of a result that is used, but none that can
    /// ever do harm.
    pub(crate) slips: Lanes,
}

impl Needs {
    /// Nothing.
    pub(crate) const NOTHING: Needs =
        Needs { alone: [0; WARP], jointly: [0; WARP], passes: [0; WARP], slips: [0; WARP] };

    /// These bits, in any case.
    pub(crate) fn all(bits: &Lanes) -> Needs {
        Needs { alone: *bits, jointly: *bits, ..Needs::NOTHING }
    }

    /// Says what is needed of one lane.
    pub(crate) fn put(&mut self, lane: usize, need: Need) {
        self.alone[lane] = need.alone;
        self.jointly[lane] = need.jointly;
        self.passes[lane] = need.passes;
        self.slips[lane] = need.slips;
    }

    /// One lane's.
    pub(crate) fn of(&self, lane: usize) -> Need {
        Need {
            alone: self.alone[lane],
            jointly: self.jointly[lane],
            passes: self.passes[lane],
            slips: self.slips[lane],
        }
    }
}

/// What readers need of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) alone: u32,
    pub(crate) jointly: u32,
    pub(crate) passes: u32,
    pub(crate) slips: u32,
}

impl Need {
    /// These bits, in any case.
    pub(crate) fn all(bits: u32) -> Need {
        Need { alone: bits, jointly: bits, ..Need::default() }
    }

    /// Of a reader that only moves bits: to those of a value that is needed
    /// like this.
    pub(crate) fn moved(of: Need, live: bool) -> Need {
        let harmless = !of.alone;
        Need {
            alone: of.alone,
            jointly: of.jointly,
            passes: of.jointly & harmless,
            slips: if live { !of.jointly } else { 0 },
        }
    }

    /// One more reader. A flip that reaches two results is no longer alone.
    #[inline]
    pub(crate) fn join(&mut self, reader: Need) {
        let twice = reader.passes & (self.passes | self.slips) | reader.slips & self.passes;
        self.alone |= reader.alone | twice;
        self.jointly |= reader.jointly;
        self.passes |= reader.passes;
        self.slips |= reader.slips;
    }

    /// The same bits elsewhere in a word.
    pub(crate) fn map(self, f: impl Fn(u32) -> u32) -> Need {
        Need {
            alone: f(self.alone),
            jointly: f(self.jointly),
            passes: f(self.passes),
            slips: f(self.slips),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_that_goes_two_ways_is_not_alone() {
        let moved = Need::moved(Need { alone: 1, jointly: 3, ..Need::default() }, true);
        assert_eq!((moved.alone, moved.jointly, moved.passes), (1, 3, 2));
        assert_eq!(moved.slips, !3);
        let mut need = Need::default();
        need.join(moved);
        assert_eq!(need.alone, 1);
        need.join(moved);
        assert_eq!(need.alone, 3);
    }

    #[test]
    fn bits_that_nothing_ever_needs_stay_harmless_on_many_ways() {
        let slip = Need { slips: 4, ..Need::default() };
        let mut need = Need::default();
        (0..3).for_each(|_| need.join(slip));
        assert_eq!(need.alone, 0);
        need.join(Need { passes: 4, ..Need::default() });
        assert_eq!(need.alone, 4);
    }
}
