//! A stratum under protection.

use serde::Serialize;
use upset_metrics::{Class, Counts, Estimate};

use super::scheme::{Ecc, Scheme};
use super::verdict::{Known, Verdict, verdict};
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
    /// Not found though a code is there, by simulated class.
    pub escaped: Counts,
    /// Where no code is, by simulated class.
    pub unprotected: Counts,
    /// Detected or harmless; which one needs another simulation.
    pub perhaps: u64,
    /// Could be anything; needs another simulation.
    pub unknown: u64,
    /// Whether a code lets no fault of this kind be silent, whatever bit it hits:
    /// then no sample is needed to know that no silent corruption is left.
    pub never_silent: bool,
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
        unprotected: Counts::default(),
        never_silent: false,
        perhaps: 0,
        unknown: 0,
        sdc: None,
        due: None,
    };
    for e in cell.experiments().into_iter().filter(|e| e.class != Class::ToolError) {
        p.n += 1;
        match verdict(&e.fault, Known::of(e, cell.subject.profile.whole_words), &options.ecc) {
            Verdict::Corrected => p.corrected += 1,
            Verdict::Detected => p.detected += 1,
            Verdict::Unread => p.unread += 1,
            Verdict::Escaped => p.escaped.add(e.class),
            Verdict::Unprotected => p.unprotected.add(e.class),
            Verdict::Perhaps => p.perhaps += 1,
            Verdict::Unknown => p.unknown += 1,
        }
    }
    // An unfinished stratum tells nothing yet.
    let missing = cell.shares(options.interval, confidence).missing;
    let bounded = |k: u64, open: u64| {
        let limits = |k| options.interval.interval(k, p.n, confidence);
        let value = Some(k as f64 / p.n as f64);
        let (low, high) = (limits(k).low, limits(k + open).high);
        (p.n > 0 && missing == 0).then(|| Estimate { value, low, high }.scaled(s.derating))
    };
    let (sdc, due) = (p.silent(), p.noticed());
    (p.sdc, p.due) = (bounded(sdc.0, sdc.1), bounded(due.0, due.1));
    if certain(cell, options, |_| true) {
        p.never_silent = true;
        p.sdc = Some(Estimate::ZERO);
    }
    if certain(cell, options, |scheme| scheme == Scheme::SecDed) {
        p.due = Some(Estimate::ZERO);
    }
    p
}

impl Protected {
    /// Runs that end in silent corruption, and those that may.
    pub(crate) fn silent(&self) -> (u64, u64) {
        (self.escaped.sdc + self.unprotected.sdc, self.unknown)
    }

    /// Runs that end with an error, be it the code's, and those that may.
    pub(crate) fn noticed(&self) -> (u64, u64) {
        let ended = |c: &Counts| c.crash + c.timeout;
        let due = self.detected + ended(&self.escaped) + ended(&self.unprotected);
        (due, self.perhaps + self.unknown)
    }
}

/// One bit under codes that notice or correct it, whichever bit it is.
fn certain(cell: &Cell<'_>, options: &Options, enough: impl Fn(Scheme) -> bool) -> bool {
    let s = cell.stratum;
    let kind = s.structure.split('.').next().unwrap_or_default();
    let whole = |e: &&Ecc| e.structure == kind || e.structure == s.structure;
    let touches = |e: &&Ecc| e.structure.split('.').next() == Some(kind);
    // A bit that is stuck is not always wrong, which parity cannot tell.
    let does = |e: &Ecc| enough(e.scheme) && (e.scheme == Scheme::SecDed || s.model == "flip");
    s.bits == 1
        && matches!(s.spread.as_str(), "" | "entry" | "thread" | "array" | "structure")
        && options.ecc.iter().any(|e| whole(&e))
        && options.ecc.iter().filter(touches).all(does)
}
