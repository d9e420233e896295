//! Where injected bits lay, when they were hit, and what became of the runs: a
//! structure's experiments taken apart by bit, part, place, time and instruction.

mod map;
mod place;
mod slot;
mod spot;

use serde::Serialize;
use upset_metrics::Method;

use crate::cell::Cell;
use crate::scope::Scope;
use place::Binning;
use slot::Drawn;

pub use map::HeatMap;
pub use slot::Slot;
pub use spot::Spot;

/// A structure of a panel, over all kernels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Breakdown {
    /// Structure.
    pub structure: String,
    /// Runs that tell something and whose place is known.
    pub n: u64,
    /// All of them together.
    pub all: Slot,
    /// By part of a cache's line: data, tag, state.
    pub by_part: Vec<Slot>,
    /// By position of the bit that was hit.
    pub by_bit: Vec<Slot>,
    /// What the positions are counted in.
    pub bits_of: &'static str,
    /// By cycle.
    pub over_time: Vec<Slot>,
    /// By place on the chip.
    pub map: Option<HeatMap>,
    /// By the instruction at which the owner of the bit stood, most failures first.
    pub instructions: Vec<Spot>,
    /// Instructions with failures that are not listed.
    pub instructions_left_out: usize,
}

/// Breakdowns of the structures that take part in a panel's sums and are finished:
/// what is there of others is no sample of them.
pub fn breakdowns(cells: &[&Cell<'_>], method: Method, confidence: f64) -> Vec<Breakdown> {
    let Some(scope) = Scope::of(cells) else { return Vec::new() };
    let own: Vec<&Cell<'_>> = cells.iter().filter(|c| scope.has(c, cells)).copied().collect();
    let mut names: Vec<&str> = Vec::new();
    for cell in &own {
        if !names.contains(&cell.stratum.structure.as_str()) {
            names.push(&cell.stratum.structure);
        }
    }
    let of = |name: &&str| {
        let own: Vec<&Cell<'_>> =
            own.iter().filter(|c| c.stratum.structure == **name).copied().collect();
        breakdown(name, &own, method, confidence)
    };
    names.iter().filter_map(of).collect()
}

/// `None` for what is unfinished, was never run, or does not tell its places.
fn breakdown(
    name: &str,
    cells: &[&Cell<'_>],
    method: Method,
    confidence: f64,
) -> Option<Breakdown> {
    if cells.iter().any(|c| !c.complete()) {
        return None;
    }
    let drawn = Drawn::new(cells, method, confidence);
    if drawn.n() == 0 {
        return None;
    }
    let all = drawn.slots(1, |_| Some(0), |_| "all".into()).pop()?;
    let by = |binning: Option<Binning>| {
        binning.map_or(Vec::new(), |b| drawn.slots(b.count(), |h| b.of(h), |i| b.label(i)))
    };
    let bits = place::bits(name, &drawn);
    let (instructions, instructions_left_out) = spot::spots(&drawn);
    Some(Breakdown {
        structure: name.to_string(),
        n: drawn.n(),
        all,
        by_part: by(place::parts(&drawn)),
        bits_of: bits.as_ref().map_or("", |b| b.what),
        by_bit: by(bits),
        over_time: by(place::time(cells, &drawn)),
        map: map::map(name, cells, &drawn),
        instructions,
        instructions_left_out,
    })
}
