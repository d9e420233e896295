//! When rows were last written: how long a value has been there that a
//! work-group finds.

use upset_state::{Access, Event, Extent, Kind};

use crate::tables::at;

/// Kinds whose values a work-group can find.
const KINDS: [Kind; 5] = [Kind::Vrf, Kind::Srf, Kind::Lds, Kind::M0, Kind::Scc];

/// The last cycle in which all of a row was written, by kind, instance and row.
#[derive(Debug, Default)]
pub(crate) struct Written {
    tables: [Vec<Vec<u64>>; KINDS.len()],
}

impl Written {
    /// An access to an array.
    pub(crate) fn event(&mut self, event: &Event) {
        // Lanes that are left out keep what was there before.
        let whole = !matches!(event.extent, Extent::Lanes(lanes) if lanes != !0);
        if event.access != Access::Write || !whole {
            return;
        }
        if let Some(n) = KINDS.iter().position(|kind| *kind == event.array.kind) {
            *at(&mut self.tables[n], event.array.instance as usize, event.row) = event.cycle;
        }
    }

    /// Of so many rows from one on; 0 for what was never written.
    pub(crate) fn of(&self, kind: Kind, instance: u32, first: u32, count: u32) -> Vec<u64> {
        let table = KINDS.iter().position(|k| *k == kind).map(|n| &self.tables[n]);
        let rows = table.and_then(|t| t.get(instance as usize)).map_or(&[][..], Vec::as_slice);
        (first..first + count).map(|r| rows.get(r as usize).copied().unwrap_or(0)).collect()
    }
}
