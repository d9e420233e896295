//! How an array's bits lie: entries, and rows of entries.

use upset_state::Layout;

/// Bits of an entry of a byte array: a word of four bytes.
const WORD_BITS: u64 = 32;

/// The shape of an array as patterns see it.
///
/// Entries are runs of `entry` bits: a register word of one lane, a line's
/// data, tag or state, a word of memory. Rows are entries above one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Bits of the array.
    pub bits: u64,
    /// Bits of an entry.
    pub entry: u64,
    /// Rows of a block; blocks follow one another.
    pub rows: u64,
    /// Entries side by side in a row.
    pub width: u64,
}

/// Columns of an array: the same bit in all rows of its first axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// How many there are: bits of a row.
    pub count: u64,
    /// Bits of each: rows.
    pub rows: u64,
}

impl Columns {
    pub(crate) fn of(layout: &Layout) -> Columns {
        // Where there is but one set, its ways are the rows.
        let outer = layout.axes.split_last().map_or(&[][..], |(_, outer)| outer);
        let rows = outer.iter().map(|a| a.size).find(|size| *size > 1).unwrap_or(1);
        Columns { count: layout.bits() / rows, rows }
    }

    /// The bits of a column, ascending.
    pub(crate) fn bits(&self, column: u64) -> impl Iterator<Item = u64> {
        let Columns { count, rows } = *self;
        (0..rows).map(move |row| row * count + column)
    }
}

impl Geometry {
    pub(crate) fn of(layout: &Layout) -> Geometry {
        let bits = layout.bits();
        let last = layout.axes.last().map_or(1, |a| a.size.max(1));
        let bytes = layout.axes.len() == 2 && layout.axes[0].name == "byte" && last == 8;
        let entry = if bytes { WORD_BITS } else { last };
        // Register rows lie above one another, and so do the sets of a way. Where
        // there is but one set, and in all other arrays, entries do.
        let rows = layout.axes.iter().position(|a| matches!(a.name, "row" | "set") && a.size > 1);
        match rows {
            Some(at) => {
                let within: u64 = layout.axes[at + 1..].iter().map(|a| a.size).product();
                Geometry { bits, entry, rows: layout.axes[at].size, width: within / entry }
            }
            None => Geometry { bits, entry, rows: bits / entry, width: 1 },
        }
    }

    /// Entries that are whole. Memory may end with less than a word.
    pub(crate) fn entries(&self) -> u64 {
        self.bits / self.entry
    }

    /// Bits of the entry that holds `bit`.
    pub(crate) fn entry_bits(&self, bit: u64) -> u64 {
        self.entry.min(self.bits - bit / self.entry * self.entry)
    }

    /// Bits that lie in an entry of at least `count` bits; they are the first.
    pub(crate) fn in_entries_of(&self, count: u64) -> u64 {
        let tail = self.bits % self.entry;
        let whole = if count <= self.entry { self.bits - tail } else { 0 };
        whole + if count <= tail { tail } else { 0 }
    }

    /// Places of `count` consecutive bits within an entry.
    pub(crate) fn adjacent(&self, count: u64) -> u64 {
        let per_entry = (self.entry + 1).saturating_sub(count);
        let tail = (self.bits % self.entry + 1).saturating_sub(count);
        self.entries() * per_entry + if self.bits.is_multiple_of(self.entry) { 0 } else { tail }
    }

    /// First bit of the nth such place.
    pub(crate) fn adjacent_at(&self, count: u64, n: u64) -> u64 {
        let per_entry = (self.entry + 1).saturating_sub(count).max(1);
        let whole = self.entries() * (self.entry + 1).saturating_sub(count);
        if n < whole {
            n / per_entry * self.entry + n % per_entry
        } else {
            self.entries() * self.entry + (n - whole)
        }
    }

    /// Places of a cluster of `rows` x `columns` bits.
    pub(crate) fn clusters(&self, rows: u64, columns: u64) -> u64 {
        let across = (self.entry + 1).saturating_sub(columns);
        let down = (self.rows + 1).saturating_sub(rows);
        self.blocks() * down * self.width * across
    }

    /// The bits of the nth such place, ascending.
    pub(crate) fn cluster_at(&self, rows: u64, columns: u64, n: u64) -> Vec<u64> {
        let across = (self.entry + 1).saturating_sub(columns).max(1);
        let down = (self.rows + 1).saturating_sub(rows).max(1);
        let (column, n) = (n % across, n / across);
        let (side, n) = (n % self.width, n / self.width);
        let (row, block) = (n % down, n / down);
        let first = block * self.rows + row;
        (first..first + rows)
            .flat_map(|row| {
                let start = (row * self.width + side) * self.entry + column;
                start..start + columns
            })
            .collect()
    }

    fn blocks(&self) -> u64 {
        self.entries().checked_div(self.rows * self.width).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;
    use std::collections::BTreeSet;

    fn of(name: &str) -> Geometry {
        let registry = toy::registry();
        Geometry::of(registry.arrays.iter().find(|l| l.name(0).starts_with(name)).unwrap())
    }

    #[test]
    fn entries_and_rows() {
        let g = |bits, entry, rows, width| Geometry { bits, entry, rows, width };
        assert_eq!(of("rf:sm0.sub0"), g(4 * 4 * 8, 8, 4, 4));
        assert_eq!(of("mask:sm0"), g(3 * 2 * 4, 4, 6, 1));
        assert_eq!(of("smem:sm0"), g(10 * 8, 32, 2, 1));
        assert_eq!(of("l1d:sm0.set0.way0.data"), g(4 * 16, 16, 4, 1));
        assert_eq!(of("l2:slice0.set0.way0.tag"), g(3 * 2 * 5, 5, 3, 2));
    }

    #[test]
    fn columns_are_a_bit_of_every_row() {
        let of = |name: &str| {
            let registry = toy::registry();
            Columns::of(registry.arrays.iter().find(|l| l.name(0).starts_with(name)).unwrap())
        };
        let c = |count, rows| Columns { count, rows };
        assert_eq!(of("rf:sm0.sub0"), c(4 * 8, 4));
        assert_eq!(of("mask:sm0"), c(2 * 4, 3));
        assert_eq!(of("smem:sm0"), c(8, 10));
        assert_eq!(of("l1d:sm0.set0.way0.tag"), c(5, 4));
        assert_eq!(of("l2:slice0.set0.way0.tag"), c(2 * 5, 3));
        assert_eq!(of("mask:sm0").bits(5).collect::<Vec<_>>(), [5, 13, 21]);
    }

    #[test]
    fn adjacent_places_are_all_of_them() {
        let g = of("smem:sm0");
        for count in 1..=33 {
            let found: Vec<u64> = (0..g.adjacent(count)).map(|n| g.adjacent_at(count, n)).collect();
            let right: Vec<u64> = (0..80).filter(|b| b % 32 + count <= g.entry_bits(*b)).collect();
            assert_eq!(found, right, "{count}");
        }
        assert_eq!(g.in_entries_of(16), 80);
        assert_eq!(g.in_entries_of(17), 64);
        assert_eq!(g.in_entries_of(33), 0);
    }

    #[test]
    fn clusters_are_all_of_them() {
        for name in ["rf:sm0.sub0", "l2:slice0.set0.way0.tag", "l1d:sm0.set0.way0.data", "smem:sm0"]
        {
            let g = of(name);
            for (rows, columns) in [(1, 1), (2, 3), (3, 1), (1, 5), (5, 1), (2, 40)] {
                let found: BTreeSet<Vec<u64>> = (0..g.clusters(rows, columns))
                    .map(|n| g.cluster_at(rows, columns, n))
                    .collect();
                // Every corner from which the cluster stays within rows and entries.
                let fits = |bit: &u64| {
                    let row = bit / g.entry / g.width % g.rows;
                    bit / g.entry < g.entries()
                        && bit % g.entry + columns <= g.entry
                        && row + rows <= g.rows
                };
                let right: BTreeSet<Vec<u64>> = (0..g.bits)
                    .filter(fits)
                    .map(|bit| {
                        (0..rows * columns)
                            .map(|i| bit + i / columns * g.width * g.entry + i % columns)
                            .collect()
                    })
                    .collect();
                assert_eq!(found, right, "{name} {rows}x{columns}");
                assert_eq!(found.len() as u64, g.clusters(rows, columns));
            }
        }
    }
}
