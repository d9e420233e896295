//! The tables of both pages.

use std::fmt::Write as _;

use upset_metrics::Method;
use upset_report::page;

use super::kept::{Cell, Row, Structure, Study};
use super::share::{Share, percent, three};
use super::statements;
use crate::thesis;

/// A table of either page.
pub struct Table {
    pub title: String,
    pub note: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn new(title: &str, note: &str, head: Vec<String>) -> Table {
        Table { title: title.into(), note: note.into(), head, rows: Vec::new() }
    }

    fn markdown(&self) -> String {
        let mut out = format!("### {}\n\n", self.title);
        if !self.note.is_empty() {
            let _ = writeln!(out, "{}\n", self.note);
        }
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        out += &line(&self.head);
        out += &format!("|{}\n", "---|".repeat(self.head.len()));
        self.rows.iter().for_each(|row| out += &line(row));
        out
    }

    pub fn html(&self) -> String {
        let head: Vec<&str> = self.head.iter().map(String::as_str).collect();
        let mut table = page::Table::new(&self.title, 1, &head);
        for row in &self.rows {
            table.push(row.iter().map(|cell| page::prose(cell)).collect());
        }
        let note = match self.note.is_empty() {
            true => String::new(),
            false => format!("<p class=\"fine\">{}</p>\n", page::prose(&self.note)),
        };
        table.render() + &note
    }
}

/// The tables between the markers.
pub fn markdown(study: &Study) -> String {
    let runs: u64 = study.rows.iter().map(|r| r.runs).sum();
    let mut out = format!(
        "{runs} experiments, {}. Rates in percent, with intervals at {} %.\n",
        each(study),
        100.0 * study.confidence
    );
    for table in all(study) {
        let _ = write!(out, "\n{}", table.markdown());
    }
    out
}

/// How many for each stratum, as far as that is one number.
pub fn each(study: &Study) -> String {
    let mut least = u64::MAX;
    for row in &study.rows {
        least = row.structures.iter().map(|s| s.counts.runs()).fold(least, u64::min);
    }
    format!("at least {least} for each application, chip, structure and number of bits")
}

/// All tables, in the order of the paper's figures.
pub fn all(study: &Study) -> Vec<Table> {
    let mut list = vec![said(study)];
    list.extend([1, 3].map(|bits| classes(study, bits)));
    list.push(weighted(study));
    list.push(occupancy(study));
    list.push(slowed(study));
    list.push(fit(study));
    list.extend(study.chips.iter().map(|chip| structures(study, &chip.name)));
    list
}

fn said(study: &Study) -> Table {
    let mut table =
        Table::new("What the paper says", "", ["paper", "here"].map(String::from).to_vec());
    for (paper, here) in statements::all(study) {
        table.rows.push(vec![paper.into(), here]);
    }
    table
}

/// A column for each chip, a row for each application.
fn by_chip(
    study: &Study,
    (title, note): (&str, &str),
    columns: &[&str],
    cell: impl Fn(&str, &str) -> Option<Vec<String>>,
) -> Table {
    let mut head = vec!["app".to_string()];
    for chip in &study.chips {
        for (i, column) in columns.iter().enumerate() {
            head.push(match i {
                0 => format!("{}{}{column}", chip.name, if column.is_empty() { "" } else { ", " }),
                _ => column.to_string(),
            });
        }
    }
    let mut table = Table::new(title, note, head);
    for app in &study.apps {
        let mut row = vec![app.clone()];
        for chip in &study.chips {
            let cells = cell(app, &chip.name);
            row.extend(cells.unwrap_or_else(|| vec!["-".into(); columns.len()]));
        }
        table.rows.push(row);
    }
    table
}

fn classes(study: &Study, bits: u32) -> Table {
    let (figure, flips) = if bits == 1 { ("1", "one bit") } else { ("5", "three bits") };
    let title = format!("Register file, {flips} (Fig. {figure})");
    let note = "SDC / crash / timeout, and other cycles alone, which is no failure.";
    by_chip(study, (&title, note), &["", "cycles"], |app, chip| {
        let rf = study.row(app, chip, bits)?.structure("rf")?;
        let three = [rf.sdc, rf.crash, rf.timeout].map(|share| percent(share.0)).join(" / ");
        Some(vec![three, percent(rf.performance.0)])
    })
}

/// Three bits over one, where one is told from nothing.
fn ratio(one: Share, three: Share) -> String {
    if one.1 > 0.0 { format!("{:.2}", three.0 / one.0) } else { "-".into() }
}

fn weighted(study: &Study) -> Table {
    let note = "The paper's wAVF: over the structures that gpuFI-4 breaks, which count for their \
                bits, and kernels, which count for their cycles. *Thesis*: its tables 11 and 12, \
                one bit; Titan has no table. *Loads*: failures of caches count \
                where a load took the wrong bit out, which is an upper limit of gpuFI-4's rule \
                (`upset doors`).";
    let columns = ["thesis", "one bit", "loads", "three bits", "three / one", "all structures"];
    by_chip(study, ("Weighted AVF of the chips (Figs. 3 and 6)", note), &columns, |app, chip| {
        let one = study.row(app, chip, 1)?;
        let three = study.row(app, chip, 3)?.weighted;
        let thesis = thesis::avf(app, chip).map_or("-".into(), percent);
        let own = one.weighted;
        let (all, ratio) = (percent(one.all.0), ratio(own, three));
        let loads = one.loaded.map_or("-".into(), |share| percent(share.0));
        Some(vec![thesis, own.percent(), loads, three.percent(), ratio, all])
    })
}

fn occupancy(study: &Study) -> Table {
    let note = "Mean share of warp slots in use (%), and cycles of the fault-free run.";
    let columns = ["occupancy", "cycles"];
    by_chip(study, ("Occupancy (Fig. 3)", note), &columns, |app, chip| {
        let row = study.row(app, chip, 1)?;
        Some(vec![percent(row.occupancy), row.cycles.to_string()])
    })
}

/// Part of what does not fail that takes other cycles, with its interval.
pub fn slowed_share(row: &Row, confidence: f64) -> Share {
    let (k, n) = row.slowed();
    let limits = Method::ClopperPearson.interval(k, n, confidence);
    Share(k as f64 / n.max(1) as f64, limits.low, limits.high)
}

fn slowed(study: &Study) -> Table {
    let note = "Part of the experiments without a failure that take other cycles, one bit, over the \
                structures that gpuFI-4 breaks, each with as many experiments as any other.";
    by_chip(study, ("Other cycles alone (Fig. 4)", note), &["", "n"], |app, chip| {
        let row = study.row(app, chip, 1)?;
        Some(vec![slowed_share(row, study.confidence).percent(), row.slowed().1.to_string()])
    })
}

fn fit(study: &Study) -> Table {
    let raw: Vec<String> = study
        .chips
        .iter()
        .map(|c| format!("{} {:e} ({})", c.name, c.raw_fit, c.raw_fit_source))
        .collect();
    let note = format!(
        "Over the structures that gpuFI-4 breaks, one bit. Raw FIT per bit: {}. *EPF*: executions \
         per failure.",
        raw.join("; ")
    );
    by_chip(study, ("FIT of the chips (Fig. 7)", &note), &["FIT", "EPF"], |app, chip| {
        let row = study.row(app, chip, 1)?;
        let Share(value, low, high) = study.fit(row);
        let epf = if value > 0.0 { three(row.eit / value) } else { "-".into() };
        Some(vec![format!("{} [{}, {}]", three(value), three(low), three(high)), epf])
    })
}

/// AVF of each structure of a chip.
fn structures(study: &Study, chip: &str) -> Table {
    let title = format!("Structure by structure: {chip}");
    let note = "AVF. *None*: the chip has no such structure; *unused*: nothing of it is in use, or \
                the application has none.";
    let mut head = vec!["app".to_string(), "bits".into(), "n".into()];
    head.extend(study.structures.iter().cloned());
    let mut table = Table::new(&title, note, head);
    for app in &study.apps {
        for bits in [1, 3] {
            let row = study.row(app, chip, bits);
            let n = row.and_then(|r| r.structures.iter().map(|s| s.counts.valid()).min());
            let n = n.map_or("-".into(), |n| n.to_string());
            let mut cells = vec![app.clone(), bits.to_string(), n];
            cells.extend(study.structures.iter().map(|s| cell(&study.cell(app, chip, bits, s))));
            table.rows.push(cells);
        }
    }
    table
}

fn cell(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Found(s) if idle(s) => "unused".into(),
        Cell::Found(s) => s.avf.percent(),
        Cell::NoSuch => "none".into(),
        Cell::Unused => "unused".into(),
        Cell::NotRun => "-".into(),
    }
}

/// Nothing of it is in use and nothing fails.
pub fn idle(s: &Structure) -> bool {
    s.in_use == 0.0 && s.counts.failures() == 0
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::ispass22::kept::{Chip, Row};
    use upset_metrics::Counts;

    fn structure(name: &str, avf: f64, in_use: f64) -> Structure {
        let near = |x: f64| Share(x, 0.9 * x, 1.1 * x);
        Structure {
            name: name.into(),
            size: 1_000_000,
            counts: Counts { masked: 2900, performance: 60, sdc: 40, ..Counts::default() },
            in_use,
            avf: near(avf),
            // Where little fails, half of it crashes.
            sdc: near(if avf > 0.01 { avf } else { 0.0 }),
            crash: near(if avf > 0.01 { 0.0 } else { avf }),
            timeout: near(0.0),
            performance: near(0.02),
        }
    }

    /// Three applications on two chips.
    pub fn study() -> Study {
        let mut rows = Vec::new();
        for chip in ["rtx2060", "titan"] {
            for (app, avf) in [("va", 0.02), ("sp", 0.04), ("bp", 0.01)] {
                for bits in [1u32, 3] {
                    let avf = if bits == 1 { avf } else { 2.0 * avf };
                    let mut unused = structure("smem", 0.0, 0.0);
                    unused.counts = Counts { masked: 3000, ..Counts::default() };
                    let mut structures = vec![structure("rf", avf, 0.5), structure("l2", avf, 0.5)];
                    if chip == "rtx2060" {
                        structures.push(structure("l1d", avf, 0.1));
                    }
                    structures.push(unused);
                    // Shared memory counts too.
                    let counted = structures.len() as f64;
                    let of_all = Share(avf * (counted - 1.0) / counted, 0.5 * avf, 1.1 * avf);
                    rows.push(Row {
                        app: app.into(),
                        chip: chip.into(),
                        bits,
                        runs: structures.iter().map(|s| s.counts.runs()).sum(),
                        cycles: 1000,
                        occupancy: avf * 10.0,
                        eit: 1e15,
                        weighted: of_all,
                        loaded: None,
                        all: of_all,
                        structures,
                    });
                }
            }
        }
        let chip = |name: &str, raw_fit: f64| Chip {
            name: name.into(),
            title: name.to_uppercase(),
            raw_fit,
            raw_fit_source: "made up".into(),
        };
        Study {
            confidence: 0.99,
            apps: ["va", "sp", "bp", "km"].map(String::from).to_vec(),
            structures: ["rf", "smem", "lmem", "l1d", "l2"].map(String::from).to_vec(),
            chips: vec![chip("rtx2060", 1.8e-6), chip("titan", 1.2e-5)],
            rows,
        }
    }

    #[test]
    fn every_cell_is_there() {
        let text = markdown(&study());
        for line in [
            // A structure that the chip lacks, one that the application lacks, one that is idle.
            "| sp | 1 | 3000 | 4.00 [3.60, 4.40] | unused | unused | none | 4.00 [3.60, 4.40] |",
            "| km | 1 | - | - | - | - | - | - |",
            "| bp | 0.00 / 1.00 / 0.00 | 2.00 | 0.00 / 1.00 / 0.00 | 2.00 |",
            "| km | - | - | - | - |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let weighted = text.lines().find(|l| l.starts_with("| sp | - |")).unwrap();
        assert!(weighted.contains("| 3.00 [") && weighted.contains("| 2.67 ["), "{weighted}");
        assert!(weighted.contains("| 2.00 |"), "{weighted}");
        // 2.67 % of 3 Mbit at 12e-6.
        assert!(text.contains("0.960 ["), "{text}");
        assert!(text.starts_with("126000 experiments"), "{text}");
    }
}
