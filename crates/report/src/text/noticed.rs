//! What counters noticed, for a terminal.

use std::fmt::Write;

use super::table::Table;
use crate::noticed::{Share, Watched, WatchedRow};
use crate::number::{grouped, percent, percent_range};

/// The table and the smallest set.
pub fn text(out: &mut String, watched: &Watched) {
    let _ = writeln!(out, "\nnoticed by performance counters");
    let head = [
        "APP",
        "STRUCTURE",
        "MODEL",
        "SDC",
        "CRASH",
        "TIMEOUT",
        "FAILURES",
        "INTERVAL",
        "PAPER",
        "LATENCY",
        "MASKED",
    ];
    let mut table = Table::new(3, &head);
    watched.rows.iter().for_each(|r| table.push(row(r)));
    let _ = write!(out, "{}", table.render());
    if let Some(s) = &watched.smallest {
        let kind = if s.exact { "smallest set" } else { "small set" };
        let _ = writeln!(
            out,
            "{kind} of counters that keeps 98 %: {} ({} of {} failures noticed)",
            s.counters.join(", "),
            grouped(s.noticed),
            grouped(s.all)
        );
    }
}

fn row(r: &WatchedRow) -> Vec<String> {
    let of = |name: &str| {
        let class = r.classes.iter().find(|c| c.class.name() == name);
        class.map_or("-".into(), |c| fraction(c.noticed))
    };
    let name = |text: &str| if text.is_empty() { "all".to_string() } else { text.to_string() };
    vec![
        name(&r.app),
        name(&r.structure),
        name(&r.model),
        of("sdc"),
        of("crash"),
        of("timeout"),
        fraction(r.failures),
        percent_range(r.failures.low, r.failures.high),
        part(r.failures_paper),
        r.latency.map_or("-".into(), grouped),
        of("masked"),
    ]
}

/// `12/40`.
fn fraction(s: Share) -> String {
    format!("{}/{}", s.k, s.n)
}

fn part(s: Share) -> String {
    match s.n {
        0 => "-".into(),
        n => percent(s.k as f64 / n as f64),
    }
}
