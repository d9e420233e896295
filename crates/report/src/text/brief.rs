//! What is known so far, in few words: for campaigns that still run.

use std::fmt::Write;

use super::table::{self, Table};
use super::{NAME, share};
use crate::number::{percent_range, trimmed};
use crate::report::Report;

impl Report {
    /// Rates of all strata, one line each. Of unfinished ones there are limits
    /// only, which hold whatever the missing runs bring.
    pub fn brief(&self) -> String {
        let mut out = String::new();
        for panel in &self.panels {
            let _ = writeln!(out, "\n{}, {}", panel.subject(), panel.variant.label());
            let head = ["KERNEL", "STRUCTURE", "RUNS", "SDC", "CRASH", "TIMEOUT", "AVF", "LIMITS"];
            let mut table = Table::new(2, &head);
            for row in &panel.rows {
                let runs = match row.complete {
                    true => row.runs.to_string(),
                    false => format!("{} of {}*", row.runs, row.planned),
                };
                let mut cells = vec![table::fitted(&row.kernel_name, NAME), row.structure.clone()];
                cells.push(runs);
                let c = &row.counts;
                cells.extend([c.sdc, c.crash, c.timeout].map(|n| n.to_string()));
                match row.avf_estimate() {
                    Some(e) => cells.extend([share(e.value), percent_range(e.low, e.high)]),
                    None => cells.extend(["-".into(), String::new()]),
                }
                table.push(cells);
            }
            out.push_str(&table.render());
        }
        let _ = writeln!(out, "\nlimits in percent, at {} %", trimmed(100.0 * self.confidence));
        if self.panels.iter().any(|p| !p.complete) {
            let _ = writeln!(
                out,
                "* so far: the limits hold whatever the missing runs bring, and there is no estimate"
            );
        }
        out.replace('\u{a0}', " ")
    }
}
