//! Tables that scroll in their own box.

use std::fmt::Write;

use upset_metrics::Estimate;

use super::escape::esc;
use crate::number::{grouped, percent, percent_range, range, significant};

/// A table under construction.
pub struct Table {
    caption: String,
    head: Vec<String>,
    /// Leading columns that are words.
    words: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With a caption and column heads; the first `words` columns are words.
    pub fn new(caption: &str, words: usize, head: &[&str]) -> Table {
        let head = head.iter().map(|h| h.to_string()).collect();
        Table { caption: caption.to_string(), head, words, rows: Vec::new() }
    }

    /// Adds a row of cells that are markup already.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The markup.
    pub fn render(&self) -> String {
        let caption = esc(&self.caption);
        // A table that fits on a sheet stays on one.
        let short = if self.rows.len() <= 16 { " short" } else { "" };
        let mut out = format!(
            "<div class=\"scroll{short}\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n\
             <table><caption><span>{caption}</span></caption>\n<thead><tr>"
        );
        for (i, head) in self.head.iter().enumerate() {
            let class = if i < self.words { " class=\"w\"" } else { "" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", esc(head));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (i, cell) in row.iter().enumerate() {
                let _ = match i {
                    0 => write!(out, "<th scope=\"row\" class=\"w\">{cell}</th>"),
                    i if i < self.words => write!(out, "<td class=\"w\">{cell}</td>"),
                    _ => write!(out, "<td>{cell}</td>"),
                };
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }
}

/// A share with its interval, or a dash.
pub fn share(e: Option<Estimate>) -> String {
    e.map_or("–".into(), |e| with_range(e, percent, &percent_range(e.low, e.high)))
}

/// A value with its interval, or a dash.
pub fn value(e: Option<Estimate>) -> String {
    e.map_or("–".into(), |e| with_range(e, significant, &range(e.low, e.high)))
}

fn with_range(e: Estimate, show: impl Fn(f64) -> String, range: &str) -> String {
    format!("{} <span class=\"range\">{range}</span>", maybe(e.value, show))
}

/// A number that may be missing.
pub fn maybe(x: Option<f64>, show: impl Fn(f64) -> String) -> String {
    x.map_or("–".into(), show)
}

/// Runs that are there, of how many where some are missing.
pub fn runs(runs: u64, planned: u64, complete: bool) -> String {
    match complete {
        true => grouped(runs),
        false => format!("{} of {}*", grouped(runs), grouped(planned)),
    }
}
