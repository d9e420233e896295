//! The report for a terminal.

mod brief;
mod noticed;
pub mod table;

use std::collections::BTreeMap;
use std::fmt::Write;

use upset_chip::Words;

use crate::number::{
    count, grouped, hours, percent, percent_range, percent_with, range, significant, trimmed,
    value_with,
};
use crate::panel::Panel;
use crate::report::Report;
use crate::total::Total;
use table::Table;

/// Longest kernel name that is printed whole.
const NAME: usize = 28;

impl Report {
    /// Tables.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let runs = count(self.runs(), "experiment");
        let _ = writeln!(
            out,
            "{runs}; intervals at {} % ({})",
            trimmed(100.0 * self.confidence),
            self.interval
        );
        for panel in &self.panels {
            panel_text(&mut out, panel, self.raw_fit.is_some());
        }
        if let Some(watched) = &self.watched {
            noticed::text(&mut out, watched);
        }
        self.tool_errors_text(&mut out);
        let _ = writeln!(out);
        match &self.raw_fit {
            Some(raws) => {
                for raw in raws.all() {
                    let value = significant(raw.per_bit);
                    let _ = writeln!(out, "raw FIT per bit {value}: {}", raw.source);
                }
            }
            None => {
                let _ = writeln!(out, "{}", Report::fit_hint());
            }
        }
        for note in &self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        let _ = writeln!(out, "digest of the results alone: {}", self.results_digest);
        // Spaces that must not break lines are for pages.
        out.replace('\u{a0}', " ")
    }

    fn tool_errors_text(&self, out: &mut String) {
        if self.tool_errors.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "\n{} of ours, in no rate:",
            count(self.tool_errors.len() as u64, "failure")
        );
        for e in &self.tool_errors {
            let _ = writeln!(out, "  {} on {}: {}: {}", e.app, e.chip, e.fault, e.cause);
        }
    }
}

/// A share, or a dash where there is none.
fn share(x: Option<f64>) -> String {
    x.map_or("-".into(), percent)
}

fn panel_text(out: &mut String, p: &Panel, fit: bool) {
    let _ = writeln!(out, "\n{}, {}", p.subject(), p.variant.label());
    rows(out, p, fit);
    found_out(out, p);
    if let Some(total) = &p.total {
        kernels(out, total);
        structures(out, total);
        sums(out, total, &p.words);
    }
    causes(out, p);
    ecc(out, p);
}

/// Causes of crashes and timeouts, the commonest first; they add up.
fn causes(out: &mut String, p: &Panel) {
    const SHOWN: usize = 5;
    for c in p.causes.iter().take(SHOWN) {
        let _ = writeln!(out, "{}: {} ({})", c.class.name(), c.cause, count(c.runs, "run"));
    }
    let rest: u64 = p.causes.iter().skip(SHOWN).map(|c| c.runs).sum();
    if rest > 0 {
        let _ = writeln!(out, "other causes ({})", count(rest, "run"));
    }
}

fn rows(out: &mut String, p: &Panel, fit: bool) {
    let (rows, spreads) = (&p.rows, p.has_spreads());
    let windows = rows.iter().any(|r| !r.window.is_empty());
    let mut head = vec!["KERNEL", "STRUCTURE"];
    if spreads {
        head.push("SPREAD");
    }
    if windows {
        head.push("WINDOW");
    }
    let left = head.len();
    head.extend([
        "RUNS", "MASKED", "PERF", "SDC", "CRASH", "TIMEOUT", "TOOL", "AVF", "INTERVAL", "HVF",
    ]);
    let ace = rows.iter().any(|r| r.ace.is_some());
    if ace {
        head.extend(["ACE", "REFINED"]);
    }
    if fit {
        head.extend(["FIT", "INTERVAL"]);
    }
    let mut table = Table::new(left, &head);
    for r in rows {
        let mut cells = vec![table::fitted(&r.kernel_name, NAME), r.structure.clone()];
        if spreads {
            cells.push(r.spread.clone());
        }
        if windows {
            cells.push(r.window.clone());
        }
        let c = &r.counts;
        cells.push(match r.complete {
            true => r.runs.to_string(),
            false => format!("{} of {}*", r.runs, r.planned),
        });
        for n in [c.masked, c.performance, c.sdc, c.crash, c.timeout, c.tool_error] {
            cells.push(n.to_string());
        }
        match r.avf_estimate() {
            Some(e) => cells.extend([share(e.value), percent_range(e.low, e.high)]),
            None => cells.extend(["-".into(), "".into()]),
        }
        cells.push(share(r.hvf));
        if ace {
            cells.extend([r.ace, r.ace_refined].map(share));
        }
        if fit {
            match r.fit_estimate() {
                Some(e) => {
                    cells.extend([e.value.map_or("-".into(), significant), range(e.low, e.high)])
                }
                None => cells.extend(["-".into(), "".into()]),
            }
        }
        table.push(cells);
    }
    out.push_str(&table.render());
}

/// How the classes were found out.
fn found_out(out: &mut String, p: &Panel) {
    let mut sums = BTreeMap::new();
    for (how, n) in p.rows.iter().flat_map(|r| &r.how) {
        *sums.entry(how.as_str()).or_insert(0) += n;
    }
    let list: Vec<String> = sums.iter().map(|(how, n)| format!("{} {how}", grouped(*n))).collect();
    let _ = writeln!(out, "found out: {}", list.join(", "));
}

fn kernels(out: &mut String, total: &Total) {
    let head =
        ["KERNEL", "LAUNCHES", "CYCLES", "AVF", "INTERVAL", "OCCUPANCY", "DF_REG", "DF_SMEM"];
    let mut table = Table::new(1, &head);
    for k in &total.kernels {
        table.push(vec![
            table::fitted(&k.kernel_name, NAME),
            k.launches.to_string(),
            grouped(k.cycles),
            share(k.avf.and_then(|e| e.value)),
            k.avf.map_or(String::new(), |e| percent_range(e.low, e.high)),
            share(k.occupancy),
            share(k.df_reg),
            share(k.df_smem),
        ]);
    }
    let _ = write!(out, "\n{}", table.render());
}

fn structures(out: &mut String, total: &Total) {
    let fit = total.structures.iter().any(|s| s.fit.is_some());
    let ace = total.structures.iter().any(|s| s.ace.is_some());
    let mut head =
        vec!["STRUCTURE", "BITS", "AVF", "INTERVAL", "IN USE", "AVF-UTIL", "INTERVAL", "SHARE"];
    if ace {
        head.extend(["ACE", "REFINED"]);
    }
    if fit {
        head.extend(["FIT", "INTERVAL"]);
    }
    let mut table = Table::new(1, &head);
    for s in &total.structures {
        let mut cells = vec![
            s.structure.clone(),
            grouped(s.bits),
            share(s.avf.and_then(|e| e.value)),
            s.avf.map_or(String::new(), |e| percent_range(e.low, e.high)),
            share(s.occupancy),
            share(s.avf_util.and_then(|e| e.value)),
            s.avf_util.map_or(String::new(), |e| percent_range(e.low, e.high)),
            share(s.share),
        ];
        if ace {
            cells.extend([s.ace, s.ace_refined].map(share));
        }
        if let (true, Some(f)) = (fit, s.fit) {
            cells.extend([f.value.map_or("-".into(), significant), range(f.low, f.high)]);
        }
        table.push(cells);
    }
    let _ = write!(out, "\n{}", table.render());
}

fn sums(out: &mut String, t: &Total, words: &Words) {
    let slots = format!("{} slots in use", words.warp);
    let mut lines: Vec<(&str, String)> = Vec::new();
    if let Some(e) = t.avf {
        lines.push(("weighted AVF", format!("{} over {}", percent_with(e), t.over())));
    }
    if let Some(o) = t.occupancy {
        lines.push((&slots, percent(o)));
    }
    if let Some(o) = t.in_use {
        lines.push(("bits in use", percent(o)));
    }
    if let Some(e) = t.avf_util {
        lines.push(("AVF of what is in use", percent_with(e)));
    }
    if let Some(e) = t.fit {
        lines.push(("FIT", format!("{} over {}", value_with(e), t.over())));
    }
    if let Some(h) = t.mtbf_hours {
        lines.push(("MTBF", hours(h)));
    }
    if let Some(e) = t.eit {
        lines.push(("EIT (runs in 1e9 h)", significant(e)));
    }
    if let Some(e) = t.epf {
        lines.push(("EPF (runs per failure)", significant(e)));
    }
    let _ = writeln!(out);
    for (name, value) in lines {
        let _ = writeln!(out, "{name:<22}  {value}");
    }
}

fn ecc(out: &mut String, p: &Panel) {
    if p.ecc.is_empty() {
        return;
    }
    let head = [
        "UNDER ECC",
        "STRUCTURE",
        "CODE",
        "N",
        "CORRECTED",
        "DETECTED",
        "UNREAD",
        "ESCAPED",
        "NO CODE",
        "PERHAPS",
        "UNKNOWN",
        "SDC LEFT",
        "INTERVAL",
        "DUE",
        "INTERVAL",
    ];
    let mut table = Table::new(3, &head);
    for e in &p.ecc {
        let code = match e.codes.as_slice() {
            [] => "none".to_string(),
            codes => codes.join(" "),
        };
        let mut cells = vec![table::fitted(&e.kernel_name, NAME), e.structure.clone(), code];
        let (escaped, bare) = (e.escaped.runs(), e.unprotected.runs());
        for n in [e.n, e.corrected, e.detected, e.unread, escaped, bare, e.perhaps, e.unknown] {
            cells.push(n.to_string());
        }
        for rate in [e.sdc, e.due] {
            cells.push(share(rate.and_then(|r| r.value)));
            cells.push(rate.map_or(String::new(), |r| percent_range(r.low, r.high)));
        }
        table.push(cells);
    }
    let _ = write!(out, "\n{}", table.render());
    let Some(t) = &p.ecc_total else { return };
    let _ = writeln!(out);
    let shares = [("SDC left, all bits", t.sdc), ("DUE, all bits", t.due)];
    for (name, e) in shares {
        let _ = writeln!(out, "{name:<22}  {}", percent_with(e));
    }
    for (name, e) in [("SDC-FIT", t.sdc_fit), ("DUE-FIT", t.due_fit)] {
        if let Some(e) = e {
            let _ = writeln!(out, "{name:<22}  {}", value_with(e));
        }
    }
}
