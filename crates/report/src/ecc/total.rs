//! All structures of a chip under protection, together.

use serde::Serialize;
use upset_metrics::{Estimate, Part, Rate, weighted_sum};

use super::summary::Protected;
use crate::cell::Cell;
use crate::options::Options;
use crate::scope::{Scope, cycles_of};

/// What is left of failures, over all structures that were studied. What is not
/// known counts as none in lower limits and as all in upper ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProtectedTotal {
    /// Silent corruption, as a share of all bits and cycles.
    pub sdc: Estimate,
    /// Detected errors, crashes and timeouts, likewise.
    pub due: Estimate,
    /// Silent corruptions in 10^9 hours, when a raw FIT is given.
    pub sdc_fit: Option<Estimate>,
    /// Detected errors, crashes and timeouts in 10^9 hours.
    pub due_fit: Option<Estimate>,
}

/// One stratum in the sum.
struct Item<'a> {
    protected: &'a Protected,
    cell: &'a Cell<'a>,
    cycles: u64,
}

/// Sums strata, in the order of their cells; `None` while one is unfinished.
pub(crate) fn total(
    cells: &[&Cell<'_>],
    protected: &[Protected],
    options: &Options,
    confidence: f64,
) -> Option<ProtectedTotal> {
    let scope = Scope::of(cells)?;
    let all = cells.iter().zip(protected).filter(|(c, _)| scope.has(c, cells));
    let items: Vec<Item<'_>> =
        all.map(|(cell, protected)| Item { protected, cell, cycles: cycles_of(cell) }).collect();
    let known = |i: &Item<'_>| i.cell.stratum.derating == 0.0 || i.protected.due.is_some();
    if items.is_empty() || !items.iter().all(known) {
        return None;
    }
    let share = |i: &Item<'_>| {
        let s = i.cell.stratum;
        let kernels = distinct(items.iter().map(|o| (&o.cell.stratum.kernel, o.cycles)));
        let cycles: u64 = kernels.iter().map(|(_, c)| c).sum();
        let own = items.iter().filter(|o| o.cell.stratum.kernel == s.kernel);
        let bits: u64 = own.map(|o| o.cell.stratum.structure_bits).sum();
        i.cycles as f64 / cycles.max(1) as f64 * s.structure_bits as f64 / bits.max(1) as f64
    };
    let transient = items.iter().all(|i| i.cell.stratum.model == "flip");
    let chip = items.first().map(|i| i.cell.subject.chip.as_str()).unwrap_or_default();
    let raws = options.raw_fit.as_ref().filter(|_| transient);
    let raw = raws.and_then(|r| r.of(chip)).map(|r| r.per_bit);
    let fit = |i: &Item<'_>, raw: f64| {
        let s = i.cell.stratum;
        let own = items.iter().filter(|o| o.cell.stratum.structure == s.structure);
        let cycles: u64 = own.map(|o| o.cycles).sum();
        i.cycles as f64 / cycles.max(1) as f64 * s.structure_bits as f64 * raw
    };
    let sum = |counts: &dyn Fn(&Protected) -> Option<(u64, u64)>,
               weight: &dyn Fn(&Item<'_>) -> f64| {
        let part = |i: &Item<'_>, all: bool| {
            let (sure, open) = counts(i.protected)?;
            let k = if all { sure + open } else { sure };
            let rate = Rate::fixed(k, i.protected.n, options.interval, confidence)?;
            Some(Part { weight: weight(i) * i.cell.stratum.derating, rate })
        };
        let least = weighted_sum(items.iter().filter_map(|i| part(i, false)));
        let most = weighted_sum(items.iter().filter_map(|i| part(i, true)));
        Estimate { value: least.value, low: least.low, high: most.high }
    };
    // What no sample is needed for has no part in the sum.
    let silent = |p: &Protected| (!p.never_silent).then(|| p.silent());
    let noticed = |p: &Protected| (p.due != Some(Estimate::ZERO)).then(|| p.noticed());
    Some(ProtectedTotal {
        sdc: sum(&silent, &share),
        due: sum(&noticed, &share),
        sdc_fit: raw.map(|raw| sum(&silent, &|i| fit(i, raw))),
        due_fit: raw.map(|raw| sum(&noticed, &|i| fit(i, raw))),
    })
}

/// Each kernel once.
fn distinct<'a>(
    kernels: impl Iterator<Item = (&'a Option<String>, u64)>,
) -> Vec<(&'a Option<String>, u64)> {
    let mut list: Vec<(&Option<String>, u64)> = Vec::new();
    for (kernel, cycles) in kernels {
        if !list.iter().any(|(k, _)| *k == kernel) {
            list.push((kernel, cycles));
        }
    }
    list
}
