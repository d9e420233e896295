//! `upset doors`: by which ways wrong bits left their arrays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use upset_campaign::doors::{self, Rule, Ways};
use upset_campaign::{CampaignError, Observer};
use upset_metrics::Counts;
use upset_report::{Options, Report};
use upset_store::{Results, Store, Stratum, Subject};
use upset_trial::Door;

use super::campaign::interruptible;
use crate::campaign_progress::CampaignBar;
use crate::destination::Destination;
use crate::failure::{Failure, print};
use crate::report::short_name;
use crate::table::{render, row};

/// `upset doors`.
#[derive(Debug, Args)]
pub struct DoorsArgs {
    /// A store of a campaign
    store: PathBuf,
    /// Write everything as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print nothing but failures
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: DoorsArgs) -> Result<(), Failure> {
    let results = Store::read(&args.store).map_err(CampaignError::from)?;
    let read = [&args.store];
    let json =
        args.json.as_deref().map(|path| Destination::open_beside(path, &read)).transpose()?;
    let quiet = args.quiet || json.as_ref().is_some_and(Destination::is_stdout);
    let mut bar = match quiet {
        true => CampaignBar::hidden(),
        false => CampaignBar::new(std::io::IsTerminal::is_terminal(&std::io::stderr())),
    };
    let observer: &mut dyn Observer = &mut bar;
    let ways = doors::ways(&results, interruptible()?, observer)?;
    drop(bar);
    let told = Told::new(&results, &ways);
    if !quiet {
        print(&told.text())?;
    }
    match json {
        Some(to) => to.fill(|out| writeln!(out, "{:#}", told.json())),
        None => Ok(()),
    }
}

/// A column of the table: how an experiment's bits came out first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum First {
    By(Door),
    /// By none.
    Stayed,
    NotTold,
}

impl First {
    fn of(ways: &Ways) -> First {
        match (ways, doors::first(ways)) {
            (None, _) => First::NotTold,
            (Some(_), None) => First::Stayed,
            (Some(_), Some(door)) => First::By(door),
        }
    }

    fn name(self) -> &'static str {
        match self {
            First::By(door) => door.name(),
            First::Stayed => "none",
            First::NotTold => "not told",
        }
    }
}

/// What is to be told of a store.
struct Told<'a> {
    results: &'a Results,
    ways: &'a [Ways],
    strata: BTreeMap<u32, &'a Stratum>,
    subjects: BTreeMap<u32, &'a Subject>,
    /// Reports: as stored, failures of loaded bits, of bits that were only loaded.
    reports: [(&'static str, &'static str, Value); 3],
}

impl<'a> Told<'a> {
    fn new(results: &'a Results, ways: &'a [Ways]) -> Told<'a> {
        let report = |r: &Results| Report::new(std::slice::from_ref(r), &Options::default()).json();
        let under = |rule: Rule| report(&rule.apply(results, ways));
        Told {
            results,
            ways,
            strata: results.strata.iter().map(|s| (s.id, s)).collect(),
            subjects: results.subjects.iter().map(|s| (s.id, s)).collect(),
            reports: [
                ("measured", "as measured", report(results)),
                ("loaded", "caches: bits that a load took out", under(Rule::Loaded)),
                ("only_loaded", "caches: bits that only loads took out", under(Rule::OnlyLoaded)),
            ],
        }
    }

    /// Classes by stratum and first door.
    fn counts(&self) -> BTreeMap<(u32, First), Counts> {
        let mut all: BTreeMap<(u32, First), Counts> = BTreeMap::new();
        for (row, ways) in self.results.experiments.iter().zip(self.ways) {
            all.entry((row.stratum, First::of(ways))).or_default().add(row.class);
        }
        all
    }

    fn text(&self) -> String {
        let counts = self.counts();
        let mut out = String::new();
        for subject in &self.results.subjects {
            let own = |stratum: u32| self.strata[&stratum].subject == subject.id;
            let mut firsts: Vec<First> =
                counts.keys().filter(|(s, _)| own(*s)).map(|(_, first)| *first).collect();
            firsts.sort();
            firsts.dedup();
            let mut head = row!["STRUCTURE", "KERNEL"];
            head.extend(firsts.iter().map(|f| f.name().to_uppercase()));
            let mut rows = vec![head];
            for stratum in self.results.strata.iter().filter(|s| s.subject == subject.id) {
                let kernel = stratum.kernel.as_deref().map_or("all".into(), short_name);
                let mut line = row![stratum.structure, kernel];
                line.extend(
                    firsts
                        .iter()
                        .map(|first| counts.get(&(stratum.id, *first)).map_or("-".into(), cell)),
                );
                rows.push(line);
            }
            let scale = [" ", &subject.scale].concat();
            let on = format!("{}{} on {}", subject.app, scale.trim_end(), subject.chip);
            out += &format!("{on}: experiments by the first door of their bits (failures)\n");
            out += &render(&rows);
            let mut rows = vec![row!["AVF", ""]];
            for (_, title, report) in &self.reports {
                rows.push(row![title, avf(report, subject)]);
            }
            out += &format!("\n{}\n", render(&rows));
        }
        out
    }

    fn json(&self) -> Value {
        let labels = |stratum: u32| {
            let stratum = self.strata.get(&stratum);
            let subject = stratum.and_then(|s| self.subjects.get(&s.subject));
            json!({
                "app": subject.map(|s| &s.app),
                "chip": subject.map(|s| &s.chip),
                "structure": stratum.map(|s| &s.structure),
                "kernel": stratum.and_then(|s| s.kernel.as_ref()),
                "bits": stratum.map(|s| s.bits),
            })
        };
        let counts = self.counts();
        let rows = counts.iter().map(|((stratum, first), counts)| {
            let mut row = labels(*stratum);
            row["door"] = json!(first.name());
            row["runs"] = json!(counts.runs());
            row["failures"] = json!(counts.failures());
            for class in upset_metrics::Class::ALL {
                row[class.name()] = json!(counts.of(class));
            }
            row
        });
        let experiments = self.results.experiments.iter().zip(self.ways);
        let came_out = experiments.filter(|(_, ways)| ways.as_ref().is_some_and(|w| !w.is_empty()));
        let experiments = came_out.map(|(e, ways)| {
            let mut row = labels(e.stratum);
            row["number"] = json!(e.number);
            row["fault"] = json!(e.fault);
            row["class"] = json!(e.class.name());
            row["doors"] = json!(ways);
            row
        });
        let mut all = json!({
            "rows": rows.collect::<Vec<_>>(),
            "experiments": experiments.collect::<Vec<_>>(),
        });
        for (name, _, report) in &self.reports {
            all[*name] = report.clone();
        }
        all
    }
}

/// `12 (3)`: experiments and failures among them.
fn cell(counts: &Counts) -> String {
    match counts.failures() {
        0 => counts.runs().to_string(),
        n => format!("{} ({n})", counts.runs()),
    }
}

/// The AVF of a subject over kernels and structures, in a report's JSON.
fn avf(report: &Value, subject: &Subject) -> String {
    let totals = report["totals"].as_array().into_iter().flatten();
    let own = |t: &&Value| {
        t["app"] == subject.app.as_str()
            && t["chip"] == subject.chip.as_str()
            && t["scale"] == subject.scale.as_str()
    };
    let each = totals.filter(own).map(|total| {
        let percent = |key: &str| total["avf"][key].as_f64().map(|v| format!("{:.4}", 100.0 * v));
        match (percent("value"), percent("low"), percent("high")) {
            (Some(value), Some(low), Some(high)) => format!("{value} % [{low}, {high}]"),
            (None, Some(low), Some(high)) => format!("between {low} and {high} %"),
            _ => "-".into(),
        }
    });
    each.collect::<Vec<_>>().join(", ")
}
