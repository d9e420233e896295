//! A stratum under protection.

use serde::Serialize;
use upset_metrics::{Class, Counts, Estimate};

use super::scheme::{Ecc, Scheme};
use super::verdict::{Verdict, verdict};
use crate::cell::Cell;
use crate::name::short_name;
use crate::options::Options;

/// What became of a stratum's experiments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Protected {
    /// Kernel as people read it.
    pub kernel_name: String,
    /// Part of it, where it is less than all.
    pub window: String,
    /// Structure.
    pub structure: String,
    /// The codes that apply to it; empty: unprotected.
    pub codes: Vec<String>,
    /// Runs that tell something.
    pub n: u64,
    /// Put right.
    pub corrected: u64,
    /// Found: the run ends with an error.
    pub detected: u64,
    /// Never read.
    pub unread: u64,
    /// Not found, by simulated class.
    pub escaped: Counts,
    /// Detected or harmless; which one needs another simulation.
    pub perhaps: u64,
    /// Could be anything; needs another simulation.
    pub unknown: u64,
    /// Silent corruption that is left, x derating. What is not known counts as
    /// none in the lower limit and as all in the upper one. `None` until the
    /// stratum is finished.
    pub sdc: Option<Estimate>,
    /// Detected errors, crashes and timeouts, x derating; limits likewise.
    pub due: Option<Estimate>,
}

/// Re-reads cells; empty when nothing is protected.
pub(crate) fn protect(cells: &[&Cell<'_>], options: &Options, confidence: f64) -> Vec<Protected> {
    if options.ecc.is_empty() {
        return Vec::new();
    }
    cells.iter().map(|c| protected(c, options, confidence)).collect()
}

fn protected(cell: &Cell<'_>, options: &Options, confidence: f64) -> Protected {
    let s = cell.stratum;
    let hit: Vec<&str> = s.structure.split('+').map(str::trim).collect();
    let applies = |name: &str| {
        let (code, own) = (name.split('.').next(), name);
        hit.iter().any(|h| {
            *h == own || h.split('.').next() == code && (!h.contains('.') || !own.contains('.'))
        })
    };
    let mut p = Protected {
        kernel_name: s.kernel.as_deref().map_or("whole run".into(), short_name),
        window: s.window.clone(),
        structure: s.structure.clone(),
        codes: options
            .ecc
            .iter()
            .filter(|e| applies(&e.structure))
            .map(ToString::to_string)
            .collect(),
        n: 0,
        corrected: 0,
        detected: 0,
        unread: 0,
        escaped: Counts::default(),
        perhaps: 0,
        unknown: 0,
        sdc: None,
        due: None,
    };
    for e in cell.experiments().into_iter().filter(|e| e.class != Class::ToolError) {
        p.n += 1;
        match verdict(&e.fault, e.reached, &options.ecc) {
            Verdict::Corrected => p.corrected += 1,
            Verdict::Detected => p.detected += 1,
            Verdict::Unread => p.unread += 1,
            Verdict::Escaped => p.escaped.add(e.class),
            Verdict::Perhaps => p.perhaps += 1,
            Verdict::Unknown => p.unknown += 1,
        }
    }
    // An unfinished stratum has too many masked runs yet.
    let missing = cell.shares(options.interval, confidence).missing;
    let bounded = |k: u64, open: u64| {
        let limits = |k| options.interval.interval(k, p.n, confidence);
        let value = Some(k as f64 / p.n as f64);
        let (low, high) = (limits(k).low, limits(k + open).high);
        (p.n > 0 && missing == 0).then(|| Estimate { value, low, high }.scaled(s.derating))
    };
    if certain(cell, options) && p.corrected == p.n {
        (p.sdc, p.due) = (Some(Estimate::ZERO), Some(Estimate::ZERO));
        return p;
    }
    let due = p.detected + p.escaped.crash + p.escaped.timeout;
    (p.sdc, p.due) = (bounded(p.escaped.sdc, p.unknown), bounded(due, p.perhaps + p.unknown));
    p
}

/// One bit under SEC-DED: corrected whichever bit it is, so no sample is needed.
fn certain(cell: &Cell<'_>, options: &Options) -> bool {
    let s = cell.stratum;
    let kind = s.structure.split('.').next().unwrap_or_default();
    let covers =
        |e: &Ecc| e.scheme == Scheme::SecDed && (e.structure == kind || e.structure == s.structure);
    s.bits == 1
        && matches!(s.spread.as_str(), "" | "entry" | "thread" | "array" | "structure")
        && options.ecc.iter().any(covers)
}
