//! `cargo xtask study OUT`: the gpuFI-4 study as a table beside the thesis.
//!
//! `studies/papers.sh` fills OUT. From it come `studies/papers.json`, small
//! enough for the repository, and from that the tables of
//! `docs/gpufi4-study.md` between two markers.

use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Outcome;
use crate::page::{read, with_tables, write};
use crate::thesis::THESIS;
use crate::timing::spearman;

const KEPT: &str = "studies/papers.json";
const PAGE: &str = "docs/gpufi4-study.md";
const MARKERS: (&str, &str) =
    ("<!-- cargo xtask study: begin -->", "<!-- cargo xtask study: end -->");

const CHIPS: [&str; 2] = ["rtx2060", "gv100"];

/// What the repository keeps of the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Study {
    /// Applications of the thesis that were run, by chip.
    rows: Vec<Row>,
    /// Rank correlation with the thesis, by chip.
    ranks: Vec<Ranks>,
}

/// One application on one chip. AVFs are shares, not percent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    app: String,
    chip: String,
    /// Experiments over all kernels and structures.
    runs: u64,
    thesis: f64,
    avf: Avf,
    /// The part of the failures that begins in L2.
    l2_part: f64,
    /// The other structures alone.
    without_l2: f64,
    /// Failures of caches only where a load took the bit out.
    loaded: Avf,
    /// Failures of caches only where nothing but loads did.
    only_loaded: Avf,
    /// The same three with only the results compared.
    results: Option<[Avf; 3]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Avf {
    value: f64,
    low: f64,
    high: f64,
}

/// Rank correlations with the thesis over the applications of a chip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Ranks {
    chip: String,
    applications: usize,
    avf: f64,
    without_l2: f64,
    loaded: f64,
}

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let [out] = words else { return Err("usage: cargo xtask study OUT".into()) };
    let study = read_all(Path::new(out))?;
    let text = serde_json::to_string_pretty(&study).map_err(|e| e.to_string())?;
    write(KEPT, &(text + "\n"))?;
    let page = with_tables(&read(PAGE)?, MARKERS, &study.tables())?;
    write(PAGE, &page)?;
    println!("{KEPT} and {PAGE}: {} rows", study.rows.len());
    Ok(())
}

/// Reads what `studies/papers.sh` wrote, application by application.
fn read_all(out: &Path) -> Outcome<Study> {
    let load = |name: String| -> Outcome<Option<Value>> {
        let path = out.join(name);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|e| format!("{}: {e}", path.display()))?;
        let value = serde_json::from_str(&text);
        value.map(Some).map_err(|e| format!("{}: {e}", path.display()))
    };
    let mut rows = Vec::new();
    for (c, chip) in CHIPS.into_iter().enumerate() {
        for (app, thesis) in THESIS {
            let Some(all) = load(format!("{app}.json"))? else { continue };
            let results = load(format!("{app}.results.json"))?;
            let row = row(app, chip, thesis[c] / 100.0, &all, results.as_ref());
            let lacking = || format!("{app} on {chip}: {app}.json lacks finished figures");
            rows.push(row.ok_or_else(lacking)?);
        }
    }
    if rows.is_empty() {
        return Err(format!("{}: no APP.json of studies/papers.sh", out.display()));
    }
    let ranks = ranks(&rows);
    Ok(Study { rows, ranks })
}

/// The total of an application on a chip, in a report.
fn total<'a>(report: &'a Value, app: &str, chip: &str) -> Option<&'a Value> {
    report["totals"].as_array()?.iter().find(|t| t["app"] == app && t["chip"] == chip)
}

fn avf(total: &Value) -> Option<Avf> {
    let of = |key: &str| total["avf"][key].as_f64();
    Some(Avf { value: of("value")?, low: of("low")?, high: of("high")? })
}

fn row(app: &str, chip: &str, thesis: f64, all: &Value, results: Option<&Value>) -> Option<Row> {
    let under = |doors: &Value, rule: &str| avf(total(&doors[rule], app, chip)?);
    let measured = total(&all["measured"], app, chip)?;
    // Bits times AVF of each structure.
    let failing = |s: &Value| Some(s["bits"].as_f64()? * s["avf"]["value"].as_f64()?);
    let (mut sum, mut in_l2, mut other_bits) = (0.0, 0.0, 0.0);
    for s in measured["structures"].as_array()? {
        sum += failing(s)?;
        match s["structure"] == "l2" {
            true => in_l2 += failing(s)?,
            false => other_bits += s["bits"].as_f64()?,
        }
    }
    let three = |doors: &Value| {
        Some([under(doors, "measured")?, under(doors, "loaded")?, under(doors, "only_loaded")?])
    };
    let [avf, loaded, only_loaded] = three(all)?;
    Some(Row {
        app: app.into(),
        chip: chip.into(),
        runs: measured["runs"].as_u64()?,
        thesis,
        avf,
        l2_part: if sum > 0.0 { in_l2 / sum } else { 0.0 },
        without_l2: if other_bits > 0.0 { (sum - in_l2) / other_bits } else { 0.0 },
        loaded,
        only_loaded,
        results: match results {
            Some(doors) => Some(three(doors)?),
            None => None,
        },
    })
}

/// Computed from rows alone, so that a test can do it again.
fn ranks(rows: &[Row]) -> Vec<Ranks> {
    let of_chip = |chip: &str| {
        let own: Vec<&Row> = rows.iter().filter(|r| r.chip == chip).collect();
        let column = |f: fn(&Row) -> f64| own.iter().map(|r| f(r)).collect::<Vec<f64>>();
        let with = |f: fn(&Row) -> f64| spearman(&column(|r| r.thesis), &column(f));
        Ranks {
            chip: chip.into(),
            applications: own.len(),
            avf: with(|r| r.avf.value),
            without_l2: with(|r| r.without_l2),
            loaded: with(|r| r.loaded.value),
        }
    };
    // With fewer than three there is no order to speak of.
    let all = CHIPS.iter().map(|chip| of_chip(chip));
    all.filter(|ranks| ranks.applications > 2).collect()
}

impl Study {
    /// The tables of the page.
    fn tables(&self) -> String {
        let mut out = String::new();
        if self.rows.is_empty() {
            return "Not run yet: `studies/papers.sh`, then `cargo xtask study`.\n".into();
        }
        let total: u64 = self.rows.iter().map(|r| r.runs).sum();
        let _ = writeln!(
            out,
            "AVF in percent with its interval, {total} experiments. *L2*: the part of the failures \
             that begins there.\n"
        );
        out += "| app | chip | thesis | here | here / thesis | L2 | without L2 |\n";
        out += "|---|---|---|---|---|---|---|\n";
        for r in &self.rows {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {:.1} | {:.0} % | {} |",
                r.app,
                r.chip,
                percent(r.thesis),
                r.avf,
                r.avf.value / r.thesis,
                100.0 * r.l2_part,
                percent(r.without_l2),
            );
        }
        out += "\n**By gpuFI-4's rule** a fault in a cache acts only on loads that hit. *Any load*: \
                failures of bits that a load took out, whatever else did (an upper limit of what \
                the rule leaves); *only loads*: of bits that nothing else took out. *Results*: the \
                same three with only the application's results compared, not every copy.\n\n";
        out += "| app | chip | thesis | here | any load | only loads | results | results, any load \
                | results, only loads |\n|---|---|---|---|---|---|---|---|---|\n";
        for r in &self.rows {
            let results = match r.results {
                Some([all, loaded, only]) => format!("{all} | {loaded} | {only}"),
                None => "- | - | -".into(),
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {results} |",
                r.app,
                r.chip,
                percent(r.thesis),
                r.avf,
                r.loaded,
                r.only_loaded,
            );
        }
        if !self.ranks.is_empty() {
            out += "\n| rank correlation with the thesis | applications | here | without L2 | any \
                    load |\n|---|---|---|---|---|\n";
        }
        for r in &self.ranks {
            let _ = writeln!(
                out,
                "| {} | {} | {:.2} | {:.2} | {:.2} |",
                r.chip, r.applications, r.avf, r.without_l2, r.loaded
            );
        }
        out
    }
}

impl std::fmt::Display for Avf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [{}, {}]", percent(self.value), percent(self.low), percent(self.high))
    }
}

/// A share in percent, with as many places as the thesis.
fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept() -> Study {
        serde_json::from_str(&read(KEPT).unwrap()).unwrap()
    }

    #[test]
    fn the_page_shows_what_the_file_says() {
        let page = read(PAGE).unwrap();
        assert!(
            with_tables(&page, MARKERS, &kept().tables()).unwrap() == page,
            "{PAGE} is stale: run `cargo xtask study OUT`"
        );
    }

    #[test]
    fn rank_correlations_are_those_of_the_rows() {
        let study = kept();
        // Reading a number from JSON may change its last bit.
        let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        let again = ranks(&study.rows);
        assert_eq!(study.ranks.len(), again.len());
        for (kept, again) in study.ranks.iter().zip(&again) {
            assert_eq!((&kept.chip, kept.applications), (&again.chip, again.applications));
            same(kept.avf, again.avf);
            same(kept.without_l2, again.without_l2);
            same(kept.loaded, again.loaded);
        }
        for row in &study.rows {
            let (_, thesis) = THESIS.iter().find(|(app, _)| *app == row.app).unwrap();
            let chip = CHIPS.iter().position(|c| *c == row.chip).unwrap();
            same(row.thesis, thesis[chip] / 100.0);
        }
    }

    fn report(value: f64) -> Value {
        let structure = |name: &str, bits: u64, avf: f64| json!({ "structure": name, "bits": bits, "avf": { "value": avf, "low": 0.0, "high": 1.0 } });
        json!({ "totals": [{
            "app": "bp", "chip": "gv100", "runs": 40,
            "avf": { "value": value, "low": value / 2.0, "high": value * 2.0 },
            "structures": [structure("rf", 100, 0.03), structure("l2", 300, 0.01)],
        }] })
    }

    #[test]
    fn parts_are_weighted_with_bits() {
        let all = json!({ "measured": report(0.015), "loaded": report(0.01), "only_loaded": report(0.005) });
        let row = row("bp", "gv100", 0.0015, &all, Some(&all)).unwrap();
        assert_eq!((row.runs, row.l2_part, row.without_l2), (40, 0.5, 0.03));
        assert_eq!(row.avf.value, 0.015);
        assert_eq!(row.results.unwrap()[2].value, 0.005);
        let text = Study { ranks: ranks(std::slice::from_ref(&row)), rows: vec![row] }.tables();
        assert!(
            text.contains("| bp | gv100 | 0.15 | 1.50 [0.75, 3.00] | 10.0 | 50 % | 3.00 |"),
            "{text}"
        );
    }

    #[test]
    fn unfinished_figures_are_refused() {
        let mut all = json!({ "measured": report(0.015), "loaded": report(0.01), "only_loaded": report(0.005) });
        all["measured"]["totals"][0]["avf"]["value"] = Value::Null;
        assert_eq!(row("bp", "gv100", 0.0015, &all, None), None);
    }
}
