//! What the work-groups of a core hold over time.

use upset_state::Steps;

/// What the work-groups of a core hold.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub(crate) rows: Steps,
    pub(crate) shared_bytes: Steps,
    pub(crate) scalars: Steps,
    /// Rows, bytes and scalar registers at present.
    at_present: (i64, i64, i64),
}

impl Held {
    /// So many rows and bytes more (or less) from this cycle on.
    pub fn change(&mut self, cycle: u64, rows: i64, bytes: i64) {
        self.rows.add(cycle, rows);
        self.shared_bytes.add(cycle, bytes);
        self.at_present.0 += rows;
        self.at_present.1 += bytes;
    }

    /// So many scalar registers more (or less) from this cycle on, where a warp
    /// is given some.
    pub fn change_scalars(&mut self, cycle: u64, scalars: i64) {
        self.scalars.add(cycle, scalars);
        self.at_present.2 += scalars;
    }

    /// All of it is given back.
    pub fn let_go(&mut self, cycle: u64) {
        let (rows, bytes, scalars) = self.at_present;
        self.change(cycle, -rows, -bytes);
        self.change_scalars(cycle, -scalars);
    }
}
