//! What wrong outputs look like, and why runs did not end well.

use std::collections::BTreeMap;

use serde::Serialize;
use upset_metrics::Class;
use upset_store::Experiment;

use crate::cell::Cell;

/// A bar of a histogram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// What it counts.
    pub label: String,
    /// How many.
    pub count: u64,
}

/// Silent data corruptions of a panel, together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// SDCs whose outputs were compared.
    pub sdcs: u64,
    /// SDCs by number of wrong elements.
    pub wrong: Vec<Bin>,
    /// SDCs by largest relative error.
    pub relative: Vec<Bin>,
    /// SDCs with a NaN that was none.
    pub nan: u64,
    /// SDCs with an infinity that was none.
    pub inf: u64,
    /// SDCs with outputs of another length.
    pub length: u64,
    /// Wrong bits by position, lowest first, for each type of element.
    pub bits: BTreeMap<String, Vec<u64>>,
}

/// Why runs crashed or did not end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Crash or timeout.
    pub class: Class,
    /// As the run tells it, without the place, numbers written as `#`.
    pub cause: String,
    /// Runs.
    pub runs: u64,
    /// Runs by structure.
    pub structures: BTreeMap<String, u64>,
}

/// All SDCs of some cells; `None` without any.
pub fn shape(cells: &[&Cell<'_>]) -> Option<Shape> {
    let mut shape = Shape {
        sdcs: 0,
        wrong: bins(&["1", "2-9", "10-99", "100-999", "1k-10k", "10k-100k", "≥100k"]),
        relative: bins(&[
            "<1e-6", "1e-6", "1e-5", "1e-4", "1e-3", "0.01", "0.1", "1", "10", "≥100", "none",
        ]),
        nan: 0,
        inf: 0,
        length: 0,
        bits: BTreeMap::new(),
    };
    for sdc in cells.iter().flat_map(|c| c.experiments()).filter_map(|e| e.sdc.as_ref()) {
        shape.sdcs += 1;
        let wrong = sdc.wrong.max(1).ilog10().min(5) as usize;
        let bin = if sdc.wrong <= 1 { 0 } else { wrong + 1 };
        shape.wrong[bin].count += 1;
        shape.relative[relative_bin(sdc.max_relative)].count += 1;
        shape.nan += u64::from(sdc.nan > 0);
        shape.inf += u64::from(sdc.inf > 0);
        shape.length += u64::from(sdc.length_differs);
        let bits = shape.bits.entry(sdc.element.clone()).or_default();
        bits.resize(bits.len().max(sdc.bit_counts.len()), 0);
        for (sum, count) in bits.iter_mut().zip(&sdc.bit_counts) {
            *sum += count;
        }
    }
    shape.bits.retain(|_, bits| bits.iter().any(|n| *n > 0));
    (shape.sdcs > 0).then_some(shape)
}

/// The first bin is below 1e-6, each of the next a decade, then 100 and more,
/// then no finite error at all.
fn relative_bin(relative: Option<f64>) -> usize {
    match relative {
        None => 10,
        Some(r) if r.is_nan() => 10,
        Some(r) if r < 1e-6 => 0,
        // Compared with the decades themselves: a logarithm rounds at their edges.
        Some(r) => {
            let edges = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];
            edges.iter().filter(|edge| r >= **edge).count()
        }
    }
}

fn bins(labels: &[&str]) -> Vec<Bin> {
    labels.iter().map(|l| Bin { label: l.to_string(), count: 0 }).collect()
}

/// Causes of crashes and timeouts, the commonest first.
pub fn causes(cells: &[&Cell<'_>]) -> Vec<Cause> {
    let mut causes: BTreeMap<(Class, String), BTreeMap<String, u64>> = BTreeMap::new();
    for cell in cells {
        for e in cell.experiments() {
            if matches!(e.class, Class::Crash | Class::Timeout) {
                let structures = causes.entry((e.class, kind(e))).or_default();
                *structures.entry(cell.stratum.structure.clone()).or_insert(0) += 1;
            }
        }
    }
    let mut list: Vec<Cause> = causes
        .into_iter()
        .map(|((class, cause), structures)| {
            let runs = structures.values().sum();
            Cause { class, cause, runs, structures }
        })
        .collect();
    list.sort_by_key(|c| std::cmp::Reverse(c.runs));
    list
}

/// What a run's cause is counted under.
fn kind(e: &Experiment) -> String {
    if e.cause_kind.is_empty() { "not told".to_string() } else { e.cause_kind.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades() {
        for (r, bin) in [
            (Some(0.0), 0),
            (Some(9.9e-7), 0),
            (Some(1e-6), 1),
            (Some(0.5), 6),
            (Some(1.0), 7),
            (Some(99.0), 8),
            (Some(100.0), 9),
            (Some(f64::INFINITY), 9),
            (None, 10),
        ] {
            assert_eq!(relative_bin(r), bin, "{r:?}");
        }
    }
}
