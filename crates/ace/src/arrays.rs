//! The rules for each kind of array: plain lifetimes, from accesses alone.

use std::collections::BTreeMap;

use upset_state::{Access, Event, Extent, Kind};

use crate::clock::{Launches, Tally};
use crate::lifetime::{Since, needed};

/// All arrays of one kind.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    /// By instance: rows.
    rows: Vec<Vec<RowLife>>,
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
struct RowLife {
    since: Since,
    /// First cycle at which it has an owner; caches: at which its tag counts.
    taken: Option<u64>,
    /// Caches: when it was last emptied.
    left: u64,
    /// Caches: bytes that can be read.
    readable: u128,
    /// Caches: first cycle at which its state bits count.
    used: Option<u64>,
}

/// Granules of a row and bits of each.
fn shape(kind: Kind) -> (u32, u64) {
    // Of what is not told nothing is counted.
    kind.about().granules.map_or((1, 0), |g| (g.count, u64::from(g.bits)))
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
            rows.resize_with((row + 1).next_power_of_two(), RowLife::default);
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
                row.taken.get_or_insert(row.left);
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

impl RowLife {
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
            self.left = to;
        }
        self.readable = 0;
    }
}

/// Every kind of array that is analysed.
pub(crate) type Kinds = BTreeMap<Kind, Arrays>;

/// Whether a kind's uses are all told.
pub(crate) fn is_observed(kind: Kind) -> bool {
    kind.about().whole_life
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::ArrayId;

    const CACHE: Kind = Kind::Cache(0);

    struct Lab {
        launches: Launches,
        arrays: Arrays,
    }

    impl Lab {
        fn new() -> Lab {
            let mut launches = Launches::default();
            launches.begin(0, "kernel");
            Lab { launches, arrays: Arrays::default() }
        }

        /// An access that decides on flips before cycle `to`.
        fn access(&mut self, kind: Kind, row: u32, access: Access, extent: Extent, to: u64) {
            let event =
                Event::new(to.saturating_sub(1), ArrayId::data(kind, 0), row, access, extent);
            self.arrays.event(&event, to, &self.launches);
        }

        fn line(&mut self, access: Access, bytes: u128, to: u64) -> &mut Lab {
            self.access(CACHE, 0, access, Extent::Bytes(bytes), to);
            self
        }

        /// Bit-cycles of data, tags, state and lines up to cycle `end`.
        fn close(&mut self, kind: Kind, end: u64) -> [u64; 4] {
            self.launches.open(end);
            self.arrays.close(kind, end, &self.launches);
            let a = &self.arrays;
            let of = |t: &Tally| t.by_kernel(&self.launches, end)[0];
            [of(&a.data), of(&a.tags), of(&a.states), of(&a.lines)]
        }
    }

    /// Fig. 2 of SIFI: a file of 32 registers, work-groups of 12, two at a time;
    /// registers that are needed, first and last cycle, and first register of
    /// each of the four.
    #[test]
    fn the_worked_example_of_sifi() {
        let mut lab = Lab::new();
        for (needed, first, last, base) in
            [(3, 0, 2, 0), (5, 0, 3, 12), (6, 3, 5, 0), (7, 4, 6, 12)]
        {
            for row in base..base + 12 {
                lab.access(Kind::Rf, row, Access::Allocate, Extent::Row, first);
            }
            for row in base..base + needed {
                lab.access(Kind::Rf, row, Access::Write, Extent::Row, first);
                lab.access(Kind::Rf, row, Access::Read, Extent::Row, last + 1);
            }
            for row in base..base + 12 {
                lab.access(Kind::Rf, row, Access::Release, Extent::Row, last + 1);
            }
        }
        let registers = |t: &Tally| t.timeline(7, 7).iter().map(|b| b / 1024.0).collect::<Vec<_>>();
        let line = crate::Timeline {
            structure: "rf".into(),
            bucket_cycles: 1.0,
            ace: registers(&lab.arrays.data),
            refined: Vec::new(),
            owned: registers(&lab.arrays.owned),
        };
        assert_eq!(line.ace, [8.0, 8.0, 8.0, 11.0, 13.0, 13.0, 7.0]);
        assert_eq!(line.owned, [24.0, 24.0, 24.0, 24.0, 24.0, 24.0, 12.0]);
        let avf = lab.close(Kind::Rf, 7)[0] as f64 / 1024.0 / (32.0 * 7.0);
        assert_eq!(format!("{avf:.4} {:.4}", line.mean_util()), "0.3036 0.4464");
    }

    #[test]
    fn a_value_counts_from_its_write_to_its_last_read() {
        let mut lab = Lab::new();
        lab.access(Kind::Ureg, 3, Access::Write, Extent::Row, 10);
        lab.access(Kind::Ureg, 3, Access::Read, Extent::Row, 12);
        lab.access(Kind::Ureg, 3, Access::Read, Extent::Row, 20);
        lab.access(Kind::Ureg, 3, Access::Write, Extent::Row, 50);
        lab.access(Kind::Ureg, 3, Access::Write, Extent::Row, 60);
        assert_eq!(lab.close(Kind::Ureg, 100)[0], 10 * 32);
    }

    #[test]
    fn what_the_last_owner_left_counts_if_the_next_reads_it() {
        let mut lab = Lab::new();
        lab.access(Kind::Rf, 0, Access::Write, Extent::Lanes(1), 10);
        lab.access(Kind::Rf, 0, Access::Release, Extent::Row, 20);
        lab.access(Kind::Rf, 0, Access::Allocate, Extent::Row, 30);
        lab.access(Kind::Rf, 0, Access::Read, Extent::Lanes(3), 40);
        assert_eq!(lab.close(Kind::Rf, 100)[0], 30 * 32 + 40 * 32);
    }

    #[test]
    fn clean_lines_count_until_their_last_read() {
        let mut lab = Lab::new();
        lab.line(Access::Allocate, !0, 10).line(Access::Fill, 0xff, 12);
        lab.line(Access::Read, 0x0f, 20).line(Access::Evict, 0xff, 50);
        // The state of a line that was ever taken counts to the end.
        assert_eq!(lab.close(CACHE, 100), [8 * 4 * 8, 40, 90, 40]);
    }

    #[test]
    fn dirty_bytes_count_until_they_are_written_back() {
        let mut lab = Lab::new();
        lab.line(Access::Allocate, !0, 10).line(Access::Write, 0xf, 10);
        lab.line(Access::WriteBack, 0xf, 50).line(Access::Evict, 0xf, 50);
        assert_eq!(lab.close(CACHE, 100)[0], 40 * 4 * 8);
    }

    #[test]
    fn bytes_at_the_end_count_if_the_host_copies_them() {
        let mut lab = Lab::new();
        lab.line(Access::Allocate, !0, 10).line(Access::Write, 0xff, 10);
        lab.launches.open(60);
        lab.line(Access::CopyOut, 0xf, 61);
        assert_eq!(lab.close(CACHE, 60), [50 * 4 * 8, 50, 50, 50]);
    }

    #[test]
    fn a_line_that_is_emptied_during_a_fetch_stays() {
        let mut lab = Lab::new();
        lab.line(Access::Allocate, !0, 10).line(Access::Fill, 0xf, 12);
        lab.line(Access::Evict, 0xf, 20).line(Access::Fill, 0xf0, 30);
        assert_eq!(lab.close(CACHE, 40)[1], 30);
    }
}
