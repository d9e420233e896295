//! Where on the chip failures start: SM over row, slice over set.

use serde::Serialize;
use upset_chip::Words;
use upset_state::Owner;
use upset_state::kind::named;
use upset_store::Hit;

use super::slot::{Drawn, Slot};
use crate::cell::Cell;

/// Places of a structure as a map.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMap {
    /// What stands side by side: SM, slice.
    pub across: &'static str,
    /// How many of them each column has.
    pub across_step: u64,
    /// Columns.
    pub columns: usize,
    /// What stands above each other: row, byte, set, way.
    pub down: &'static str,
    /// How many of them each line of the map has.
    pub down_step: u64,
    /// Lines.
    pub lines: usize,
    /// Line by line.
    pub slots: Vec<Slot>,
}

/// Most columns and lines: what can be told apart on a phone.
const MOST: u64 = 20;
/// Runs that a place should have on average; fewer tell nothing.
const ENOUGH: u64 = 5;

type Axis = (&'static str, fn(&Hit) -> Option<u64>);

/// `None` where hits have no two coordinates, or too few runs are there.
pub fn map(structure: &str, cells: &[&Cell<'_>], drawn: &Drawn<'_>) -> Option<HeatMap> {
    let most = |of: fn(&Hit) -> Option<u64>| drawn.hits().filter_map(of).max();
    let (across, place): Axis = match most(|h| h.slice) {
        Some(_) => ("slice", |h| h.slice),
        None => (Words::of_toml(&cells.first()?.subject.chip_toml).processor, |h| h.sm),
    };
    let bytes = named(structure).is_some_and(|k| k.owner == Owner::Cta);
    let axes: [Axis; 3] =
        [("set", |h| h.set), ("way", |h| h.way), (if bytes { "byte" } else { "row" }, |h| h.row)];
    // One set alone says nothing; then the ways do.
    let (down, entry) = *axes.iter().find(|(_, of)| most(*of).is_some_and(|m| m > 0))?;
    let whole = match across {
        "slice" => 0,
        _ => u64::from(cells.first()?.subject.profile.sms),
    };
    let wide = whole.max(most(place)? + 1);
    let high = (most(entry)? + 1).next_power_of_two();
    let (mut columns, mut lines) = (wide.min(MOST), high.min(MOST - 4));
    while drawn.n() < ENOUGH * columns * lines && (columns > 4 || lines > 4) {
        if columns >= lines { columns = columns.div_ceil(2) } else { lines = lines.div_ceil(2) }
    }
    let (across_step, down_step) = (wide.div_ceil(columns), high.div_ceil(lines));
    let (columns, lines) = (wide.div_ceil(across_step), high.div_ceil(down_step));
    if columns * lines < 2 {
        return None;
    }
    let of = |h: &Hit| {
        let (x, y) = (place(h)? / across_step, entry(h)? / down_step);
        (x < columns && y < lines).then_some((y * columns + x) as usize)
    };
    let range = |name: &str, i: u64, step: u64| match step {
        1 => format!("{name} {i}"),
        _ => format!("{name}s {}-{}", i * step, (i + 1) * step - 1),
    };
    let label = |i: usize| {
        let (x, y) = (i as u64 % columns, i as u64 / columns);
        format!("{}, {}", range(across, x, across_step), range(down, y, down_step))
    };
    let slots = drawn.slots((columns * lines) as usize, of, label);
    let (columns, lines) = (columns as usize, lines as usize);
    Some(HeatMap { across, across_step, columns, down, down_step, lines, slots })
}
