//! Bits that will matter, on the way back through a trace.

use upset_isa::{Lanes, WARP};

use crate::clock::{Launches, Tally};

/// A row: which of its bits matter from here on.
#[derive(Clone, Debug)]
pub(crate) struct LiveRow {
    pub(crate) bits: Lanes,
    /// Number of them.
    count: u32,
    /// The cycle of the next access.
    until: u64,
    /// Bit-cycles since the value was written, as far as seen.
    pub(crate) spent: u64,
    /// Register file and row.
    at: (u32, u32),
}

impl LiveRow {
    /// A row whose bits do not matter after `until`, or all do.
    pub(crate) fn new(bits: u32, until: u64, at: (u32, u32)) -> LiveRow {
        let count = bits.count_ones() * WARP as u32;
        LiveRow { bits: [bits; WARP], count, until, spent: 0, at }
    }

    /// Accounts for the time after an access at `cycle`.
    pub(crate) fn settle(&mut self, cycle: u64, tally: &mut Tally, launches: &Launches) {
        if self.count > 0 && cycle < self.until {
            let bits = u64::from(self.count);
            tally.add(launches, cycle + 1, self.until + 1, bits);
            tally.questions.count(self.at, &self.bits, cycle + 1, self.until + 1);
            self.spent += bits * (self.until - cycle);
        }
        self.until = cycle;
    }

    /// These bits matter too.
    pub(crate) fn join(&mut self, bits: &Lanes, lanes: u32) {
        let mut count = 0;
        for l in 0..WARP {
            if lanes & 1 << l != 0 {
                self.bits[l] |= bits[l];
            }
            count += self.bits[l].count_ones();
        }
        self.count = count;
    }

    /// Before this the bits of these lanes did not matter; gives those that do after.
    pub(crate) fn take(&mut self, lanes: u32) -> Lanes {
        let mut taken = [0; WARP];
        let mut count = 0;
        for l in 0..WARP {
            if lanes & 1 << l != 0 {
                taken[l] = std::mem::take(&mut self.bits[l]);
            }
            count += self.bits[l].count_ones();
        }
        self.count = count;
        taken
    }

    /// Whether something matters.
    pub(crate) fn is_live(&self) -> bool {
        self.count > 0
    }

    /// Lanes of which something matters.
    pub(crate) fn lanes(&self) -> u32 {
        (0..WARP).fold(0, |all, l| all | u32::from(self.bits[l] != 0) << l)
    }
}

/// A word or byte, or the lanes of a predicate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LiveWord {
    pub(crate) bits: u32,
    pub(crate) until: u64,
    pub(crate) spent: u64,
    /// Instance and row.
    pub(crate) at: (u32, u32),
}

impl LiveWord {
    /// Accounts for the time after an access at `cycle`.
    pub(crate) fn settle(&mut self, cycle: u64, tally: &mut Tally, launches: &Launches) {
        if self.bits != 0 && cycle < self.until {
            let bits = u64::from(self.bits.count_ones());
            tally.add(launches, cycle + 1, self.until + 1, bits);
            tally.questions.count(self.at, &[self.bits], cycle + 1, self.until + 1);
            self.spent += bits * (self.until - cycle);
        }
        self.until = cycle;
    }
}
