//! When rows were last written: how long a value has been there that a
//! work-group finds.

use upset_state::{Access, Event, Extent, Kind};

use crate::tables::at;

/// The last cycle in which all of a row was written, by instance and row.
#[derive(Debug, Default)]
pub(crate) struct Written {
    vrf: Vec<Vec<u64>>,
    srf: Vec<Vec<u64>>,
    lds: Vec<Vec<u64>>,
    m0: Vec<Vec<u64>>,
    scc: Vec<Vec<u64>>,
}

impl Written {
    /// An access to an array.
    pub(crate) fn event(&mut self, event: &Event) {
        // Lanes that are left out keep what was there before.
        let whole = !matches!(event.extent, Extent::Lanes(lanes) if lanes != !0);
        if event.access != Access::Write || !whole {
            return;
        }
        if let Some(table) = self.table(event.array.kind) {
            *at(table, event.array.instance as usize, event.row) = event.cycle;
        }
    }

    fn table(&mut self, kind: Kind) -> Option<&mut Vec<Vec<u64>>> {
        match kind {
            Kind::Vrf => Some(&mut self.vrf),
            Kind::Srf => Some(&mut self.srf),
            Kind::Lds => Some(&mut self.lds),
            Kind::M0 => Some(&mut self.m0),
            Kind::Scc => Some(&mut self.scc),
            _ => None,
        }
    }

    /// Of so many rows from one on.
    pub(crate) fn of(&self, kind: Kind, instance: u32, first: u32, count: u32) -> Vec<u64> {
        let table = match kind {
            Kind::Vrf => &self.vrf,
            Kind::Srf => &self.srf,
            Kind::Lds => &self.lds,
            Kind::M0 => &self.m0,
            _ => &self.scc,
        };
        let rows = table.get(instance as usize).map_or(&[][..], Vec::as_slice);
        (first..first + count).map(|r| rows.get(r as usize).copied().unwrap_or(0)).collect()
    }
}
