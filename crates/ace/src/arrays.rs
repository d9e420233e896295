//! The rules for each kind of array: plain lifetimes, from accesses alone.

use std::collections::BTreeMap;

use upset_state::{Access, Event, Extent, Kind};

use crate::clock::{Launches, Tally};
use crate::lifetime::{Since, needed};

/// All arrays of one kind.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    /// By instance: rows.
    rows: Vec<Vec<Row>>,
    /// Bits that were needed.
    pub(crate) data: Tally,
    /// Bits that somebody owned.
    pub(crate) owned: Tally,
    /// Caches: tags of lines that were there, state of lines that ever were.
    pub(crate) tags: Tally,
    pub(crate) states: Tally,
    /// Caches: lines that were there.
    pub(crate) lines: Tally,
}

#[derive(Clone, Debug, Default)]
struct Row {
    since: Since,
    /// First cycle at which it has an owner; caches: at which its tag counts.
    taken: Option<u64>,
    /// Caches: bytes that can be read.
    readable: u128,
    /// Caches: first cycle at which its state bits count.
    used: Option<u64>,
}

/// Granules of a row and bits of each.
fn shape(kind: Kind) -> (u32, u64) {
    match kind {
        Kind::Rf => (32, 32),
        Kind::Pred => (32, 1),
        Kind::Ureg => (1, 32),
        Kind::Upred => (1, 1),
        Kind::Smem => (1, 8),
        Kind::Ibuf => (1, 128),
        Kind::Lmem | Kind::Gmem | Kind::Cache(_) => (128, 8),
        // Their uses are not told.
        Kind::Pc | Kind::Mask | Kind::Conv | Kind::Sb => (1, 0),
    }
}

impl Arrays {
    /// Something happened to a row of one of them. It decides on flips before
    /// cycle `to`.
    pub(crate) fn event(&mut self, event: &Event, to: u64, launches: &Launches) {
        let (count, bits) = shape(event.array.kind);
        let (instance, row) = (event.array.instance as usize, event.row as usize);
        if self.rows.len() <= instance {
            self.rows.resize_with(instance + 1, Vec::new);
        }
        let rows = &mut self.rows[instance];
        if rows.len() <= row {
            rows.resize_with((row + 1).next_power_of_two(), Row::default);
        }
        let row = &mut rows[row];
        let at = (event.array.instance, event.row);
        let granules = match event.extent {
            Extent::Row => u128::MAX,
            Extent::Lanes(lanes) => u128::from(lanes),
            Extent::Bytes(bytes) => bytes,
        };
        let is_cache = matches!(event.array.kind, Kind::Cache(_));
        let row_bits = u64::from(count) * bits;
        match event.access {
            Access::Allocate if is_cache => {
                row.used.get_or_insert(to);
                row.leave(at, to, launches, &mut self.tags, &mut self.lines);
                row.taken = Some(to);
            }
            Access::Allocate => row.taken = Some(to),
            Access::Release => {
                if let Some(from) = row.taken.take() {
                    self.owned.add(launches, from, to, row_bits);
                }
            }
            Access::Fill | Access::Write if is_cache => {
                row.readable |= granules;
                // Emptied while a fetch was under way: it never left.
                row.taken.get_or_insert(to);
            }
            Access::Evict if is_cache => {
                row.readable &= !granules;
                if row.readable == 0 {
                    row.leave(at, to, launches, &mut self.tags, &mut self.lines);
                }
            }
            _ => {}
        }
        let Some(needed) = needed(event.access) else { return };
        let data = &mut self.data;
        if needed && !data.questions.is_empty() {
            for granule in (0..count).filter(|g| granules >> g & 1 == 1) {
                let from = row.since.of(granule);
                data.questions.count_granule(at, (granule.into(), bits), from, to);
            }
        }
        row.since.access(granules, count, to, |from, granules| {
            if needed {
                data.add(launches, from, to, u64::from(granules) * bits);
            }
        });
    }

    /// The run is over: what is still held was held to its end.
    pub(crate) fn close(&mut self, kind: Kind, end: u64, launches: &Launches) {
        let (count, bits) = shape(kind);
        let is_cache = matches!(kind, Kind::Cache(_));
        let numbered = self.rows.iter_mut().enumerate().flat_map(|(instance, rows)| {
            let at = move |row: usize| (instance as u32, row as u32);
            rows.iter_mut().enumerate().map(move |(row, life)| (at(row), life))
        });
        for (at, row) in numbered {
            if is_cache {
                if let Some(from) = row.used {
                    self.states.questions.count_granule(at, (0, u64::MAX), from, end);
                    self.states.add(launches, from, end, 1);
                }
                row.leave(at, end, launches, &mut self.tags, &mut self.lines);
            } else if let Some(from) = row.taken.take() {
                self.owned.add(launches, from, end, u64::from(count) * bits);
            }
        }
    }
}

impl Row {
    /// A line is no longer there.
    fn leave(
        &mut self,
        at: (u32, u32),
        to: u64,
        launches: &Launches,
        tags: &mut Tally,
        lines: &mut Tally,
    ) {
        if let Some(from) = self.taken.take() {
            tags.questions.count_granule(at, (0, u64::MAX), from, to);
            tags.add(launches, from, to, 1);
            lines.add(launches, from, to, 1);
        }
        self.readable = 0;
    }
}

/// Every kind of array that is analysed.
pub(crate) type Kinds = BTreeMap<Kind, Arrays>;

/// Whether a kind's uses are all told.
pub(crate) fn is_observed(kind: Kind) -> bool {
    shape(kind).1 > 0 && kind != Kind::Gmem
}
