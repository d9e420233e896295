//! Tool errors, and where the numbers come from.

use std::fmt::Write;

use super::escape::esc;
use super::table::Table;
use crate::chips::ChipUsed;
use crate::number::{grouped, significant, trimmed};
use crate::provenance::Source;
use crate::report::Report;

/// Tool errors that are listed.
const ERRORS: usize = 200;

impl Report {
    pub(super) fn tool_errors_section(&self, out: &mut String) {
        out.push_str("<section id=\"tool-errors\">\n<h2>Tool errors</h2>\n");
        if self.tool_errors.is_empty() {
            out.push_str("<p>None: every experiment has a result.</p>\n</section>\n");
            return;
        }
        out.push_str(
            "<p>Failures of ours. Each was tried again and is in no estimate; limits allow for all of them masked and all of them failing.</p>\n",
        );
        let head = ["Application", "Chip", "Fault", "What went wrong", "Attempts"];
        let mut t = Table::new("Tool errors", 4, &head);
        for e in self.tool_errors.iter().take(ERRORS) {
            t.push(vec![
                esc(&e.app),
                esc(&e.chip),
                format!("<code>{}</code>", esc(&e.fault)),
                esc(&e.cause),
                e.attempts.to_string(),
            ]);
        }
        out.push_str(&t.render());
        if self.tool_errors.len() > ERRORS {
            let all = grouped(self.tool_errors.len() as u64);
            let _ = writeln!(
                out,
                "<p class=\"fine\">The first {ERRORS} of {all}; the JSON has all.</p>"
            );
        }
        out.push_str("</section>\n");
    }

    pub(super) fn provenance(&self, out: &mut String) {
        out.push_str("<section id=\"provenance\">\n<h2>Provenance</h2>\n<ul class=\"plain\">\n");
        let _ = writeln!(
            out,
            "<li>Intervals: {} at {}&nbsp;%; strata that stop at a number of failures: exact, by inverse binomial \
             sampling; sums: variance recovered from the parts' limits; what has no result adds up as it is.</li>",
            esc(self.interval),
            trimmed(100.0 * self.confidence)
        );
        out.push_str(
            "<li>AVF of a structure: rate of SDCs, crashes and timeouts × derating. Of a kernel: mean over its \
             structures, weighted with bits. Weighted AVF: mean over the kernels, weighted with cycles. Tool errors \
             are in no estimate.</li>\n",
        );
        match &self.raw_fit {
            Some(raws) => {
                for raw in raws.all() {
                    let value = significant(raw.per_bit);
                    let _ =
                        writeln!(out, "<li>Raw FIT per bit: {value}. {}.</li>", esc(&raw.source));
                }
            }
            None => {
                let _ = writeln!(out, "<li>{}</li>", esc(Report::fit_hint()));
            }
        }
        let _ = writeln!(
            out,
            "<li>Digest of all results together (fault, class, cycles, output): <code>{}</code>.</li>",
            esc(&self.results_digest)
        );
        out.push_str("</ul>\n");
        let _ = writeln!(
            out,
            "<p class=\"fine\">This page was made by upset {}.</p>",
            env!("CARGO_PKG_VERSION")
        );
        for chip in &self.chips {
            chip_used(out, chip);
        }
        for source in &self.sources {
            store(out, source);
        }
        out.push_str("</section>\n");
    }
}

fn chip_used(out: &mut String, chip: &ChipUsed) {
    let title = if chip.title.is_empty() { String::new() } else { format!(": {}", chip.title) };
    let _ = writeln!(
        out,
        "<article class=\"store\">\n<h3>Chip <code>{}</code>{}</h3>",
        esc(&chip.name),
        esc(&title)
    );
    match (&chip.preset, chip.changes.is_empty()) {
        (None, _) => {
            out.push_str("<p>No preset has this name; the description is all there is.</p>\n")
        }
        (Some(preset), true) => {
            let _ = writeln!(
                out,
                "<p>As the preset <code>{}</code> says, in everything.</p>",
                esc(preset)
            );
        }
        (Some(preset), false) => {
            let head = ["Key", "Preset", "Here"];
            let mut t = Table::new(&format!("What differs from the preset {preset}"), 3, &head);
            for c in &chip.changes {
                let value = |v: &Option<String>| v.as_deref().map_or("–".into(), esc);
                t.push(vec![
                    format!("<code>{}</code>", esc(&c.key)),
                    value(&c.preset),
                    value(&c.here),
                ]);
            }
            out.push_str(&t.render());
        }
    }
    let _ = writeln!(
        out,
        "<details><summary>Description</summary><pre tabindex=\"0\">{}</pre></details>\n</article>",
        esc(&chip.description)
    );
}

fn store(out: &mut String, s: &Source) {
    let how: Vec<String> = s.how.iter().map(|(h, n)| format!("{} {h}", grouped(*n))).collect();
    let _ = write!(
        out,
        "<article class=\"store\">\n<h3><code>{}</code></h3>\n<dl class=\"facts\">\n\
         <div><dt>Tool</dt><dd>upset {}</dd></div>\n<div><dt>Seed</dt><dd>{}</dd></div>\n\
         <div><dt>Experiments</dt><dd>{}</dd></div>\n<div><dt>Found by</dt><dd>{}</dd></div>\n\
         <div><dt>Tried again</dt><dd>{}</dd></div>\n\
         <div><dt>Digest of the results alone</dt><dd><code>{}</code></dd></div>\n</dl>\n",
        esc(&s.file),
        esc(&s.tool),
        s.seed,
        grouped(s.experiments),
        esc(&how.join(", ")),
        grouped(s.retried),
        esc(&s.results_digest)
    );
    let head = [
        "Application",
        "Chip",
        "Binaries",
        "Cycles",
        "Cycle limit",
        "Output bytes",
        "Output digest",
    ];
    let mut t = Table::new("What ran", 3, &head);
    for u in &s.subjects {
        let app = if u.command.is_empty() {
            format!("{} {}", u.app, u.scale)
        } else {
            u.command.join(" ")
        };
        let binaries: Vec<String> =
            u.binaries.iter().map(|(n, d)| format!("{} <code>{}</code>", esc(n), esc(d))).collect();
        t.push(vec![
            esc(app.trim()),
            esc(&u.chip),
            binaries.join("<br>"),
            grouped(u.cycles),
            grouped(u.limit),
            grouped(u.output_bytes),
            format!("<code>{}</code>", esc(&u.output_digest)),
        ]);
    }
    out.push_str(&t.render());
    let _ = writeln!(
        out,
        "<details><summary>Specification</summary><pre tabindex=\"0\">{}</pre></details>\n</article>",
        esc(&s.spec)
    );
}
