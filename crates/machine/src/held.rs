//! What the work-groups of a core hold over time.

use upset_state::Steps;

/// What the work-groups of a core hold.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub(crate) rows: Steps,
    pub(crate) shared_bytes: Steps,
    /// Rows and bytes at present.
    at_present: (i64, i64),
}

impl Held {
    /// So many rows and bytes more (or less) from this cycle on.
    pub fn change(&mut self, cycle: u64, rows: i64, bytes: i64) {
        self.rows.add(cycle, rows);
        self.shared_bytes.add(cycle, bytes);
        self.at_present = (self.at_present.0 + rows, self.at_present.1 + bytes);
    }

    /// All of it is given back.
    pub fn let_go(&mut self, cycle: u64) {
        let (rows, bytes) = self.at_present;
        self.change(cycle, -rows, -bytes);
    }
}
