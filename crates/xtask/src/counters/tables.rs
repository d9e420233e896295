//! The study as tables for a page.

use std::fmt::Write as _;

use upset_metrics::Method;

use super::faults::{Share, Tally};
use super::kept::{APPS, RATIOS, Ratio, Study};

/// All of them.
pub fn all(study: &Study) -> String {
    let mut text = format!("\n{} experiments.\n", study.experiments);
    for table in [ratios, coverage, matrix, counters, fresh] {
        text.push('\n');
        text += &table(study);
    }
    text
}

fn row(cells: impl IntoIterator<Item = String>) -> String {
    format!("| {} |\n", cells.into_iter().collect::<Vec<_>>().join(" | "))
}

fn header(cells: &[&str]) -> String {
    let names = row(cells.iter().map(|c| (*c).to_string()));
    names + &format!("|{}\n", "---|".repeat(cells.len()))
}

/// One of a ratio's ranges, least and largest.
type Part = fn(&Ratio) -> (f64, f64);

/// The paper's Tables I to III.
fn ratios(study: &Study) -> String {
    let mut names = vec![""];
    names.extend(APPS);
    let mut text = "### The paper's tables\n\n".to_string() + &header(&names);
    let tables: [(&str, Part); 3] = [
        ("I", |r| r.region),
        ("II: mask port", |r| r.mask),
        ("III: divergence unit", |r| r.divergence),
    ];
    for (table, which) in tables {
        for name in RATIOS {
            for (end, largest) in [("max", true), ("min", false)] {
                let cell = |app: &str| {
                    let ratio = study.ratios.get(app).and_then(|r| r.get(name));
                    let Some((low, high)) = ratio.map(which) else { return "-".to_string() };
                    let number = if largest { high } else { low };
                    let sign = if table == "I" { "" } else { "+" };
                    match number == 0.0 {
                        true => "0".to_string(),
                        false if number > 0.0 => format!("{sign}{number:.3}"),
                        false => format!("{number:.3}"),
                    }
                };
                let first = format!("{table}, {name} {end}");
                text += &row(std::iter::once(first).chain(APPS.map(cell)));
            }
        }
    }
    text
}

fn of(share: Share) -> String {
    match share.n {
        0 => "-".to_string(),
        n => format!("{}/{n}", share.k),
    }
}

fn percent(share: Share) -> String {
    match share.n {
        0 => "-".to_string(),
        n => format!("{:.1}", 100.0 * share.k as f64 / n as f64),
    }
}

fn interval(share: Share) -> String {
    match share.n {
        0 => "-".to_string(),
        n => {
            let i = Method::ClopperPearson.interval(share.k, n, 0.95);
            format!("{} [{:.1}, {:.1}]", percent(share), 100.0 * i.low, 100.0 * i.high)
        }
    }
}

/// What is noticed, by structure and by application.
fn coverage(study: &Study) -> String {
    let mut text = "### Failures that are noticed\n\n".to_string();
    text += &header(&[
        "",
        "SDC",
        "hang",
        "both, %",
        "the paper's two, %",
        "before the output",
        "crash",
        "harmless",
    ]);
    let line = |name: &str, tally: &Tally| {
        row([
            name.to_string(),
            of(tally.sdc),
            of(tally.hang),
            interval(tally.failures()),
            interval(tally.paper),
            of(tally.before_output),
            of(tally.crash),
            of(tally.harmless),
        ])
    };
    for (name, tally) in &study.structures {
        text += &line(name, tally);
    }
    for app in APPS {
        if let Some(tally) = study.apps.get(app) {
            text += &line(app, tally);
        }
    }
    text += &line("all", &total(study));
    text
}

/// All faults together.
fn total(study: &Study) -> Tally {
    let mut all = Tally::default();
    for t in study.apps.values() {
        for (sum, part) in [
            (&mut all.sdc, t.sdc),
            (&mut all.hang, t.hang),
            (&mut all.paper, t.paper),
            (&mut all.crash, t.crash),
            (&mut all.harmless, t.harmless),
            (&mut all.before_output, t.before_output),
        ] {
            sum.k += part.k;
            sum.n += part.n;
        }
    }
    all
}

/// Failures that are noticed, structure by application.
fn matrix(study: &Study) -> String {
    let mut names = vec!["noticed of failures"];
    names.extend(APPS);
    let mut text = "### Structure by application\n\n".to_string() + &header(&names);
    for structure in study.structures.keys() {
        let cell = |app: &str| {
            let tally = study.both.get(&format!("{app} {structure}"));
            tally.map_or("-".to_string(), |t| of(t.failures()))
        };
        text += &row(std::iter::once(structure.clone()).chain(APPS.map(cell)));
    }
    text
}

/// Which counters notice, alone.
fn counters(study: &Study) -> String {
    let structures: Vec<&String> = study.structures.keys().collect();
    let mut by_name: Vec<(&String, u64)> = Vec::new();
    for tally in study.apps.values() {
        for (name, n) in &tally.counters {
            match by_name.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += n,
                None => by_name.push((name, *n)),
            }
        }
    }
    by_name.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut text = "### Failures that a counter notices alone\n\n".to_string();
    let mut names = vec!["counter"];
    names.extend(structures.iter().map(|s| s.as_str()));
    names.push("all, %");
    text += &header(&names);
    let failures = total(study).failures().n;
    for (name, sum) in by_name {
        let cell = |s: &&String| {
            let n = study.structures[*s].counters.get(name).copied().unwrap_or(0);
            percent(Share { k: n, n: study.structures[*s].failures().n })
        };
        let all = percent(Share { k: sum, n: failures });
        let cells = structures.iter().map(cell).chain(std::iter::once(all));
        text += &row(std::iter::once(format!("`{name}`")).chain(cells));
    }
    let fewest = &study.fewest;
    let list: Vec<String> = fewest.counters.iter().map(|c| format!("`{c}`")).collect();
    let smallest = fewest.exact || list.len() == 1;
    let found = if smallest { "the smallest set" } else { "a set, greedily found" };
    let counters = if list.len() == 1 { "counter" } else { "counters" };
    let _ = writeln!(
        text,
        "\nOf {} failures that are noticed, {} ({} %) are so by {} {counters}: {} ({found}).",
        fewest.noticed.n,
        fewest.noticed.k,
        percent(fewest.noticed),
        list.len(),
        list.join(", ")
    );
    text
}

/// False alarms, and how long alarms take.
fn fresh(study: &Study) -> String {
    let mut text = "### Fresh inputs, and how soon alarms come\n\n".to_string();
    text += &header(&[
        "",
        "false alarms",
        "bound of 0.1 % allows on average",
        "first alarm: median cycle",
        "in periods",
    ]);
    for app in APPS {
        let (Some(alarms), Some(every)) = (study.fresh.get(app), study.every.get(app)) else {
            continue;
        };
        let median = study.apps.get(app).and_then(|t| t.latency.get(1)).copied();
        text += &row([
            app.to_string(),
            of(*alarms),
            format!("{:.1}", alarms.n as f64 * 0.001),
            median.map_or("-".into(), |cycle| cycle.to_string()),
            median.map_or("-".into(), |cycle| format!("{:.1}", cycle as f64 / *every as f64)),
        ]);
    }
    text
}
