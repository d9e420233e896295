//! `upset compare`: two sides, each a store or several, figure by figure.
//!
//! The estimates are the report's own. `docs/compare.md` tells what is compared
//! with what, `docs/metrics.md` where differences, ratios and tests come from.

mod differs;
mod figure;
mod matching;
mod model;
mod rows;
mod sums;
mod text;

use serde_json::{Value, json};
use upset_metrics::many::holm;
use upset_store::{Results, Subject};

pub use model::{Differing, Figure, Level, Line, Match, Name, Side, Versus};

use crate::cell::{Cell, gather};
use crate::name::short_name;
use crate::not_begun;
use crate::options::Options;
use crate::panel::{Group, groups};
use crate::report::confidence;

impl Versus {
    /// Compares two sides, whose options differ in the raw FIT alone. An error says
    /// why there is nothing to compare.
    pub fn new(a: &[Results], b: &[Results], options: [&Options; 2]) -> Result<Versus, String> {
        let mut notes = Vec::new();
        let confidence = confidence(a.iter().chain(b), options[0], &mut notes);
        let (cells_a, cells_b) = (gathered("A", a, &mut notes), gathered("B", b, &mut notes));
        let (x, y) = (sorted("A", &cells_a, a, &mut notes), sorted("B", &cells_b, b, &mut notes));
        let names = [&x, &y].map(|side| side.iter().map(matching::name).collect::<Vec<_>>());
        let found = matching::partners(&names[0], &names[1]);
        if found.pairs.is_empty() {
            return Err(nothing(&names));
        }
        let mut only = [Vec::new(), Vec::new()];
        for (side, only) in only.iter_mut().enumerate() {
            let partner = |p: &(usize, usize)| if side == 0 { p.0 } else { p.1 };
            let alone = |i: &usize| !found.pairs.iter().any(|p| partner(p) == *i);
            only.extend((0..names[side].len()).filter(alone).map(|i| names[side][i].text()));
        }
        let mut matches = Vec::new();
        let mut partners: Vec<(&Subject, &Subject)> = Vec::new();
        for (i, j) in found.pairs {
            partners.push((x[i].cells[0].subject, y[j].cells[0].subject));
            let (names, pair) = ((&names[0][i], &names[1][j]), (&x[i], &y[j]));
            matches.push(matched(names, pair, options, confidence, &mut only, &mut notes));
        }
        for (stores, only) in [a, b].into_iter().zip(&mut only) {
            let panels = not_begun::panels(stores, confidence);
            only.extend(
                panels.iter().map(|p| format!("{}, {}: not begun", p.subject(), p.variant.label())),
            );
        }
        let [only_a, only_b] = only;
        let mut versus = Versus {
            a: side(a, options[0], only_a),
            b: side(b, options[1], only_b),
            differs: differs::differs(a, b, &partners, found.across),
            matches,
            tests: 0,
            notes,
            confidence,
            interval: options[0].interval.name(),
        };
        versus.correct();
        versus.explain();
        Ok(versus)
    }

    /// One object.
    pub fn json(&self) -> Value {
        json!(self)
    }

    /// Figures that differ, corrected for all tests, at the level of the intervals.
    pub fn different(&self) -> u64 {
        self.below(|f| f.p_holm)
    }

    /// p-values below the level of the intervals.
    fn below(&self, of: impl Fn(&Figure) -> Option<f64>) -> u64 {
        let level = 1.0 - self.confidence;
        self.figures().filter(|f| of(f).is_some_and(|p| p < level)).count() as u64
    }

    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.matches.iter().flat_map(|m| &m.lines)
    }

    fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.lines().flat_map(|l| &l.figures)
    }

    /// Holm's correction over everything that was tested.
    fn correct(&mut self) {
        let p: Vec<f64> = self.figures().filter_map(|f| f.p).collect();
        self.tests = p.len() as u64;
        let lines = self.matches.iter_mut().flat_map(|m| &mut m.lines);
        let tested = lines.flat_map(|l| &mut l.figures).filter(|f| f.p.is_some());
        for (figure, p) in tested.zip(holm(&p)) {
            figure.p_holm = Some(p);
        }
    }

    fn explain(&mut self) {
        if self.lines().any(|l| !l.complete) {
            self.notes.push(
                "What is marked * is unfinished: there is no estimate and no test. The limits of \
                 the difference hold whatever the missing runs bring."
                    .into(),
            );
        }
        if self.figures().any(|f| f.test == Some("interval")) {
            self.notes.push(
                "p of `interval` is the level at which the interval of the difference just reaches \
                 zero."
                    .into(),
            );
        }
    }
}

fn gathered<'a>(side: &str, stores: &'a [Results], notes: &mut Vec<String>) -> Vec<Cell<'a>> {
    let mut own = Vec::new();
    let cells = gather(stores, &mut own);
    notes.extend(own.into_iter().map(|note| format!("{side}: {note}")));
    cells
}

fn sorted<'c, 'a>(
    side: &str,
    cells: &'c [Cell<'a>],
    stores: &[Results],
    notes: &mut Vec<String>,
) -> Vec<Group<'c, 'a>> {
    let mut own = Vec::new();
    let groups = groups(cells, stores, &mut own);
    notes.extend(own.into_iter().map(|note| format!("{side}: {note}")));
    groups
}

fn side(stores: &[Results], options: &Options, only: Vec<String>) -> Side {
    Side {
        stores: stores.iter().map(|s| s.file.clone()).collect(),
        experiments: stores.iter().map(|s| s.experiments.len() as u64).sum(),
        raw_fit: options.raw_fit.clone(),
        only,
    }
}

/// Why there is nothing to compare.
fn nothing(names: &[Vec<Name>; 2]) -> String {
    let list = |names: &[Name]| match names {
        [] => "nothing".to_string(),
        names => names.iter().map(Name::text).collect::<Vec<_>>().join("; "),
    };
    format!(
        "nothing to compare: A has {}. B has {}. Give stores that agree in application, scale, chip, \
         bits, model and sampling, or differ in one of these throughout",
        list(&names[0]),
        list(&names[1])
    )
}

/// Two groups that are partners.
fn matched(
    (a, b): (&Name, &Name),
    (x, y): (&Group<'_, '_>, &Group<'_, '_>),
    options: [&Options; 2],
    confidence: f64,
    only: &mut [Vec<String>; 2],
    notes: &mut Vec<String>,
) -> Match {
    let found = matching::rows(&x.cells, &y.cells);
    for ((name, alone), only) in [a, b].into_iter().zip(&found.only).zip(only) {
        if !alone.is_empty() {
            let list: Vec<String> = alone.iter().map(|c| row_name(c)).collect();
            only.push(format!("{}: {}", name.text(), list.join(", ")));
        }
    }
    // Rows that have nothing to hit have no faults either.
    let drawn = || found.pairs.iter().filter(|(p, q)| p.planned() > 0 || q.planned() > 0);
    let is_paired = |p: &Cell<'_>, q: &Cell<'_>| rows::pairs(p, q).is_some();
    let paired = drawn().count() > 0 && drawn().all(|(p, q)| is_paired(p, q));
    let apart = |p: &Cell<'_>, q: &Cell<'_>| rows::same_faults(p, q) && !is_paired(p, q);
    if drawn().any(|(p, q)| p.complete() && q.complete() && apart(p, q)) {
        notes.push(format!(
            "{}: both sides drew the same faults, but not as many, or as many as the results asked \
             for. They are taken as independent: that errs towards no difference.",
            a.text()
        ));
    }
    let mut own = Vec::new();
    let mut lines: Vec<Line> =
        found.pairs.iter().map(|(p, q)| rows::line(p, q, options, confidence)).collect();
    lines.extend(sums::lines(x, y, options, confidence, &mut own));
    notes.extend(own.into_iter().map(|note| format!("{}: {note}", a.text())));
    Match { a: a.clone(), b: b.clone(), paired, lines }
}

/// `vectorAdd rf`.
fn row_name(cell: &Cell<'_>) -> String {
    let s = cell.stratum;
    let kernel = s.kernel.as_deref().map_or("whole run".into(), short_name);
    match s.window.as_str() {
        "" => format!("{kernel} {}", s.structure),
        window => format!("{kernel} ({window}) {}", s.structure),
    }
}
