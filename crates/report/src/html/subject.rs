//! One application on one chip.

use std::fmt::Write;

use upset_metrics::Class;

use super::chart::{About, Axis, BarRow, Bars, Mark};
use super::escape::esc;
use super::estimate::{say, short};
use super::palette::structure_class;
use super::rows;
use super::variant::{variant_class, variant_legend, variants};
use crate::number::{grouped, percent, significant};
use crate::panel::Panel;
use crate::report::Report;
use crate::row::Row;
use crate::total::StructureTotal;

/// The panels of one application on one chip.
pub struct Group<'a> {
    /// Unique in the page.
    pub id: String,
    /// `hs (paper) on rtx2060`.
    pub title: String,
    /// One for each kind of fault.
    pub panels: Vec<&'a Panel>,
}

/// Subjects and kinds of fault whose experiments are drawn by bit, time and place.
const DRAWN: usize = 24;

/// Classes in the order of a bar.
const PIECES: [(Class, &str); 4] = [
    (Class::Sdc, "SDC"),
    (Class::Crash, "crash"),
    (Class::Timeout, "timeout"),
    (Class::Performance, "other cycles only"),
];

impl<'a> Group<'a> {
    /// Panels by application and chip.
    pub fn all(panels: &'a [Panel]) -> Vec<Group<'a>> {
        let mut groups: Vec<Group<'a>> = Vec::new();
        for p in panels {
            let title = p.subject();
            match groups.iter_mut().find(|g| g.title == title) {
                Some(g) => g.panels.push(p),
                None => {
                    let id = format!("subject-{}", groups.len());
                    groups.push(Group { id, title, panels: vec![p] });
                }
            }
        }
        groups
    }

    /// The section, folded unless it is to be open.
    pub fn section(&self, out: &mut String, report: &Report, open: bool) {
        let fit = report.raw_fit.is_some();
        // What is inside opens where a link leads to it.
        let _ = writeln!(
            out,
            "<details class=\"subject\"{}>\n<summary><h2>{}</h2></summary>\n<div id=\"{}\">",
            if open { " open" } else { "" },
            esc(&self.title),
            self.id,
        );
        self.facts(out);
        let mut left_out = false;
        out.push_str("<div class=\"figures\">\n");
        for (i, p) in self.panels.iter().enumerate() {
            out.push_str(&classes(p, &format!("{}-classes-{i}", self.id)));
            out.push_str(&avfs(p, &format!("{}-avf-{i}", self.id)));
            out.push_str(&apart(p, &format!("{}-apart-{i}", self.id)));
        }
        out.push_str(&self.variants_side_by_side());
        out.push_str(&self.shares());
        if fit {
            out.push_str(&self.fits());
        }
        for (i, p) in self.panels.iter().enumerate() {
            // A page of many subjects has to end somewhere.
            let before = report.panels.iter().take_while(|q| !std::ptr::eq(*q, *p));
            if before.count() < DRAWN {
                out.push_str(&super::places::figures(p, &format!("{}-{i}", self.id)));
            } else {
                left_out = true;
            }
            out.push_str(&super::shape::figures(p, &format!("{}-{i}", self.id)));
        }
        if let Some(p) = self.panels.first() {
            out.push_str(&super::analysis::figure(p, &report.ace, &format!("{}-ace", self.id)));
        }
        out.push_str("</div>\n");
        if left_out {
            let _ = writeln!(
                out,
                "<p class=\"fine\">Bits, time and places are drawn for the first {DRAWN} subjects and kinds of fault of \
                 a page; the JSON has their numbers, and a report of this one alone draws them.</p>"
            );
        }
        for p in &self.panels {
            out.push_str(&rows::structures(p, fit));
            out.push_str(&super::places::tables(p, &report.ace));
            out.push_str(&super::worst::list(p));
        }
        if let Some(p) = self.panels.first() {
            out.push_str(&super::analysis::hot_spots(p, &report.ace));
        }
        if let Some(p) = self.panels.first() {
            out.push_str(&rows::kernels(&self.panels, p));
        }
        out.push_str("</div>\n</details>\n");
    }

    fn facts(&self, out: &mut String) {
        let Some(t) = self.panels.iter().find_map(|p| p.total.as_ref()) else { return };
        let mut facts = vec![
            format!("{} cycles without a fault", grouped(t.cycles)),
            format!("{} MHz", significant(t.core_mhz)),
        ];
        if let Some(o) = t.occupancy {
            let warp = self.panels.first().map(|p| p.words.warp).unwrap_or_default();
            facts.push(format!("{} of the {warp} slots in use", percent(o)));
        }
        let _ = writeln!(out, "<p class=\"fine\">{}</p>", esc(&facts.join(" · ")));
    }

    /// One value per structure and kind of fault.
    fn per_structure(
        &self,
        of: impl Fn(&StructureTotal) -> Option<upset_metrics::Estimate>,
        axis: Axis,
    ) -> Vec<BarRow> {
        let variants = variants(self.panels.iter().copied());
        let mut rows: Vec<BarRow> = Vec::new();
        for p in &self.panels {
            for s in p.total.iter().flat_map(|t| &t.structures) {
                let Some(e) = of(s) else { continue };
                let what = format!("{}, {}: {}", s.structure, p.variant.label(), say(axis, e));
                // One kind of fault needs no colour of its own.
                let class = match variants.len() {
                    1 => structure_class(&s.structure).to_string(),
                    _ => variant_class(&variants, &p.variant),
                };
                let mark = Mark::Point(e, class, what);
                match rows.iter_mut().find(|r| r.label == s.structure) {
                    Some(row) => {
                        row.value += &format!(" · {}", short(axis, e));
                        row.lanes.push(vec![mark]);
                    }
                    None => rows.push(BarRow {
                        heading: String::new(),
                        label: s.structure.clone(),
                        value: short(axis, e),
                        lanes: vec![vec![mark]],
                    }),
                }
            }
        }
        rows
    }

    fn variants_side_by_side(&self) -> String {
        if self.panels.len() < 2 {
            return String::new();
        }
        let about = About {
            id: format!("{}-bits", self.id),
            of: self.title.clone(),
            title: "Kinds of fault side by side.",
            note: "AVF of each structure over all kernels, weighted with their cycles.",
            legend: variant_legend(&variants(self.panels.iter().copied())),
        };
        Bars { about, axis: Axis::Percent, rows: self.per_structure(|s| s.avf, Axis::Percent) }
            .render()
    }

    fn fits(&self) -> String {
        let rows = self.per_structure(|s| s.fit, Axis::Plain);
        if rows.is_empty() {
            return String::new();
        }
        let about = About {
            id: format!("{}-fit", self.id),
            of: self.title.clone(),
            title: "FIT of each structure.",
            note: "Failures in 10⁹ hours: AVF × raw FIT per bit × bits.",
            legend: variant_legend(&variants(self.panels.iter().copied())),
        };
        Bars { about, axis: Axis::Plain, rows }.render()
    }

    /// Where the failures start.
    fn shares(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        let mut rows = Vec::new();
        for p in &self.panels {
            let mut at = 0.0;
            let mut pieces = Vec::new();
            for s in p.total.iter().flat_map(|t| &t.structures) {
                if !names.contains(&s.structure) {
                    names.push(s.structure.clone());
                }
                let Some(share) = s.share else { continue };
                let what = format!("{}: {}", s.structure, percent(share));
                let class = structure_class(&s.structure).to_string();
                pieces.push(Mark::Piece(at, at + share, class, what));
                at += share;
            }
            let most =
                p.total.iter().flat_map(|t| &t.structures).filter_map(|s| Some((s.share?, s)));
            let most = most.max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((share, s)) = most {
                rows.push(BarRow {
                    heading: String::new(),
                    label: p.variant.label(),
                    value: format!("most: {} {}", s.structure, percent(share)),
                    lanes: vec![pieces],
                });
            }
        }
        if rows.is_empty() {
            return String::new();
        }
        let legend = names.iter().map(|n| (structure_class(n).to_string(), n.clone())).collect();
        let about = About {
            id: format!("{}-shares", self.id),
            of: self.title.clone(),
            title: "Where failures start.",
            note: "Share of each structure in the AVF and so in the FIT: AVF × bits.",
            legend,
        };
        Bars { about, axis: Axis::Percent, rows }.render()
    }
}

fn line_label(r: &Row) -> String {
    let mut label = r.structure.clone();
    if !r.window.is_empty() {
        label += &format!(", {}", r.window);
    }
    if !r.complete {
        label.push('*');
    }
    label
}

/// What became of the runs: all that were not masked.
fn classes(p: &Panel, id: &str) -> String {
    let mut rows = Vec::new();
    for r in p.rows.iter().filter(|r| r.planned > 0) {
        if !r.complete {
            // What is there is no sample of the whole: numbers, and no bar.
            let told = PIECES.map(|(c, name)| format!("{} {name}", grouped(r.counts.of(c))));
            rows.push(BarRow {
                heading: r.kernel_name.clone(),
                label: line_label(r),
                value: format!("{} of {} known", grouped(r.runs), grouped(r.planned)),
                lanes: vec![vec![Mark::Piece(0.0, 0.0, String::new(), told.join(", "))]],
            });
            continue;
        }
        let mut at = 0.0;
        let mut pieces = Vec::new();
        for (class, name) in PIECES {
            let range = r.classes.get(class.name());
            let share = range.and_then(|c| c.value).unwrap_or(0.0);
            let range = range.map_or(String::new(), |c| {
                format!(" (from {} to {})", percent(c.low), percent(c.high))
            });
            let what = format!(
                "{}, {name}: {} of {}, {}{range}",
                r.structure,
                r.counts.of(class),
                r.n,
                percent(share)
            );
            pieces.push(Mark::Piece(at, at + share, format!("c-{}", class.name()), what));
            at += share;
        }
        rows.push(BarRow {
            heading: r.kernel_name.clone(),
            label: line_label(r),
            value: format!("{} masked, n = {}", percent(1.0 - at), grouped(r.n)),
            lanes: vec![pieces],
        });
    }
    if rows.is_empty() {
        return String::new();
    }
    let title = format!("What became of the runs: {}.", p.variant.label());
    let legend = PIECES.map(|(c, name)| (format!("c-{}", c.name()), name.to_string())).to_vec();
    let note = "Runs that were not masked; the rest up to 100 % was.";
    Bars {
        about: About { id: id.to_string(), of: p.subject(), title: &title, note, legend },
        axis: Axis::Percent,
        rows,
    }
    .render()
}

fn avfs(p: &Panel, id: &str) -> String {
    let mut rows = Vec::new();
    for r in &p.rows {
        let Some(e) = r.avf_estimate() else { continue };
        let what =
            format!("{}, {}: {}, n = {}", r.kernel_name, r.structure, say(Axis::Percent, e), r.n);
        rows.push(BarRow {
            heading: r.kernel_name.clone(),
            label: line_label(r),
            value: crate::number::percent_with(e),
            lanes: vec![vec![Mark::Point(e, structure_class(&r.structure).into(), what)]],
        });
    }
    if rows.is_empty() {
        return String::new();
    }
    let title = format!("AVF of each structure under each kernel: {}.", p.variant.label());
    let note = "Rate of failures × derating, with its interval.";
    let about =
        About { id: id.to_string(), of: p.subject(), title: &title, note, legend: Vec::new() };
    Bars { about, axis: Axis::Percent, rows }.render()
}

/// Silent corruptions and what shows itself, structure by structure.
fn apart(p: &Panel, id: &str) -> String {
    let mut rows = Vec::new();
    for s in p.total.iter().flat_map(|t| &t.structures) {
        let (Some(sdc), Some(due)) = (s.sdc, s.due) else { continue };
        let lane = |e, class: &str, name: &str| {
            let what = format!("{}, {name}: {}", s.structure, say(Axis::Percent, e));
            vec![Mark::Point(e, class.to_string(), what)]
        };
        rows.push(BarRow {
            heading: String::new(),
            label: s.structure.clone(),
            value: format!(
                "{} · {}, n = {}",
                short(Axis::Percent, sdc),
                short(Axis::Percent, due),
                grouped(s.n)
            ),
            lanes: vec![lane(sdc, "c-sdc", "SDC"), lane(due, "c-crash", "crash or timeout")],
        });
    }
    let title = format!("Silent corruption and crash apart: {}.", p.variant.label());
    let legend = [("c-sdc", "SDC"), ("c-crash", "crash or timeout (DUE)")];
    let about = About {
        id: id.to_string(),
        of: p.subject(),
        title: &title,
        note: "The two parts of each structure's AVF over all kernels, with intervals.",
        legend: legend.map(|(class, text)| (class.to_string(), text.to_string())).to_vec(),
    };
    Bars { about, axis: Axis::Percent, rows }.render()
}
