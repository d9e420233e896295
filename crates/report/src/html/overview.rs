//! The first section: everything at a glance.

use std::collections::BTreeMap;
use std::fmt::Write;

use upset_metrics::{Class, Counts, Estimate};

use super::chart::{About, Axis, BarRow, Bars, Mark};
use super::escape::{esc, prose};
use super::estimate::{say, short};
use super::subject::Group;
use super::table::{self, Table};
use super::variant::{variant_class, variant_legend, variants};
use crate::number::{grouped, percent, significant};
use crate::panel::{Panel, Variant};
use crate::report::Report;
use crate::total::Total;

impl Report {
    pub(super) fn overview(&self, out: &mut String, groups: &[Group<'_>]) {
        out.push_str("<section id=\"overview\">\n<h2>Overview</h2>\n");
        self.matrix(out, groups);
        self.tiles(out);
        for note in &self.notes {
            let _ = writeln!(out, "<p class=\"note\">{}</p>", prose(note));
        }
        if self.raw_fit.is_none() {
            let _ = writeln!(out, "<p class=\"note\">{}</p>", esc(Report::fit_hint()));
        }
        let variants = variants(&self.panels);
        out.push_str("<div class=\"figures\">\n");
        // Sums over other structures are other figures: a chart for each set.
        let sets = sets(&self.panels);
        for (number, set) in sets.iter().enumerate() {
            let id = |name: &str| match number {
                0 => name.to_string(),
                n => format!("{name}-of-{}", n + 1),
            };
            let only = |p: &Panel| p.total.as_ref().is_some_and(|t| t.over() == *set);
            out.push_str(&self.compare(
                About {
                    id: id("weighted-avf"),
                    of: String::new(),
                    title: &format!("Weighted AVF over {set}."),
                    note: "Probability that an upset of a random bit of these structures at a \
                           random cycle makes the run fail.",
                    legend: variant_legend(&variants),
                },
                Axis::Percent,
                &variants,
                |p| p.total.as_ref().filter(|_| only(p))?.avf,
            ));
            if self.raw_fit.is_some() {
                out.push_str(&self.compare(
                    About {
                        id: id("chip-fit"),
                        of: String::new(),
                        title: &format!("FIT of {set}."),
                        note: "Failures in 10⁹ hours over these structures of the chip.",
                        legend: variant_legend(&variants),
                    },
                    Axis::Plain,
                    &variants,
                    |p| p.total.as_ref().filter(|_| only(p))?.fit,
                ));
            }
        }
        out.push_str(&chips_side_by_side(groups));
        out.push_str("</div>\n");
        self.totals_table(out);
        out.push_str("</section>\n");
    }

    fn tiles(&self, out: &mut String) {
        let mut counts = Counts::default();
        let mut how: BTreeMap<&str, u64> = BTreeMap::new();
        for row in self.panels.iter().flat_map(|p| &p.rows) {
            counts += row.counts;
            for (name, n) in &row.how {
                *how.entry(name).or_default() += n;
            }
        }
        // What is there of an unfinished campaign is no sample of it.
        let complete = self.panels.iter().all(|p| p.complete);
        let share = |n: u64| match counts.runs() {
            _ if !complete => String::new(),
            0 => percent(0.0),
            runs => percent(n as f64 / runs as f64),
        };
        let planned: u64 = self.panels.iter().map(Panel::planned).sum();
        let of = if complete { String::new() } else { format!("of {}", grouped(planned)) };
        let mut tiles = vec![("experiments", grouped(counts.runs()), of)];
        for (class, name) in [
            (Class::Masked, "masked"),
            (Class::Performance, "other cycles only"),
            (Class::Sdc, "silent corruptions"),
            (Class::Crash, "crashes"),
            (Class::Timeout, "timeouts"),
            (Class::ToolError, "tool errors"),
        ] {
            let n = counts.of(class);
            tiles.push((name, grouped(n), share(n)));
        }
        out.push_str("<dl class=\"tiles\">\n");
        for (name, n, share) in tiles {
            let _ = writeln!(out, "<div><dt>{name}</dt><dd>{n} <small>{share}</small></dd></div>");
        }
        out.push_str("</dl>\n");
        if !how.is_empty() {
            let list: Vec<String> =
                how.iter().map(|(h, n)| format!("{} {h}", grouped(*n))).collect();
            let _ = writeln!(
                out,
                "<p class=\"fine\">How they were found: {}.{}</p>",
                esc(&list.join(", ")),
                if complete { " Shares are of the sample, before any weight." } else { "" }
            );
        }
    }

    fn compare(
        &self,
        about: About<'_>,
        axis: Axis,
        variants: &[Variant],
        of: impl Fn(&Panel) -> Option<Estimate>,
    ) -> String {
        let mut rows: Vec<BarRow> = Vec::new();
        for p in &self.panels {
            let Some(e) = of(p) else { continue };
            let class = variant_class(variants, &p.variant);
            let what = format!("{}, {}: {}", p.subject(), p.variant.label(), say(axis, e));
            let mark = Mark::Point(e, class, what);
            let heading = p.application();
            match rows.iter_mut().find(|r| r.heading == heading && r.label == p.chip) {
                Some(row) => {
                    row.value += &format!(" · {}", short(axis, e));
                    row.lanes.push(vec![mark]);
                }
                None => rows.push(BarRow {
                    heading,
                    label: p.chip.clone(),
                    value: short(axis, e),
                    lanes: vec![vec![mark]],
                }),
            }
        }
        if rows.is_empty() {
            return String::new();
        }
        Bars { about, axis, rows }.render()
    }

    fn totals_table(&self, out: &mut String) {
        let mut head = vec![
            "Application",
            "Chip",
            "Fault",
            "Over",
            "Runs",
            "Weighted AVF",
            "Bits in use",
            "AVF in use",
        ];
        if self.raw_fit.is_some() {
            head.extend(["FIT", "MTBF (h)"]);
        }
        head.push("EIT");
        if self.raw_fit.is_some() {
            head.push("EPF");
        }
        let mut t = Table::new("Applications and chips", 4, &head);
        for p in &self.panels {
            let Some(total) = &p.total else { continue };
            let mut cells = vec![
                esc(&p.application()),
                esc(&p.chip),
                esc(&p.variant.label()),
                esc(&total.over()),
                table::runs(p.rows.iter().map(|r| r.runs).sum(), p.planned(), p.complete),
                table::share(total.avf),
                table::maybe(total.in_use, percent),
                table::share(total.avf_util),
            ];
            if self.raw_fit.is_some() {
                cells.push(table::value(total.fit));
                cells.push(table::maybe(total.mtbf_hours, significant));
            }
            cells.push(table::maybe(total.eit, significant));
            if self.raw_fit.is_some() {
                cells.push(table::maybe(total.epf, significant));
            }
            t.push(cells);
        }
        out.push_str(&t.render());
    }
}

/// One application on several chips, structure by structure.
fn chips_side_by_side(groups: &[Group<'_>]) -> String {
    let mut apps: Vec<(String, Vec<&Group<'_>>)> = Vec::new();
    for g in groups {
        let name = g.panels[0].application();
        match apps.iter_mut().find(|(a, _)| *a == name) {
            Some((_, list)) => list.push(g),
            None => apps.push((name, vec![g])),
        }
    }
    let mut out = String::new();
    for (number, (name, list)) in apps.iter().enumerate().filter(|(_, (_, list))| list.len() > 1) {
        let mut rows: Vec<BarRow> = Vec::new();
        // The first kind of fault that all have in common speaks for the chips.
        let variant = &list[0].panels[0].variant;
        for (chip, g) in list.iter().enumerate() {
            let Some(panel) = g.panels.iter().find(|p| p.variant == *variant) else { continue };
            for s in panel.total.iter().flat_map(|t| &t.structures) {
                let Some(e) = s.avf else { continue };
                let what = format!("{}, {}: {}", panel.chip, s.structure, say(Axis::Percent, e));
                let mark = Mark::Point(e, format!("v{}", chip % 6), what);
                match rows.iter_mut().find(|r| r.label == s.structure) {
                    Some(row) => {
                        row.value += &format!(" · {}", short(Axis::Percent, e));
                        row.lanes.push(vec![mark]);
                    }
                    None => rows.push(BarRow {
                        heading: String::new(),
                        label: s.structure.clone(),
                        value: short(Axis::Percent, e),
                        lanes: vec![vec![mark]],
                    }),
                }
            }
        }
        let legend =
            list.iter().enumerate().map(|(i, g)| (format!("v{}", i % 6), g.panels[0].chip.clone()));
        let title = format!("{name}: chips side by side.");
        let note = format!("AVF of each structure, {}.", variant.label());
        let about = About {
            id: format!("chips-{number}"),
            of: String::new(),
            title: &title,
            note: &note,
            legend: legend.collect(),
        };
        out.push_str(&Bars { about, axis: Axis::Percent, rows }.render());
    }
    out
}

/// Sets of structures that sums are over, in order of first appearance.
fn sets(panels: &[Panel]) -> Vec<String> {
    let mut sets: Vec<String> = Vec::new();
    for set in panels.iter().filter_map(|p| p.total.as_ref()).map(Total::over) {
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}
