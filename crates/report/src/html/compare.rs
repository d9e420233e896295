//! Chips and applications against each other.

use std::fmt::Write;

use upset_metrics::Estimate;

use super::escape::esc;
use super::table::Table;
use crate::compare::{Compared, Comparison};
use crate::number::{grouped, significant, trimmed};
use crate::report::Report;

/// Rows of the page; the JSON has all.
const SHOWN: usize = 60;

impl Report {
    /// The section, where there is something to compare.
    pub(super) fn comparisons_section(&self, out: &mut String) {
        if self.comparisons.is_empty() {
            return;
        }
        let told = self.comparisons.iter().filter(|c| c.avf.is_some_and(differs)).count();
        let _ = write!(
            out,
            "<section id=\"differences\">\n<h2>Differences</h2>\n\
             <p>First minus second in percentage points, and first over second, of AVF and of its two parts. \
             Each interval holds at {}&nbsp;% by itself; among many some miss by chance. <strong>Bold</strong>: the \
             interval leaves out “no difference”. So it is with the AVF of {} of {} comparisons.</p>\n",
            trimmed(100.0 * self.confidence),
            grouped(told as u64),
            grouped(self.comparisons.len() as u64)
        );
        out.push_str("<details><summary>All comparisons</summary>\n");
        for between in ["chips", "applications"] {
            let own: Vec<&Comparison> =
                self.comparisons.iter().filter(|c| c.between == between).collect();
            table(out, between, &own);
        }
        out.push_str("</details>\n</section>\n");
    }
}

/// Whether the difference is more than chance.
fn differs(c: Compared) -> bool {
    c.difference.low > 0.0 || c.difference.high < 0.0
}

/// Whether there is a failure on either side, or there may be: unfinished ones.
fn has_failures(c: Compared) -> bool {
    c.difference.value != Some(0.0) || c.ratio.value.is_some()
}

fn table(out: &mut String, between: &str, own: &[&Comparison]) {
    if own.is_empty() {
        return;
    }
    let first = if between == "chips" { "Application" } else { "Chip" };
    let head = [
        first,
        "First",
        "Second",
        "Structure",
        "AVF: difference",
        "ratio",
        "SDC: difference",
        "ratio",
        "DUE: difference",
        "ratio",
    ];
    let caption = match between {
        "chips" => "Chips under the same application",
        _ => "Applications on the same chip",
    };
    // Nothing against nothing is no comparison.
    let some: Vec<&&Comparison> = own.iter().filter(|c| c.avf.is_some_and(has_failures)).collect();
    let mut t = Table::new(caption, 4, &head);
    for c in some.iter().take(SHOWN) {
        let mut cells = vec![
            esc(&c.common),
            esc(&c.first),
            esc(&c.second),
            c.structure.as_ref().map_or("all of them".into(), |s| esc(s)),
        ];
        for compared in [c.avf, c.sdc, c.due] {
            let Some(compared) = compared else {
                cells.extend(["–".to_string(), "–".into()]);
                continue;
            };
            let bold = |text: String| match differs(compared) {
                true => format!("<strong>{text}</strong>"),
                false => text,
            };
            cells.push(bold(points(compared.difference)));
            cells.push(ratio(compared.ratio));
        }
        t.push(cells);
    }
    if !some.is_empty() {
        out.push_str(&t.render());
    }
    let shown = some.len().min(SHOWN);
    if shown < own.len() {
        let _ = writeln!(
            out,
            "<p class=\"fine\">{caption}: {} of {} are shown, those with failures on a side; the JSON has all.</p>",
            grouped(shown as u64),
            grouped(own.len() as u64)
        );
    }
}

/// `+1.23 [-0.40, +2.85]`, in percentage points.
fn points(e: Estimate) -> String {
    let signed = |x: f64| {
        let p = 100.0 * x;
        let text = if p == 0.0 { "0".to_string() } else { significant(p.abs()) };
        let sign = if p > 0.0 {
            "+"
        } else if p < 0.0 {
            "−"
        } else {
            ""
        };
        format!("{sign}{text}")
    };
    let range = format!("[{},\u{a0}{}]", signed(e.low), signed(e.high));
    ranged(e.value.map(signed), &range)
}

fn ratio(e: Estimate) -> String {
    let bare = |x: f64| if x.is_finite() { significant(x) } else { "∞".into() };
    ranged(e.value.map(bare), &format!("[{},\u{a0}{}]", bare(e.low), bare(e.high)))
}

fn ranged(value: Option<String>, range: &str) -> String {
    format!("{} <span class=\"range\">{range}</span>", value.unwrap_or_else(|| "–".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told() {
        let e = Estimate { value: Some(-0.0123), low: -0.05, high: 0.0 };
        assert_eq!(points(e), "−1.23 <span class=\"range\">[−5.00,\u{a0}0]</span>");
        let e = Estimate { value: None, low: 0.5, high: f64::INFINITY };
        assert_eq!(ratio(e), "– <span class=\"range\">[0.500,\u{a0}∞]</span>");
    }
}
