//! Tables of the page.

use std::fmt::Write as _;

use upset_metrics::Method;

use super::kept::{List, Row, Study};

/// Records of each table, and its heading.
const TABLES: [(&str, &[&str]); 4] = [
    ("Every stuck result bit of one SM", &["fma", "fma-h200", "alu", "fp64", "mufu"]),
    (
        "Syndromes, ours and the rival's",
        &["syndrome-fma", "syndrome-alu", "syndrome-fp64", "syndrome-mufu"],
    ),
    ("Cells", &["rf", "smem"]),
    ("Now and then, and for some operands", &["now-and-then", "now-and-then-3", "negative"]),
];

/// All of them.
pub fn all(study: &Study) -> String {
    let mut text = String::new();
    for (title, records) in TABLES {
        let _ = writeln!(text, "### {title}\n");
        text += "| chip | faults | test | detected | interval | located | wrong results | hang | \
                 trap | no verdict | masked | unused | half at | last at |\n\
                 |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
        for record in records {
            for list in study.lists.iter().filter(|l| l.record == *record) {
                list.rows.iter().for_each(|row| line(&mut text, list, row));
            }
        }
        if records.iter().any(|r| r.starts_with("syndrome")) {
            sums(&mut text, study, records);
        }
        text.push('\n');
    }
    smallest(&mut text, study);
    text
}

fn line(text: &mut String, list: &List, row: &Row) {
    let chip = list.chip.split(',').next().unwrap_or_default();
    let level = if list.level == 1 { String::new() } else { format!(", level {}", list.level) };
    let test = format!("`{}`{level}", row.test);
    let title = list.title.replace(" of SM 1", "");
    let _ = writeln!(
        text,
        "| {chip} | `{} | {test} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        title.replace(": ", "`: "),
        share(row.detected(), row.faults()),
        interval(row.detected(), row.faults()),
        if row.ours { share(row.exact, row.detected()) } else { "–".into() },
        row.wrong,
        row.hangs,
        row.traps,
        row.no_verdict,
        row.masked,
        row.unused,
        row.half_at.map_or("–".into(), time),
        row.last_at.map_or("–".into(), time),
    );
}

/// Ours and each rival's over all lists of a table.
fn sums(text: &mut String, study: &Study, records: &[&str]) {
    let lists = || study.lists.iter().filter(|l| records.contains(&l.record.as_str()));
    let rivals: Vec<&str> = lists()
        .next()
        .map(|l| l.rows.iter().filter(|r| !r.ours).map(|r| r.test.as_str()).collect())
        .unwrap_or_default();
    let n: u64 = lists().map(|l| l.faults).sum();
    let mut sum = |name: &str, of: &dyn Fn(&Row) -> bool| {
        let rows = || lists().flat_map(|l| &l.rows).filter(|r| of(r));
        let found: u64 = rows().map(Row::detected).sum();
        let add = |f: fn(&Row) -> u64| rows().map(f).sum::<u64>();
        let _ = writeln!(
            text,
            "| | all {n} | {name} | {} | {} | | {} | {} | {} | {} | {} | {} | | |",
            share(found, n),
            interval(found, n),
            add(|r| r.wrong),
            add(|r| r.hangs),
            add(|r| r.traps),
            add(|r| r.no_verdict),
            add(|r| r.masked),
            add(|r| r.unused),
        );
    };
    sum("**ours**", &|r| r.ours);
    for rival in rivals {
        sum(&format!("**{rival}**"), &|r| r.test == rival);
    }
}

fn smallest(text: &mut String, study: &Study) {
    let lists = || study.lists.iter().filter(|l| l.record == "smallest");
    let (n, any): (u64, u64) =
        lists().fold((0, 0), |(n, any), list| (n + list.faults, any + list.by_any));
    let _ = writeln!(text, "### The smallest set\n");
    let _ = writeln!(text, "Detected of the faults of each structure, by test:\n");
    let tests: Vec<&str> = lists()
        .next()
        .map(|l| l.rows.iter().map(|r| r.test.as_str()).collect())
        .unwrap_or_default();
    let _ = writeln!(text, "| faults | {} | any |", tests.join(" | "));
    let _ = writeln!(text, "|---|{}---|", "---|".repeat(tests.len()));
    for list in lists() {
        let cells: Vec<String> = list.rows.iter().map(|r| r.detected().to_string()).collect();
        let title = list.title.replace(" of SM 1", "");
        let _ = writeln!(text, "| {title} | {} | {} |", cells.join(" | "), list.by_any);
    }
    let takes: Vec<String> =
        lists().next().map(|l| l.rows.iter().map(|r| time(r.takes)).collect()).unwrap_or_default();
    let _ = writeln!(text, "| takes | {} | |\n", takes.join(" | "));
    let _ = writeln!(
        text,
        "All tests together detect {any} of {n}, {} {}. The set, in the order in which each test adds \
         most faults per second:\n",
        share(any, n),
        interval(any, n)
    );
    let _ = writeln!(text, "| test | adds | detected | seconds so far |\n|---|---|---|---|");
    for step in &study.smallest {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            step.test,
            step.adds,
            step.found,
            time(step.seconds)
        );
    }
}

/// `k` of `n` in percent: what is not all is never shown as all.
fn share(k: u64, n: u64) -> String {
    match (k, n) {
        (_, 0) => "–".into(),
        (k, n) if k == n => "100 %".into(),
        (0, _) => "0 %".into(),
        (k, n) => {
            let percent = 100.0 * k as f64 / n as f64;
            format!("{:.2} %", percent.clamp(0.01, 99.99))
        }
    }
}

fn interval(k: u64, n: u64) -> String {
    let i = Method::ClopperPearson.interval(k, n, 0.95);
    format!("[{:.2}, {:.2}]", 100.0 * i.low, 100.0 * i.high)
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s => format!("{:.1} ms", s * 1e3),
    }
}
