//! Everything that stores tell, in numbers.

use serde::Serialize;
use upset_store::{Results, ResultsDigest};

use crate::ace::AceBounds;
use crate::cell::{Cell, gather};
use crate::chips::{ChipUsed, chips};
use crate::compare::{Comparison, comparisons};
use crate::not_begun;
use crate::noticed::{Watched, watched};
use crate::options::Options;
use crate::panel::{self, Panel, panels};
use crate::provenance::{Source, ToolError, tool_errors};
use crate::raw_fit::RawFits;
use crate::total::Total;

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// One for each application, chip and kind of fault.
    pub panels: Vec<Panel>,
    /// Digest of all results together: fault, class, cycles, output of each
    /// experiment, and nothing else.
    pub results_digest: String,
    /// Chips and applications against each other.
    pub comparisons: Vec<Comparison>,
    /// The chips that were simulated.
    pub chips: Vec<ChipUsed>,
    /// Analyses that were given beside the stores.
    #[serde(skip)]
    pub ace: Vec<AceBounds>,
    /// The stores.
    pub sources: Vec<Source>,
    /// Our own failures, all of them.
    pub tool_errors: Vec<ToolError>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What performance counters noticed, where they were watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched: Option<Watched>,
    /// Raw FIT per bit, if one was given.
    pub raw_fit: Option<RawFits>,
    /// Protection that the results were re-read under.
    pub ecc: Vec<String>,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// How intervals are made.
    pub interval: &'static str,
}

impl Report {
    /// Reads the stores.
    pub fn new(stores: &[Results], options: &Options) -> Report {
        let mut notes = Vec::new();
        let confidence = confidence(stores.iter(), options, &mut notes);
        let cells = gather(stores, &mut notes);
        let mut panels = panels(&cells, stores, options, confidence, &mut notes);
        panels.extend(not_begun::panels(stores, confidence));
        panel::sort(&mut panels);
        notes.extend(unused_codes(options, &panels));
        notes.extend(crate::idle::note(&cells));
        if panels.iter().any(|p| !p.variant.is_single()) && options.raw_fit.is_some() {
            notes.push(
                "FIT of several bits: what it would be if every upset were of that kind.".into(),
            );
        }
        if panels.iter().any(|p| !p.complete) {
            notes.push(
                "Rows marked * are unfinished: what is there is no random sample of what was \
                 planned, so there is no estimate. The limits hold whatever the missing runs \
                 bring: all masked, or all failing. Go on with `upset campaign --resume`."
                    .into(),
            );
        }
        if panels.iter().flat_map(|p| &p.rows).any(|r| r.counts.tool_error > 0) {
            notes.push(
                "Failures of ours have no result: they are in no estimate, and the limits allow \
                 for all of them masked and all of them failing."
                    .into(),
            );
        }
        let sums = panels.iter().filter_map(|p| p.total.as_ref());
        let mut over: Vec<String> = sums.map(Total::over).collect();
        over.sort();
        over.dedup();
        if over.len() > 1 {
            notes.push(format!(
                "Weighted AVFs here are over different structures and do not compare: {}.",
                over.join("; ")
            ));
        }
        Report {
            comparisons: comparisons(&panels),
            chips: chips(stores),
            ace: options.ace.clone(),
            panels,
            results_digest: results_digest(&cells),
            sources: stores.iter().map(Source::new).collect(),
            tool_errors: tool_errors(stores),
            notes,
            watched: watched(&cells, options.interval, confidence),
            raw_fit: options.raw_fit.clone(),
            ecc: options.ecc.iter().map(ToString::to_string).collect(),
            confidence,
            interval: options.interval.name(),
        }
    }

    /// Experiments in all rows.
    pub fn runs(&self) -> u64 {
        self.panels.iter().flat_map(|p| &p.rows).map(|r| r.runs).sum()
    }

    /// How to get what was not asked for.
    pub(crate) fn fit_hint() -> &'static str {
        "FIT, MTBF and EPF need the raw FIT of a bit: --raw-fit chip (what the chip file says), \
         12nm (1.8e-6), 28nm (1.2e-5), sifi (1e-3), or a number with --raw-fit-source TEXT."
    }
}

/// Of every experiment that counts, once.
fn results_digest(cells: &[Cell<'_>]) -> String {
    let mut digest = ResultsDigest::default();
    for cell in cells {
        cell.experiments().into_iter().for_each(|e| digest.add(cell.subject, e));
    }
    digest.text()
}

/// Codes that are for nothing that is here.
fn unused_codes(options: &Options, panels: &[Panel]) -> Vec<String> {
    let used = |code: &String| panels.iter().flat_map(|p| &p.ecc).any(|e| e.codes.contains(code));
    let codes = options.ecc.iter().map(ToString::to_string);
    codes
        .filter(|code| !used(code))
        .map(|code| format!("{code} is for nothing here: no experiment hit that structure."))
        .collect()
}

/// One confidence for the whole report: what was asked for, or the highest of the stores'.
pub(crate) fn confidence<'a>(
    stores: impl Iterator<Item = &'a Results>,
    options: &Options,
    notes: &mut Vec<String>,
) -> f64 {
    if let Some(c) = options.confidence {
        return c;
    }
    let all: Vec<f64> =
        stores.map(|s| s.header.confidence).filter(|c| *c > 0.0 && *c < 1.0).collect();
    let Some(highest) = all.iter().copied().reduce(f64::max) else { return 0.95 };
    if all.iter().any(|c| *c != highest) {
        notes.push(format!(
            "The stores ask for different confidences; all intervals here are at {} %.",
            100.0 * highest
        ));
    }
    highest
}
