//! How hits are sorted: by bit, by part, by time.

use upset_state::Owner;
use upset_state::kind::named;
use upset_store::Hit;

use super::slot::Drawn;
use crate::cell::Cell;

/// A way of sorting hits into a few parts.
pub enum Sort {
    /// By these parts of a line.
    Parts(Vec<String>),
    /// Bits of a word, from a hit's byte and bit.
    Word {
        /// Rows are bytes: four of them are a word.
        bytes: bool,
        /// Bits of each part.
        step: u64,
        /// Bits of a word.
        width: u64,
    },
    /// Cycles: the first, and how many there are in each part.
    Time(u64, f64, usize),
}

/// A way of sorting, and what it counts.
pub struct Binning {
    sort: Sort,
    /// What the parts are.
    pub what: &'static str,
}

impl Binning {
    /// Number of parts.
    pub fn count(&self) -> usize {
        match &self.sort {
            Sort::Parts(names) => names.len(),
            Sort::Word { step, width, .. } => width.div_ceil(*step) as usize,
            Sort::Time(_, _, count) => *count,
        }
    }

    /// The part of a hit.
    pub fn of(&self, hit: &Hit) -> Option<usize> {
        match &self.sort {
            Sort::Parts(names) => names.iter().position(|n| *n == hit.part),
            Sort::Word { bytes, step, width } => {
                Some((word_bit(hit, *bytes)? % width / step) as usize)
            }
            Sort::Time(first, step, count) => {
                let at = hit.cycle.saturating_sub(*first) as f64 / step;
                Some((at as usize).min(count - 1))
            }
        }
    }

    /// What a part is called.
    pub fn label(&self, i: usize) -> String {
        match &self.sort {
            Sort::Parts(names) => names[i].clone(),
            Sort::Word { step: 1, .. } => i.to_string(),
            Sort::Word { step, .. } => {
                format!("{}-{}", i as u64 * step, (i as u64 + 1) * step - 1)
            }
            Sort::Time(first, step, _) => (first + (i as f64 * step).round() as u64).to_string(),
        }
    }
}

/// Bit of the 32-bit word, or of the entry where words are not all.
fn word_bit(hit: &Hit, bytes: bool) -> Option<u64> {
    // Tags and states are no words.
    if !(hit.part.is_empty() || hit.part == "data") {
        return None;
    }
    let bit = hit.bit?;
    Some(if bytes { hit.row? % 4 * 8 + bit } else { bit })
}

/// Data, tag and state of lines, where there are several.
pub fn parts(drawn: &Drawn<'_>) -> Option<Binning> {
    let mut names: Vec<String> = Vec::new();
    for usual in ["data", "tag", "state"] {
        if drawn.hits().any(|h| h.part == usual) {
            names.push(usual.into());
        }
    }
    (names.len() > 1).then_some(Binning { sort: Sort::Parts(names), what: "part of the line" })
}

/// Positions in words of 32 bits where a structure has such, else in its entries.
pub fn bits(structure: &str, drawn: &Drawn<'_>) -> Option<Binning> {
    let owner = named(structure.split('.').next().unwrap_or_default()).map(|k| k.owner);
    let parted = drawn.hits().any(|h| h.part == "data");
    let bytes = !parted
        && drawn.hits().all(|h| h.bit.is_none_or(|b| b < 8))
        && matches!(owner, Some(Owner::Cta | Owner::Local | Owner::Chip));
    let most = drawn.hits().filter_map(|h| word_bit(h, bytes)).max()?;
    if parted || bytes || matches!(owner, Some(Owner::Register)) {
        let sort = Sort::Word { bytes, step: 1, width: 32 };
        return Some(Binning { sort, what: "bit of the 32-bit word, 0 is the lowest" });
    }
    // What has one bit has no positions.
    let width = (most + 1).next_power_of_two();
    let step = width.div_ceil(32);
    (most > 0).then_some(Binning {
        sort: Sort::Word { bytes, step, width },
        what: "bit of the entry, 0 is the lowest",
    })
}

/// Most parts of the time.
const MOMENTS: u64 = 24;
/// Runs that each of them should have.
const ENOUGH: u64 = 20;

/// Equal stretches of the run, or of what of it was sampled.
pub fn time(cells: &[&Cell<'_>], drawn: &Drawn<'_>) -> Option<Binning> {
    let cycles = cells.first()?.subject.profile.cycles;
    let cycles_hit = || drawn.hits().map(|h| h.cycle);
    let (least, most) = (cycles_hit().min()?, cycles_hit().max()?);
    let (first, end) = match cells.iter().all(|c| c.stratum.window.is_empty()) {
        true => (0, cycles.max(most + 1)),
        false => (least, most + 1),
    };
    let count = (drawn.n() / ENOUGH).clamp(4, MOMENTS).min(end - first);
    let step = (end - first) as f64 / count.max(1) as f64;
    (count > 1).then_some(Binning {
        sort: Sort::Time(first, step, count as usize),
        what: "cycle from which on",
    })
}
