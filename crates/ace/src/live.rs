//! Bits that will matter, on the way back through a trace.

use upset_isa::{Lanes, WARP};

use crate::clock::{Launches, Tally};
use crate::needs::{Need, Needs};

/// A row of a register file: what those who read it from here on need.
#[derive(Clone, Debug)]
pub(crate) struct LiveRow {
    needs: [Need; WARP],
    /// Bits of which a flip does harm.
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
        LiveRow { needs: [Need::all(bits); WARP], count, until, spent: 0, at }
    }

    /// Accounts for the time after an access at `cycle`.
    pub(crate) fn settle(&mut self, cycle: u64, tally: &mut Tally, launches: &Launches) {
        if self.count > 0 && cycle < self.until {
            let bits = u64::from(self.count);
            tally.add(launches, cycle + 1, self.until + 1, bits);
            if !tally.questions.is_empty() {
                let alone = self.needs.map(|n| n.alone);
                tally.questions.count(self.at, &alone, cycle + 1, self.until + 1);
            }
            self.spent += bits * (self.until - cycle);
        }
        self.until = cycle;
    }

    /// One more reader, in these lanes.
    pub(crate) fn join(&mut self, reader: &Needs, lanes: u32) {
        let mut count = 0;
        for l in 0..WARP {
            if lanes & 1 << l != 0 {
                self.needs[l].join(reader.of(l));
            }
            count += self.needs[l].alone.count_ones();
        }
        self.count = count;
    }

    /// It is written in these lanes: what was there before is not needed. Gives
    /// what is needed of the new value: alone and jointly.
    pub(crate) fn take(&mut self, lanes: u32) -> (Lanes, Lanes) {
        let (mut alone, mut jointly) = ([0; WARP], [0; WARP]);
        let mut count = 0;
        for l in 0..WARP {
            if lanes & 1 << l != 0 {
                let taken = std::mem::take(&mut self.needs[l]);
                (alone[l], jointly[l]) = (taken.alone, taken.jointly);
            }
            count += self.needs[l].alone.count_ones();
        }
        self.count = count;
        (alone, jointly)
    }

    /// Lanes of which something may matter.
    pub(crate) fn lanes(&self) -> u32 {
        (0..WARP).fold(0, |all, l| all | u32::from(self.needs[l].jointly != 0) << l)
    }
}

/// A word or byte, or the lanes of a predicate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LiveWord {
    pub(crate) need: Need,
    pub(crate) until: u64,
    pub(crate) spent: u64,
    /// Instance and row.
    pub(crate) at: (u32, u32),
}

impl LiveWord {
    /// Accounts for the time after an access at `cycle`.
    pub(crate) fn settle(&mut self, cycle: u64, tally: &mut Tally, launches: &Launches) {
        let bits = u64::from(self.need.alone.count_ones());
        if bits > 0 && cycle < self.until {
            tally.add(launches, cycle + 1, self.until + 1, bits);
            tally.questions.count(self.at, &[self.need.alone], cycle + 1, self.until + 1);
            self.spent += bits * (self.until - cycle);
        }
        self.until = cycle;
    }
}
