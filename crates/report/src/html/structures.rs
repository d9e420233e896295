//! Structures over applications: injection beside the ACE analysis, what was in
//! use beside the AVF of that, chips side by side.

use std::fmt::Write;

use upset_metrics::Estimate;

use super::chart::{About, Axis, BarRow, Bars, Mark};
use super::escape::esc;
use super::estimate::{say, short};
use super::table::{self, Table};
use crate::number::{percent, significant};
use crate::panel::{Panel, Variant};
use crate::report::Report;
use crate::total::{StructureTotal, Total};

impl Report {
    /// Whether there are several applications to set side by side.
    pub(super) fn compares_applications(&self) -> bool {
        let Some(variant) = self.first_variant() else { return false };
        distinct(self.of_variant(variant).map(Panel::application)).len() > 1
    }

    /// The section, where there are several applications. The first kind of fault
    /// speaks for all.
    pub(super) fn structures(&self, out: &mut String) {
        let Some(variant) = self.first_variant().filter(|_| self.compares_applications()) else {
            return;
        };
        let panels: Vec<&Panel> = self.of_variant(variant).collect();
        let _ = writeln!(
            out,
            "<section id=\"structures\">\n<h2>Structures</h2>\n\
             <p>Each structure under all applications, {}.</p>\n<details><summary>Charts and numbers</summary>",
            esc(&variant.label())
        );
        let all = panels.iter().flat_map(|p| &p.total).flat_map(|t| &t.structures);
        let names = distinct(all.map(|s| s.structure.clone()));
        let chips = distinct(panels.iter().map(|p| p.chip.clone()));
        out.push_str("<div class=\"figures\">\n");
        for (n, name) in names.iter().enumerate() {
            for (c, chip) in chips.iter().enumerate() {
                let own: Vec<(String, &StructureTotal)> = panels
                    .iter()
                    .filter(|p| p.chip == *chip)
                    .filter_map(|p| Some((p.application(), structure(p, name)?)))
                    .collect();
                out.push_str(&with_ace(&own, (name, chip), &format!("ace-{n}-{c}")));
                out.push_str(&in_use(&own, (name, chip), &format!("in-use-{n}-{c}")));
            }
            out.push_str(&by_chip(&panels, &chips, name, &format!("structure-{n}")));
        }
        out.push_str(&speeds(&panels, &chips));
        out.push_str("</div>\n");
        out.push_str(&everything(&panels, &names, self.raw_fit.is_some()));
        out.push_str("</details>\n</section>\n");
    }

    fn first_variant(&self) -> Option<&Variant> {
        self.panels.iter().map(|p| &p.variant).min()
    }

    fn of_variant<'a>(&'a self, variant: &'a Variant) -> impl Iterator<Item = &'a Panel> {
        self.panels.iter().filter(move |p| p.variant == *variant && p.total.is_some())
    }
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for name in all {
        if !list.contains(&name) {
            list.push(name);
        }
    }
    list
}

fn structure<'a>(p: &'a Panel, name: &str) -> Option<&'a StructureTotal> {
    p.total.as_ref()?.structures.iter().find(|s| s.structure == name)
}

/// A number that is known without an interval.
fn exact(value: f64) -> Estimate {
    Estimate { value: Some(value), low: value, high: value }
}

fn chip_class(chip: usize) -> String {
    format!("v{}", chip % 6)
}

/// Injection and both bounds of the analysis; nothing where there are none.
fn with_ace(own: &[(String, &StructureTotal)], about: (&str, &str), id: &str) -> String {
    let (name, chip) = about;
    let mut rows = Vec::new();
    for (app, s) in own {
        let (Some(avf), Some(ace)) = (s.avf, s.ace) else { continue };
        let axis = Axis::Percent;
        let mut lane = Vec::new();
        let mut mark = |e: Estimate, class: &str, what: &str| {
            lane.push(vec![Mark::Point(
                e,
                class.into(),
                format!("{app}, {what}: {}", say(axis, e)),
            )]);
        };
        mark(avf, "v0", "injection");
        mark(exact(ace), "v1", "ACE");
        if let Some(refined) = s.ace_refined {
            mark(exact(refined), "v2", "ACE, refined");
        }
        rows.push(BarRow {
            heading: String::new(),
            label: app.clone(),
            value: format!("{} · {}", short(axis, avf), percent(ace)),
            lanes: lane,
        });
    }
    if rows.is_empty() {
        return String::new();
    }
    let title = format!("{name} on {chip}: injection and ACE analysis.");
    let legend = [("v0", "injection"), ("v1", "ACE"), ("v2", "ACE, refined")];
    let about = About {
        id: id.to_string(),
        of: String::new(),
        title: &title,
        note: "AVF by injection with its interval, and upper bounds of the analysis.",
        legend: legend.map(|(class, text)| (class.to_string(), text.to_string())).to_vec(),
    };
    Bars { about, axis: Axis::Percent, rows }.render()
}

/// How much was in use, and how vulnerable that was.
fn in_use(own: &[(String, &StructureTotal)], about: (&str, &str), id: &str) -> String {
    let (name, chip) = about;
    let mut rows = Vec::new();
    for (app, s) in own {
        let (Some(avf), Some(used)) = (s.avf, s.occupancy) else { continue };
        let axis = Axis::Percent;
        let mut lanes = vec![
            vec![Mark::Piece(
                0.0,
                used,
                "used".into(),
                format!("{app}, in use: {}", percent(used)),
            )],
            vec![Mark::Point(avf, "v0".into(), format!("{app}, AVF: {}", say(axis, avf)))],
        ];
        let util = s.avf_util.map(|e| {
            let what = format!("{app}, AVF in use: {}", say(axis, e));
            lanes[1].push(Mark::Point(e, "v1".into(), what));
            short(axis, e)
        });
        rows.push(BarRow {
            heading: String::new(),
            label: app.clone(),
            value: format!(
                "{} × {} = {}",
                percent(used),
                util.unwrap_or("–".into()),
                short(axis, avf)
            ),
            lanes,
        });
    }
    if rows.is_empty() {
        return String::new();
    }
    let title = format!("{name} on {chip}: in use, and AVF of that.");
    let legend = [("used", "bits in use"), ("v0", "AVF"), ("v1", "AVF of what is in use")];
    let about = About {
        id: id.to_string(),
        of: String::new(),
        title: &title,
        note: "Share of bits × cycles in use, times the AVF of what is in use, is the AVF.",
        legend: legend.map(|(class, text)| (class.to_string(), text.to_string())).to_vec(),
    };
    Bars { about, axis: Axis::Percent, rows }.render()
}

/// One structure on all chips, application by application.
fn by_chip(panels: &[&Panel], chips: &[String], name: &str, id: &str) -> String {
    let title = format!("{name}: chips side by side.");
    let note = "AVF under each application.";
    let value = |p: &Panel| structure(p, name)?.avf;
    side_by_side(panels, chips, value, (id, &title, note), Axis::Percent)
}

/// Executions in time and per failure.
fn speeds(panels: &[&Panel], chips: &[String]) -> String {
    let total = |p: &Panel, of: fn(&Total) -> Option<f64>| of(p.total.as_ref()?).map(exact);
    let eit = ("eit", "EIT: executions in 10⁹ hours.", "How fast the chip is; powers of ten.");
    let epf = ("epf", "EPF: executions per failure.", "EIT over FIT; powers of ten.");
    let fast = side_by_side(panels, chips, |p| total(p, |t| t.eit), eit, Axis::Log);
    fast + &side_by_side(panels, chips, |p| total(p, |t| t.epf), epf, Axis::Log)
}

/// A value of each application, the chips below each other; nothing for one chip
/// alone, unless it is on no other chart.
fn side_by_side(
    panels: &[&Panel],
    chips: &[String],
    of: impl Fn(&Panel) -> Option<Estimate>,
    (id, title, note): (&str, &str, &str),
    axis: Axis,
) -> String {
    let mut rows: Vec<BarRow> = Vec::new();
    for p in panels {
        let Some(e) = of(p) else { continue };
        let chip = chips.iter().position(|c| *c == p.chip).unwrap_or(0);
        let mark = Mark::Point(e, chip_class(chip), format!("{}: {}", p.subject(), say(axis, e)));
        let label = p.application();
        match rows.iter_mut().find(|r| r.label == label) {
            Some(row) => {
                row.value += &format!(" · {}", short(axis, e));
                row.lanes.push(vec![mark]);
            }
            None => rows.push(BarRow {
                heading: String::new(),
                label,
                value: short(axis, e),
                lanes: vec![vec![mark]],
            }),
        }
    }
    if rows.is_empty() || (axis == Axis::Percent && chips.len() < 2) {
        return String::new();
    }
    let legend = chips.iter().enumerate().map(|(i, c)| (chip_class(i), c.clone())).collect();
    Bars { about: About { id: id.to_string(), of: String::new(), title, note, legend }, axis, rows }
        .render()
}

/// All of it in numbers.
fn everything(panels: &[&Panel], names: &[String], fit: bool) -> String {
    let of = |f: fn(&StructureTotal) -> Option<f64>| {
        panels.iter().flat_map(|p| &p.total).flat_map(|t| &t.structures).any(|s| f(s).is_some())
    };
    let ace = of(|s| s.ace);
    let mut head = vec!["Structure", "Application", "Chip", "AVF"];
    if ace {
        head.extend(["ACE", "refined", "ACE / AVF"]);
    }
    head.extend(["In use", "AVF in use"]);
    if fit {
        head.push("FIT");
    }
    let mut t = Table::new("Structures under applications", 3, &head);
    for name in names {
        for p in panels {
            let Some(s) = structure(p, name) else { continue };
            let mut cells =
                vec![esc(name), esc(&p.application()), esc(&p.chip), table::share(s.avf)];
            if ace {
                let avf = s.avf.and_then(|e| e.value).filter(|v| *v > 0.0);
                let ratio = s.ace.zip(avf).map(|(ace, avf)| ace / avf);
                cells.extend([s.ace, s.ace_refined].map(|x| table::maybe(x, percent)));
                cells.push(table::maybe(ratio, significant));
            }
            cells.push(table::maybe(s.occupancy, percent));
            cells.push(table::share(s.avf_util));
            if fit {
                cells.push(table::value(s.fit));
            }
            t.push(cells);
        }
    }
    t.render()
}
