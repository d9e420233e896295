//! Which of an SM's schedulers looks first in a cycle.
//!
//! Where each has units of its own it does not matter, and they look by number.
//! Where they share units, the first that found one taken begins from then on,
//! and those after it follow by number: nobody is kept waiting for ever. That
//! depends on what happened and not on the cycle's number, so that runs which
//! agree but for a shift stay so.

use upset_machine::Reason;

use crate::config::Config;

/// The turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turn {
    /// They share units.
    shared: bool,
    first: u8,
    /// The first in this cycle that found a unit taken.
    refused: Option<u8>,
}

impl Turn {
    /// Of an SM's schedulers, the first.
    pub fn new(config: &Config) -> Turn {
        Turn { shared: config.schedulers > config.subcores, ..Turn::default() }
    }

    /// Whether it matters who is refused a unit.
    #[inline]
    pub fn is_shared(self) -> bool {
        self.shared
    }

    /// Who looks first.
    #[inline]
    pub fn first(self) -> usize {
        usize::from(self.first)
    }

    /// A scheduler could not issue, for this reason.
    #[inline]
    pub fn refuse(&mut self, scheduler: usize, why: Reason) {
        if why == Reason::Unit && self.shared {
            self.refused.get_or_insert(scheduler as u8);
        }
    }

    /// All have looked.
    #[inline]
    pub fn end(&mut self) {
        if let Some(first) = self.refused.take() {
            self.first = first;
        }
    }

    /// What there is to know, if they share units.
    pub fn known(self) -> Option<(u8, Option<u8>)> {
        self.shared.then_some((self.first, self.refused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_chip::ChipSpec;

    fn turn(chip: &str) -> Turn {
        Turn::new(&Config::new(&ChipSpec::preset(chip).expect("a chip")).expect("SMs"))
    }

    #[test]
    fn the_first_that_was_refused_a_unit_begins() {
        let mut turn = turn("titan");
        turn.refuse(1, Reason::Fetch);
        turn.refuse(2, Reason::Unit);
        turn.refuse(3, Reason::Unit);
        assert_eq!(turn.first(), 0, "the cycle is not over");
        turn.end();
        assert_eq!(turn.first(), 2);
        turn.end();
        assert_eq!(turn.first(), 2, "nobody was refused");
    }

    #[test]
    fn who_has_units_of_its_own_looks_by_number() {
        let mut turn = turn("rtx2060");
        turn.refuse(2, Reason::Unit);
        turn.end();
        assert_eq!((turn.first(), turn.known()), (0, None));
    }
}
