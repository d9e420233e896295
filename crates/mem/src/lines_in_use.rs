//! How many lines of a cache are in use over time.

use upset_state::Steps;

/// Lines of a cache that are in use, counted where that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinesInUse {
    /// Lines that were given to an address and not emptied since: what their
    /// data and tags hold means something.
    pub now: Steps,
    /// Lines that ever were: their tags stay, so that their state bits mean
    /// something for good, and be it that there is nothing.
    pub ever: Steps,
    /// By row: in use.
    is: Vec<bool>,
    /// By row: was in use.
    was: Vec<bool>,
}

impl LinesInUse {
    /// None of so many rows.
    pub(crate) fn of(rows: u32) -> LinesInUse {
        let none = vec![false; rows as usize];
        LinesInUse { is: none.clone(), was: none, ..LinesInUse::default() }
    }

    /// A row is given to an address.
    pub(crate) fn taken(&mut self, cycle: u64, row: u32) {
        let row = row as usize;
        if !std::mem::replace(&mut self.is[row], true) {
            self.now.add(cycle, 1);
        }
        if !std::mem::replace(&mut self.was[row], true) {
            self.ever.add(cycle, 1);
        }
    }

    /// A row is empty.
    pub(crate) fn left(&mut self, cycle: u64, row: u32) {
        if std::mem::replace(&mut self.is[row as usize], false) {
            self.now.add(cycle, -1);
        }
    }
}
