//! A comparison for a terminal.

use std::fmt::Write;

use upset_metrics::Estimate;
use upset_metrics::equal::SMALLEST;

use super::model::{Differing, Figure, Level, Line, Match, Side, Versus};
use crate::number::{count, percent_with, significant, trimmed, value_with};
use crate::text::table::{Table, fitted};

/// Longest kernel name that is printed whole.
const NAME: usize = 28;

impl Versus {
    /// Tables.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, side) in [("A", &self.a), ("B", &self.b)] {
            let runs = count(side.experiments, "experiment");
            let _ = writeln!(out, "{name}: {}, {runs}", side.stores.join(", "));
        }
        for d in &self.differs {
            let _ = writeln!(out, "differs: {}", differing(d));
        }
        let confidence = trimmed(100.0 * self.confidence);
        let _ = writeln!(out, "intervals at {confidence} % ({})", self.interval);
        for m in &self.matches {
            matched(&mut out, m);
        }
        let _ = writeln!(out);
        let _ = writeln!(
            out,
            "{} at {} %: {} below it, {} with Holm's correction for all of them",
            count(self.tests, "test"),
            trimmed(100.0 * (1.0 - self.confidence)),
            self.below(|f| f.p),
            self.different()
        );
        for (name, side) in [("A", &self.a), ("B", &self.b)] {
            alone(&mut out, name, side);
        }
        for note in &self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        // Spaces that must not break lines are for pages.
        out.replace('\u{a0}', " ")
    }
}

fn differing(d: &Differing) -> String {
    let of = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".into());
    format!("{}: {} in A, {} in B", d.what, of(&d.a), of(&d.b))
}

/// What has no partner, and where the raw FIT comes from.
fn alone(out: &mut String, name: &str, side: &Side) {
    for only in &side.only {
        let _ = writeln!(out, "only in {name}: {only}");
    }
    for raw in side.raw_fit.iter().flat_map(|raws| raws.all()) {
        let value = significant(raw.per_bit);
        let _ = writeln!(out, "raw FIT per bit in {name} {value}: {}", raw.source);
    }
}

fn matched(out: &mut String, m: &Match) {
    let (a, b) = (m.a.text(), m.b.text());
    let _ = match a == b {
        true => write!(out, "\n{a}"),
        false => write!(out, "\n{a} (A) and {b} (B)"),
    };
    let _ = writeln!(out, "{}", if m.paired { ": paired, the same faults in both" } else { "" });
    let windows = m.lines.iter().any(|l| !l.window.is_empty());
    let mut head = vec!["KERNEL", "STRUCTURE"];
    if windows {
        head.push("WINDOW");
    }
    head.push("FIGURE");
    let left = head.len();
    head.extend(["N IN A", "N IN B", "A", "B", "A - B", "A / B", "TEST", "P", "HOLM"]);
    let mut table = Table::new(left, &head);
    for line in &m.lines {
        for figure in &line.figures {
            let mut cells = named(line, windows);
            cells.push(figure.figure.to_uppercase());
            for (n, of) in [(line.n_a, figure.a), (line.n_b, figure.b)] {
                // Where runs are missing there are limits alone.
                cells.push(format!("{n}{}", if of.value.is_some() { "" } else { "*" }));
            }
            cells.extend(values(figure));
            table.push(cells);
        }
    }
    out.push_str(&table.render());
    pairs(out, m, windows);
}

/// Kernel, structure, and window where lines have one.
fn named(line: &Line, windows: bool) -> Vec<String> {
    let structure = line.structure.clone().unwrap_or_else(|| "all".into());
    let mut cells = vec![fitted(&line.kernel_name, NAME), structure];
    if windows {
        cells.push(line.window.clone());
    }
    cells
}

fn values(f: &Figure) -> [String; 7] {
    let shown = |e: Estimate| match f.figure {
        "fit" => value_with(e),
        _ => percent_with(e),
    };
    let p = |p: Option<f64>| match p {
        Some(p) if p <= SMALLEST => "<1e-9".into(),
        Some(p) => significant(p),
        None => "-".into(),
    };
    [
        shown(f.a),
        shown(f.b),
        shown(f.difference),
        value_with(f.ratio),
        f.test.unwrap_or("-").into(),
        p(f.p),
        p(f.p_holm),
    ]
}

/// How the same faults went in both.
fn pairs(out: &mut String, m: &Match, windows: bool) {
    let mut head = vec!["PAIRS", "STRUCTURE"];
    if windows {
        head.push("WINDOW");
    }
    head.push("FIGURE");
    let left = head.len();
    head.extend(["BOTH", "ONLY A", "ONLY B", "NEITHER", "NO RESULT"]);
    let mut table = Table::new(left, &head);
    let mut any = false;
    for line in m.lines.iter().filter(|l| l.level == Level::Row) {
        // The FIT is of the same runs as the AVF.
        for figure in line.figures.iter().filter(|f| f.figure != "fit") {
            let Some(p) = figure.pairs else { continue };
            let mut cells = named(line, windows);
            cells.push(figure.figure.to_uppercase());
            cells.extend([p.both, p.first, p.second, p.neither, p.unknown].map(|n| n.to_string()));
            table.push(cells);
            any = true;
        }
    }
    if any {
        let _ = write!(out, "\n{}", table.render());
    }
}
