//! Results under ECC.

use super::chart::{About, Axis, BarRow, Bars, Mark};
use super::escape::esc;
use super::table::{self, Table};
use crate::ecc::Protected;
use crate::number::{grouped, percent};
use crate::panel::Panel;
use crate::report::Report;

const PIECES: [(&str, &str); 6] = [
    ("e-escaped", "unnoticed and failing"),
    ("e-detected", "detected"),
    ("e-perhaps", "detected or harmless"),
    ("e-unknown", "needs re-simulation"),
    ("e-corrected", "corrected"),
    ("e-harmless", "harmless"),
];

impl Report {
    pub(super) fn protection(&self, out: &mut String) {
        if self.ecc.is_empty() {
            return;
        }
        out.push_str("<section id=\"protection\">\n<h2>Under ECC</h2>\n");
        out.push_str(&format!(
            "<p>The same experiments, re-read under {}. Exact where it follows from the fault alone; \
             what would need another simulation counts as harmless in lower limits and as a failure in upper ones.</p>\n",
            esc(&self.ecc.join(", "))
        ));
        out.push_str("<div class=\"figures\">\n");
        for (i, p) in self.panels.iter().enumerate() {
            out.push_str(&figure(p, i));
        }
        out.push_str("</div>\n");
        for p in &self.panels {
            out.push_str(&rows(p));
        }
        out.push_str(&totals(&self.panels));
        out.push_str("</section>\n");
    }
}

fn figure(p: &Panel, i: usize) -> String {
    let rows: Vec<BarRow> = p.ecc.iter().filter(|e| e.n > 0).map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let title = format!("{}, {}.", p.subject(), p.variant.label());
    let about = About {
        id: format!("ecc-{i}"),
        of: String::new(),
        title: &title,
        note: "What the code makes of the faults.",
        legend: PIECES.map(|(c, t)| (c.to_string(), t.to_string())).to_vec(),
    };
    Bars { about, axis: Axis::Percent, rows }.render()
}

fn row(e: &Protected) -> BarRow {
    let failing = e.escaped.failures() + e.unprotected.failures();
    let harmless = e.unread + e.escaped.runs() + e.unprotected.runs() - failing;
    let counts = [failing, e.detected, e.perhaps, e.unknown, e.corrected, harmless];
    let mut at = 0.0;
    let mut pieces = Vec::new();
    for (n, (class, name)) in counts.into_iter().zip(PIECES) {
        let share = n as f64 / e.n as f64;
        let what = format!("{name}: {} of {}, {}", n, e.n, percent(share));
        pieces.push(Mark::Piece(at, at + share, class.to_string(), what));
        at += share;
    }
    let code = if e.codes.is_empty() { "none".to_string() } else { e.codes.join(" ") };
    BarRow {
        heading: e.kernel_name.clone(),
        label: e.structure.clone(),
        value: format!("{code}, n = {}", grouped(e.n)),
        lanes: vec![pieces],
    }
}

fn rows(p: &Panel) -> String {
    let head = [
        "Kernel",
        "Structure",
        "Code",
        "n",
        "Corrected",
        "Detected",
        "Unread",
        "Escaped",
        "No code",
        "Perhaps detected",
        "Unknown",
        "SDC left",
        "DUE",
    ];
    let mut t = Table::new(&format!("{}, {}, under ECC", p.subject(), p.variant.label()), 3, &head);
    for e in &p.ecc {
        let code = if e.codes.is_empty() { "none".to_string() } else { e.codes.join(" ") };
        let mut cells = vec![esc(&e.kernel_name), esc(&e.structure), esc(&code)];
        cells.extend(
            [
                e.n,
                e.corrected,
                e.detected,
                e.unread,
                e.escaped.runs(),
                e.unprotected.runs(),
                e.perhaps,
                e.unknown,
            ]
            .map(grouped),
        );
        cells.extend([table::share(e.sdc), table::share(e.due)]);
        t.push(cells);
    }
    t.render()
}

/// All structures together.
fn totals(panels: &[Panel]) -> String {
    let head = ["Application, chip", "Fault", "SDC left", "DUE", "SDC-FIT", "DUE-FIT"];
    let mut t = Table::new("All structures under ECC", 2, &head);
    for p in panels {
        let Some(total) = &p.ecc_total else { continue };
        t.push(vec![
            esc(&p.subject()),
            esc(&p.variant.label()),
            table::share(Some(total.sdc)),
            table::share(Some(total.due)),
            table::value(total.sdc_fit),
            table::value(total.due_fit),
        ]);
    }
    t.render()
}
