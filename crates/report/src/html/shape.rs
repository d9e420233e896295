//! What wrong outputs look like, and why runs did not end well.

use upset_metrics::Class;

use super::chart::{About, Axis, BarRow, Bars, Columns, Mark};
use crate::number::{count, grouped};
use crate::panel::Panel;
use crate::shape::{Bin, Shape};

/// Causes shown; the rest is one bar.
const MOST: usize = 8;

/// All figures of a panel.
pub fn figures(p: &Panel, id: &str) -> String {
    let mut out = String::new();
    if let Some(shape) = &p.shape {
        corruption(&mut out, shape, id, p);
    }
    out.push_str(&causes(p, id));
    out
}

fn corruption(out: &mut String, s: &Shape, id: &str, p: &Panel) {
    let (variant, of) = (p.variant.label(), p.subject());
    for (i, (element, bits)) in s.bits.iter().enumerate() {
        let bins: Vec<Bin> = bits
            .iter()
            .enumerate()
            .map(|(bit, n)| Bin { label: bit.to_string(), count: *n })
            .collect();
        let title = format!("Bits wrong in the output: {variant}.");
        let note =
            format!("Wrong elements ({element}) by bit position, over {}.", count(s.sdcs, "SDC"));
        let about = about(format!("{id}-bits-{i}"), &of, &title, &note);
        out.push_str(
            &Columns { about, bins: &bins, below: "bit position, 0 is the lowest", class: "c-sdc" }
                .render(),
        );
    }
    let title = format!("Size of the error: {variant}.");
    let mut note = String::from("SDCs by their largest relative error");
    for (n, what) in [(s.nan, "a new NaN"), (s.inf, "a new infinity"), (s.length, "another length")]
    {
        if n > 0 {
            note += &format!("; {} with {what}", grouped(n));
        }
    }
    note.push('.');
    let relative = about(format!("{id}-relative"), &of, &title, &note);
    let below = "relative error, at least; none: not finite, or the right value is 0";
    out.push_str(&Columns { about: relative, bins: &s.relative, below, class: "c-sdc" }.render());
    let title = format!("Extent of the error: {variant}.");
    let wrong = about(format!("{id}-wrong"), &of, &title, "SDCs by number of wrong elements.");
    out.push_str(
        &Columns { about: wrong, bins: &s.wrong, below: "wrong elements", class: "c-sdc" }.render(),
    );
}

fn about<'a>(id: String, of: &str, title: &'a str, note: &'a str) -> About<'a> {
    About { id, of: of.to_string(), title, note, legend: Vec::new() }
}

fn causes(p: &Panel, id: &str) -> String {
    if p.causes.is_empty() {
        return String::new();
    }
    let mut rows: Vec<BarRow> = Vec::new();
    for c in p.causes.iter().take(MOST) {
        let from: Vec<String> = c.structures.iter().map(|(s, n)| format!("{s} {n}")).collect();
        let from = from.join(", ");
        let what = format!("{}: {} ({from})", c.cause, grouped(c.runs));
        let class = format!("c-{}", c.class.name());
        rows.push(BarRow {
            heading: String::new(),
            label: c.cause.clone(),
            value: format!("{} ({from})", grouped(c.runs)),
            lanes: vec![vec![Mark::Piece(0.0, c.runs as f64, class, what)]],
        });
    }
    let rest: u64 = p.causes.iter().skip(MOST).map(|c| c.runs).sum();
    if rest > 0 {
        let piece = Mark::Piece(0.0, rest as f64, "c-performance".into(), grouped(rest));
        rows.push(BarRow {
            heading: String::new(),
            label: "other causes".into(),
            value: grouped(rest),
            lanes: vec![vec![piece]],
        });
    }
    let title = format!("Causes of crashes and timeouts: {}.", p.variant.label());
    let legend =
        [Class::Crash, Class::Timeout].map(|c| (format!("c-{}", c.name()), c.name().to_string()));
    let about = About {
        id: format!("{id}-causes"),
        of: p.subject(),
        title: &title,
        note: "Runs, and the structures that were hit.",
        legend: legend.to_vec(),
    };
    Bars { about, axis: Axis::Plain, rows }.render()
}
