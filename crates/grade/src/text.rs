//! A record in words.

use std::fmt::Write as _;

use upset_metrics::Interval;

use crate::counts::share;
use crate::record::Record;

/// Columns; all but the first to the right.
const HEAD: [&str; 15] = [
    "TEST",
    "DETECTED",
    "INTERVAL",
    "LOCATED",
    "INTERVAL",
    "SUB-CORE",
    "SM",
    "ELSEWHERE",
    "HANG",
    "TRAP",
    "NO VERDICT",
    "MASKED",
    "UNUSED",
    "HALF AT",
    "LAST AT",
];

/// The record as people read it.
pub fn render(record: &Record) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "chip     {}", record.chip);
    let _ = writeln!(text, "level    {}, seed {}", record.level, record.seed);
    for m in &record.methods {
        let _ = writeln!(text, "test     {}: {}, {} results", m.name, time(m.seconds), m.results);
    }
    for (i, list) in record.lists.iter().enumerate() {
        let _ = writeln!(text, "\n{}", list.title);
        let mut rows: Vec<Vec<String>> = vec![HEAD.map(String::from).to_vec()];
        for m in 0..record.methods.len() {
            rows.push(row(record, i, m));
        }
        let ours = record.methods.iter().filter(|m| m.ours).count();
        if ours > 1 {
            let n = list.faults.len() as u64;
            let mut any = vec!["any of ours".to_string()];
            any.extend(with_interval(share(record.detected_by_any(i), n)));
            rows.push(any);
        }
        text += &columns(&rows);
    }
    if !record.smallest.is_empty() {
        let _ = writeln!(text, "\nsmallest set that detects what all tests detect");
        let mut rows = vec![["TEST", "ADDS", "DETECTED", "SECONDS"].map(String::from).to_vec()];
        for step in &record.smallest {
            rows.push(vec![
                record.methods[step.test].name.clone(),
                step.adds.to_string(),
                step.found.to_string(),
                time(step.seconds),
            ]);
        }
        text += &columns(&rows);
    }
    text
}

fn row(record: &Record, list: usize, method: usize) -> Vec<String> {
    let c = record.counts(list, method);
    let mut row = vec![record.methods[method].name.clone()];
    row.extend(with_interval(c.share()));
    row.extend(with_interval(c.located()));
    let counts =
        [c.sub_core, c.sm, c.elsewhere, c.hangs, c.traps, c.no_verdict, c.masked, c.unused];
    row.extend(counts.map(|n| n.to_string()));
    for at in [0.5, 1.0] {
        row.push(c.seconds_of(at).map_or("-".into(), time));
    }
    row
}

fn with_interval(share: Option<(f64, Interval)>) -> [String; 2] {
    match share {
        Some((share, Interval { low, high })) => {
            [format!("{} %", percent(share)), format!("[{}, {}]", percent(low), percent(high))]
        }
        None => ["-".into(), "-".into()],
    }
}

/// A share in percent: what is not all is never printed as all, nor what is not
/// none as none.
fn percent(share: f64) -> String {
    let text = format!("{:.2}", 100.0 * share);
    match text.as_str() {
        "100.00" if share < 1.0 => "99.99".into(),
        "0.00" if share > 0.0 => "0.01".into(),
        _ => text,
    }
}

/// Seconds with three digits and a unit.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.2} us", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match i {
                0 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(percent(1.0), "100.00");
        assert_eq!(percent(0.99999), "99.99");
        assert_eq!(percent(0.00001), "0.01");
        assert_eq!(percent(0.0), "0.00");
        assert_eq!(percent(0.12344), "12.34");
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time(8.123e-6), "8.12 us");
        assert_eq!(time(0.0123), "12.30 ms");
        assert_eq!(time(2.0), "2.00 s");
    }
}
