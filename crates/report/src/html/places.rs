//! Figures from the injections themselves: bits, parts, time, places, instructions.

use std::fmt::Write;

use super::chart::{About, Axis, BarRow, Bars, Mark, Series, heat};
use super::escape::esc;
use super::estimate::say;
use super::table::{self, Table};
use crate::ace::AceBounds;
use crate::breakdown::{Breakdown, Slot};
use crate::number::{grouped, percent};
use crate::panel::Panel;

fn legend() -> Vec<(String, String)> {
    [("c-sdc", "SDC"), ("c-crash", "crash or timeout")]
        .map(|(class, text)| (class.to_string(), text.to_string()))
        .to_vec()
}

fn fails(b: &Breakdown) -> bool {
    b.all.sdc_runs + b.all.due_runs > 0
}

/// A structure in a name of a file: its own name, or its number where that has
/// letters that do not belong there.
fn word(b: &Breakdown, number: usize) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    match b.structure.chars().all(plain) {
        true => b.structure.clone(),
        false => number.to_string(),
    }
}

/// All figures of a panel.
pub fn figures(p: &Panel, id: &str) -> String {
    let mut out = parts(p, &format!("{id}-parts"));
    // Of several bits the first speaks for the fault.
    let first = if p.variant.is_single() { "" } else { " The first bit of each fault counts." };
    let what = p.variant.label();
    for (i, b) in p.breakdowns.iter().enumerate().filter(|(_, b)| fails(b)) {
        let n = format!("n\u{a0}=\u{a0}{}", grouped(b.n));
        let mut series = |name: &str, title: String, note: String, slots: &[Slot], below: &str| {
            if slots.is_empty() {
                return;
            }
            let about = About {
                id: format!("{id}-{name}-{}", word(b, i)),
                of: p.subject(),
                title: &title,
                note: &note,
                legend: legend(),
            };
            out.push_str(&Series { about, slots, below }.render());
        };
        series(
            "bit",
            format!("{}: failures by bit that was hit, {what}.", b.structure),
            format!(
                "Share of the hits of each bit that fail, with the interval of both kinds; {n}.{first}"
            ),
            &b.by_bit,
            b.bits_of,
        );
        series(
            "time",
            format!("{}: failures over time, {what}.", b.structure),
            format!(
                "Share of the hits in each stretch of the run that fail, with the interval of both kinds; {n}."
            ),
            &b.over_time,
            "cycle from which on",
        );
        if let Some(map) = &b.map {
            let title = format!("{}: failures by place, {what}.", b.structure);
            let note = format!(
                "Share of the hits of each place that fail; {n}, about {} in a place. An empty place was not hit.{first}",
                grouped(b.n / (map.slots.len() as u64).max(1))
            );
            let about = About {
                id: format!("{id}-map-{}", word(b, i)),
                of: p.subject(),
                title: &title,
                note: &note,
                legend: Vec::new(),
            };
            out.push_str(&heat(about, map));
        }
    }
    out
}

/// Data, tag and state of all caches.
fn parts(p: &Panel, id: &str) -> String {
    let mut rows = Vec::new();
    for b in &p.breakdowns {
        for s in &b.by_part {
            let point = |e, class: &str, name: &str| {
                let what =
                    format!("{}, {}, {name}: {}", b.structure, s.label, say(Axis::Percent, e));
                vec![Mark::Point(e, class.to_string(), what)]
            };
            rows.push(BarRow {
                heading: b.structure.clone(),
                label: s.label.clone(),
                value: format!(
                    "{} SDC, {} crash or timeout, n = {}",
                    s.sdc_runs,
                    s.due_runs,
                    grouped(s.n)
                ),
                lanes: vec![
                    point(s.sdc, "c-sdc", "SDC"),
                    point(s.due, "c-crash", "crash or timeout"),
                ],
            });
        }
    }
    let title = format!("Failures by part of the line: {}.", p.variant.label());
    let note = "Share of the hits of each part that fail.";
    let about =
        About { id: id.to_string(), of: p.subject(), title: &title, note, legend: legend() };
    Bars { about, axis: Axis::Percent, rows }.render()
}

/// Instructions at which failures start, and what is not taken apart.
pub fn tables(p: &Panel, ace: &[AceBounds]) -> String {
    let mut out = instructions(p, ace);
    let quiet: Vec<String> = p
        .breakdowns
        .iter()
        .filter(|b| !fails(b))
        .map(|b| {
            format!(
                "{} (n = {}, at most {})",
                b.structure,
                grouped(b.n),
                percent(b.all.failures.high)
            )
        })
        .collect();
    if !quiet.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"fine\">No failure was found in {}.</p>",
            esc(&quiet.join(", "))
        );
    }
    let mut open: Vec<&str> =
        p.rows.iter().filter(|r| !r.complete).map(|r| r.structure.as_str()).collect();
    open.dedup();
    if !open.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"fine\">Unfinished, and so not taken apart by bit, place and time: {}.</p>",
            esc(&open.join(", "))
        );
    }
    out
}

fn instructions(p: &Panel, ace: &[AceBounds]) -> String {
    if p.breakdowns.iter().all(|b| b.instructions.is_empty()) {
        return String::new();
    }
    let texts = |b: &Breakdown| {
        let spot = |s: &crate::breakdown::Spot| {
            let own = ace.iter().filter(|a| a.is_of(p.about()));
            own.filter_map(|a| a.instruction_at(&s.symbol, s.offset)).next()
        };
        b.instructions.iter().map(spot).collect::<Vec<_>>()
    };
    let known = p.breakdowns.iter().any(|b| texts(b).iter().any(Option::is_some));
    let mut head = vec!["Function", "Offset", "Structure"];
    if known {
        head.push("Instruction");
    }
    let words = head.len();
    head.extend(["n", "Failures", "of the structure's", "SDC", "Crash or timeout"]);
    let caption = format!(
        "Hot spots: where the owner of the bit stood when it was hit, {}",
        p.variant.label()
    );
    let mut t = Table::new(&caption, words, &head);
    let mut left_out = 0;
    for b in &p.breakdowns {
        left_out += b.instructions_left_out;
        for (s, text) in b.instructions.iter().zip(texts(b)) {
            let mut cells = vec![
                esc(&s.function),
                format!("<code>{:#06x}</code>", s.offset),
                esc(&b.structure),
            ];
            if known {
                cells.push(text.map_or("–".into(), |t| format!("<code>{}</code>", esc(&t))));
            }
            cells.push(grouped(s.slot.n));
            cells.push(grouped(s.slot.sdc_runs + s.slot.due_runs));
            cells.push(percent(s.slot.share));
            cells.push(table::share(Some(s.slot.sdc)));
            cells.push(table::share(Some(s.slot.due)));
            t.push(cells);
        }
    }
    let mut out = t.render();
    if left_out > 0 {
        let _ = writeln!(
            out,
            "<p class=\"fine\">{} more instructions have failures.</p>",
            grouped(left_out as u64)
        );
    }
    out
}
