//! Bits at cycles of which somebody wants to know whether they count.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use upset_state::Site;

/// Whether a flip of a bit at a cycle counts as harmful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// In the plain bound.
    pub ace: bool,
    /// In the refined bound.
    pub refined: bool,
}

/// Questions about arrays of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    /// By instance and row.
    of_row: HashMap<(u32, u32), Vec<Question>>,
}

#[derive(Clone, Copy, Debug)]
struct Question {
    number: usize,
    cycle: u64,
    bit_of_row: u64,
    yes: bool,
}

impl Questions {
    /// Adds a question; rows have `row_bits` bits.
    pub(crate) fn ask(&mut self, number: usize, site: Site, cycle: u64, row_bits: u64) {
        let row = (site.array.instance, (site.bit / row_bits) as u32);
        let bit_of_row = site.bit % row_bits;
        let question = Question { number, cycle, bit_of_row, yes: false };
        self.of_row.entry(row).or_default().push(question);
    }

    /// From cycle `from` to before `to` the bits with ones in `bits` count: bit
    /// i of word w is bit `32 * w + i` of the row.
    #[inline]
    pub(crate) fn count(&mut self, row: (u32, u32), bits: &[u32], from: u64, to: u64) {
        if self.of_row.is_empty() {
            return;
        }
        for q in self.of_row.get_mut(&row).into_iter().flatten() {
            let word = bits.get((q.bit_of_row / 32) as usize).copied().unwrap_or(0);
            q.yes |= (from..to).contains(&q.cycle) && word >> (q.bit_of_row % 32) & 1 == 1;
        }
    }

    /// Counts granules of a row.
    pub(crate) fn count_granule(
        &mut self,
        row: (u32, u32),
        granule: (u64, u64),
        from: u64,
        to: u64,
    ) {
        for q in self.of_row.get_mut(&row).into_iter().flatten() {
            let (number, bits) = granule;
            q.yes |= (from..to).contains(&q.cycle) && q.bit_of_row / bits == number;
        }
    }

    /// Whether nobody asks.
    pub(crate) fn is_empty(&self) -> bool {
        self.of_row.is_empty()
    }

    /// The answers so far.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (usize, bool)> {
        self.of_row.values().flatten().map(|q| (q.number, q.yes))
    }

    /// Numbers of the questions whose answer is yes.
    pub(crate) fn yes(&self) -> impl Iterator<Item = usize> {
        self.numbers().filter(|q| q.1).map(|q| q.0)
    }
}
