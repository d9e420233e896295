//! The page: the paper's figures, and all numbers below them.

use std::fmt::Write as _;

use upset_metrics::Estimate;
use upset_report::page::{About, Axis, BarRow, Bars, Mark, frame, prose, structure_class};

use super::kept::{Row, Study};
use super::matrix;
use super::tables::{self, slowed_share};

/// The whole page.
pub fn page(study: &Study) -> String {
    let runs: u64 = study.rows.iter().map(|r| r.runs).sum();
    let lead = format!(
        "{runs} experiments, {}. Every rate has an interval at {} % and its number of experiments.",
        tables::each(study),
        100.0 * study.confidence
    );
    let mut body = String::from("<section id=\"figures\">\n<h2>The paper's figures</h2>\n");
    let chips: Vec<String> = study
        .chips
        .iter()
        .map(|c| format!("{} ({}; raw FIT {:e} per bit)", c.name, c.title, c.raw_fit))
        .collect();
    let _ = writeln!(
        body,
        "<p>Chips, in this order where they stand below each other: {}.</p>\n<div class=\"figures\">",
        prose(&chips.join("; "))
    );
    body += &registers(study, 1);
    body += &parts(study);
    study.chips.iter().for_each(|chip| body += &weighted(study, &chip.name));
    body += &occupancy(study);
    body += &slowed(study);
    body += &registers(study, 3);
    study.chips.iter().for_each(|chip| body += &triple(study, &chip.name));
    body += &fit(study);
    body += "</div>\n</section>\n<section id=\"cells\">\n<h2>Structure by structure</h2>\n";
    body += "<p>AVF with its interval; SDC, crashes, timeouts, and other cycles alone, which is no \
             failure, where there are any; n without failures of the tool.</p>\n";
    for bits in [1, 3] {
        study.chips.iter().for_each(|chip| body += &matrix::matrix(study, &chip.name, bits));
    }
    body += &matrix::legend();
    body += "</section>\n<section id=\"tables\">\n<h2>Tables</h2>\n";
    // The last tables are the matrices above, in short.
    let short = tables::all(study).len() - study.chips.len();
    tables::all(study).iter().take(short).for_each(|table| body += &table.html());
    body += "</section>\n";
    let contents = [("figures", "Figures"), ("cells", "Structures"), ("tables", "Tables")];
    let contents = contents.map(|(id, text)| (id.to_string(), text.to_string()));
    frame(
        "gpuFI-4 (Sartzetakis, Papadimitriou, Gizopoulos, ISPASS 2022), done again",
        "Twelve applications on three chips",
        &lead,
        &contents,
        &body,
    )
}

fn about<'a>(id: &str, title: &'a str, note: &'a str, legend: &[(&str, &str)]) -> About<'a> {
    let legend = legend.iter().map(|(class, text)| (class.to_string(), text.to_string()));
    About { id: id.into(), of: String::new(), title, note, legend: legend.collect() }
}

/// A row for each application, a lane for each chip that it was run on.
fn by_chip(
    study: &Study,
    (about, axis, bits): (About<'_>, Axis, u32),
    lane: impl Fn(&Row, usize) -> (String, Vec<Mark>),
) -> String {
    let rows = study.apps.iter().map(|app| {
        let (mut values, mut lanes) = (Vec::new(), Vec::new());
        for (i, chip) in study.chips.iter().enumerate() {
            let own = study.row(app, &chip.name, bits).map(|row| lane(row, i));
            let (value, marks) = own.unwrap_or_else(|| ("–".into(), Vec::new()));
            values.push(value);
            lanes.push(marks);
        }
        let (heading, label) = (String::new(), app.clone());
        BarRow { heading, label, value: values.join(" · "), lanes }
    });
    Bars { about, axis, rows: rows.collect() }.render()
}

/// A colour and shape for each chip.
fn chips(study: &Study) -> Vec<(String, String)> {
    study.chips.iter().enumerate().map(|(i, c)| (format!("v{i}"), c.name.clone())).collect()
}

fn legend(list: &[(String, String)]) -> Vec<(&str, &str)> {
    list.iter().map(|(class, text)| (class.as_str(), text.as_str())).collect()
}

fn said(axis: Axis, e: Estimate) -> String {
    let value = e.value.map_or("–".into(), |v| axis.say(v));
    format!("{value} (from {} to {})", axis.say(e.low), axis.say(e.high))
}

/// Pieces of a bar, one behind the other.
fn stacked(pieces: &[(f64, &str, String)]) -> Vec<Mark> {
    let mut from = 0.0;
    let mut marks = Vec::new();
    for (width, class, what) in pieces {
        marks.push(Mark::Piece(from, from + width, class.to_string(), what.clone()));
        from += width;
    }
    marks
}

/// Figs. 1 and 5.
fn registers(study: &Study, bits: u32) -> String {
    let (figure, flips) = if bits == 1 { ("1", "one bit") } else { ("5", "three bits") };
    let title = format!("Fig. {figure}: register file, {flips}.");
    let classes = [("c-sdc", "SDC"), ("c-timeout", "timeout"), ("c-crash", "crash")];
    let note = "AVF by what happens, for each chip.";
    let about = about(&format!("fig{figure}"), &title, note, &classes);
    by_chip(study, (about, Axis::Percent, bits), |row, _| {
        let Some(rf) = row.structure("rf") else { return ("–".into(), Vec::new()) };
        let shares = [rf.sdc, rf.timeout, rf.crash];
        let pieces: Vec<(f64, &str, String)> = classes
            .iter()
            .zip(shares)
            .map(|((class, name), share)| {
                let told = said(Axis::Percent, share.estimate());
                (share.0, *class, format!("{}, {name}: {told}", row.chip))
            })
            .collect();
        (Axis::Percent.say(rf.avf.0), stacked(&pieces))
    })
}

/// Fig. 2, for all applications.
fn parts(study: &Study) -> String {
    let mut names: Vec<&str> = Vec::new();
    for s in study.rows.iter().flat_map(Row::of_paper) {
        if !names.contains(&s.name.as_str()) {
            names.push(&s.name);
        }
    }
    let keys: Vec<(&str, &str)> = names.iter().map(|n| (structure_class(n), *n)).collect();
    let note = "Parts of the structures in all failures of one bit, for each chip.";
    let about = about("fig2", "Fig. 2: where failures begin.", note, &keys);
    by_chip(study, (about, Axis::Percent, 1), |row, _| {
        let pieces: Vec<(f64, &str, String)> = row
            .of_paper()
            .map(|s| {
                let part = row.part(s);
                let told = format!("{}, {}: {}", row.chip, s.name, Axis::Percent.say(part));
                (part, structure_class(&s.name), told)
            })
            .collect();
        let most = row.of_paper().max_by(|a, b| row.part(a).total_cmp(&row.part(b)));
        let most = most.filter(|s| row.part(s) > 0.0);
        (most.map_or("–".into(), |s| s.name.clone()), stacked(&pieces))
    })
}

/// One of Fig. 3.
fn weighted(study: &Study, chip: &str) -> String {
    let title = format!("Fig. 3: weighted AVF of {chip}.");
    let note = "Over the structures that gpuFI-4 breaks, one bit; beside it the occupancy.";
    let rows = study.apps.iter().map(|app| {
        let row = study.row(app, chip, 1);
        let (value, marks) = row.map_or(("–".into(), Vec::new()), |row| {
            let e = row.weighted.estimate();
            let told = said(Axis::Percent, e);
            let occupancy = Axis::Percent.say(row.occupancy);
            let value = format!("{} · {occupancy}", Axis::Percent.say(row.weighted.0));
            (value, vec![Mark::Point(e, "v0".into(), format!("{app}: {told}"))])
        });
        BarRow { heading: String::new(), label: app.clone(), value, lanes: vec![marks] }
    });
    let about = about(&format!("fig3-{chip}"), &title, note, &[("v0", "weighted AVF")]);
    Bars { about, axis: Axis::Percent, rows: rows.collect() }.render()
}

fn occupancy(study: &Study) -> String {
    let note = "The red dots of Fig. 3: mean share of warp slots in use.";
    let chips = chips(study);
    let about = about("fig3-occupancy", "Fig. 3: occupancy.", note, &legend(&chips));
    by_chip(study, (about, Axis::Percent, 1), |row, i| {
        let value = Axis::Percent.say(row.occupancy);
        let what = format!("{}: {value}", row.chip);
        (value, vec![Mark::Piece(0.0, row.occupancy, format!("v{i}"), what)])
    })
}

/// Fig. 4, for all chips.
fn slowed(study: &Study) -> String {
    let note = "Part of the experiments without a failure that take other cycles, one bit.";
    let chips = chips(study);
    let about = about("fig4", "Fig. 4: other cycles alone.", note, &legend(&chips));
    by_chip(study, (about, Axis::Percent, 1), |row, i| {
        let e = slowed_share(row, study.confidence).estimate();
        let what = format!("{}: {}, n = {}", row.chip, said(Axis::Percent, e), row.slowed().1);
        let value = e.value.map_or("–".into(), |v| Axis::Percent.say(v));
        (value, vec![Mark::Point(e, format!("v{i}"), what)])
    })
}

/// One of Fig. 6, for all chips.
fn triple(study: &Study, chip: &str) -> String {
    let title = format!("Fig. 6: one bit and three on {chip}.");
    let note = "Weighted AVF over the structures that gpuFI-4 breaks.";
    let rows = study.apps.iter().map(|app| {
        let (mut values, mut lanes) = (Vec::new(), Vec::new());
        for (i, bits) in [1, 3].into_iter().enumerate() {
            let Some(row) = study.row(app, chip, bits) else { continue };
            let e = row.weighted.estimate();
            values.push(Axis::Percent.say(row.weighted.0));
            let what = format!("{app}, {bits}: {}", said(Axis::Percent, e));
            lanes.push(vec![Mark::Point(e, format!("v{i}"), what)]);
        }
        let value = if values.is_empty() { "–".into() } else { values.join(" · ") };
        BarRow { heading: String::new(), label: app.clone(), value, lanes }
    });
    let keys = [("v0", "one bit"), ("v1", "three bits")];
    let about = about(&format!("fig6-{chip}"), &title, note, &keys);
    Bars { about, axis: Axis::Percent, rows: rows.collect() }.render()
}

/// Fig. 7.
fn fit(study: &Study) -> String {
    let note = "Failures in 10⁹ hours over the structures that gpuFI-4 breaks, one bit, each chip \
                with its raw FIT.";
    let chips = chips(study);
    let about = about("fig7", "Fig. 7: FIT of the chips.", note, &legend(&chips));
    by_chip(study, (about, Axis::Plain, 1), |row, i| {
        let e = study.fit(row).estimate();
        let what = format!("{}: {}", row.chip, said(Axis::Plain, e));
        (Axis::Plain.say(study.fit(row).0), vec![Mark::Point(e, format!("v{i}"), what)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ispass22::tables::tests::study;

    #[test]
    fn every_figure_of_the_paper_is_there() {
        let page = page(&study());
        for id in ["fig1", "fig2", "fig3-rtx2060", "fig3-titan", "fig3-occupancy", "fig4", "fig5"]
            .into_iter()
            .chain(["fig6-rtx2060", "fig6-titan", "fig7", "cells", "tables"])
        {
            assert!(page.contains(&format!("id=\"{id}\"")), "no {id}");
        }
        // A failing bit of register file, chip and class in words, as a pointer shows it.
        assert!(page.contains("titan, SDC: 4.00\u{a0}% (from 3.60\u{a0}% to 4.40\u{a0}%)"));
        assert!(page.contains("raw FIT 1.2e-5 per bit"), "{page}");
    }
}
