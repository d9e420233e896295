//! The study's numbers, from what its script wrote.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::csv;
use super::faults::{Fault, Fewest, Share, Tally, fewest, tallies};
use crate::Outcome;

/// The applications, in the paper's order.
pub const APPS: [&str; 7] = ["fft", "gray", "mmul", "reduce", "sobel", "sort", "tran"];
/// The paper's two ratios.
pub const RATIOS: [&str; 2] = ["INACT", "STACK"];

/// Least and largest of a ratio's samples in fault-free runs, and what a fault
/// makes of them beyond these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Least and largest.
    pub region: (f64, f64),
    /// Below and above it, with a bit of the mask port stuck.
    pub mask: (f64, f64),
    /// With an output of the divergence unit stuck.
    pub divergence: (f64, f64),
}

/// The study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Experiments of all campaigns.
    pub experiments: u64,
    /// By application and ratio.
    pub ratios: BTreeMap<String, BTreeMap<String, Ratio>>,
    /// Alarms among fresh inputs, by application.
    pub fresh: BTreeMap<String, Share>,
    /// Cycles between readings, by application.
    pub every: BTreeMap<String, u64>,
    /// By structure.
    pub structures: BTreeMap<String, Tally>,
    /// By application.
    pub apps: BTreeMap<String, Tally>,
    /// By application and structure, `fft div`.
    pub both: BTreeMap<String, Tally>,
    /// The smallest set of counters.
    pub fewest: Fewest,
}

impl Study {
    /// Reads a folder.
    pub fn read(out: &Path) -> Outcome<Study> {
        let mut faults = Vec::new();
        for name in ["cells.csv", "columns.csv"] {
            for row in csv::rows(&text(&out.join(name))?)? {
                faults.push(Fault::read(&row).map_err(|e| format!("{name}: {e}"))?);
            }
        }
        let (mut ratios, mut fresh, mut every) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for app in APPS {
            let file = |what: &str| json(&out.join(format!("{app}.{what}.json")));
            let paper = file("paper")?;
            let (mask, divergence) = (file("mask")?, file("divergence")?);
            let one = |name: &str| -> Outcome<(String, Ratio)> {
                let region = region(&paper, name)?;
                let ratio = Ratio {
                    region,
                    mask: beyond(&mask, name, region),
                    divergence: beyond(&divergence, name, region),
                };
                Ok((name.to_string(), ratio))
            };
            ratios.insert(
                app.to_string(),
                RATIOS.into_iter().map(one).collect::<Outcome<BTreeMap<_, _>>>()?,
            );
            let checked = file("fresh")?;
            let n = checked["inputs"].as_array().map_or(0, |list| list.len() as u64);
            let k = checked["alarms"].as_u64().ok_or("a check without alarms")?;
            fresh.insert(app.to_string(), Share { k, n });
            let readings = file("profile")?["lessons"]["every"][0].as_u64();
            every.insert(app.to_string(), readings.ok_or("a profile without readings")?);
        }
        let tallied = |by: fn(&Fault) -> String| {
            let mut all = tallies(&faults, by);
            // Each alarm's cycle is of use only summed up.
            all.values_mut().for_each(|tally| tally.latency = quartiles(&tally.latency));
            all
        };
        Ok(Study {
            experiments: faults.len() as u64,
            ratios,
            fresh,
            every,
            structures: tallied(|f| f.structure.clone()),
            apps: tallied(|f| f.app.clone()),
            both: tallied(|f| format!("{} {}", f.app, f.structure)),
            fewest: fewest(&faults),
        })
    }
}

/// A quarter, half and three quarters of a sorted list are below these.
fn quartiles(sorted: &[u64]) -> Vec<u64> {
    match sorted.len() {
        0 => Vec::new(),
        n => [n / 4, n / 2, 3 * n / 4].map(|i| sorted[i.min(n - 1)]).to_vec(),
    }
}

fn text(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn json(path: &Path) -> Outcome<Value> {
    serde_json::from_str(&text(path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// The range of a ratio that a profile has learned.
fn region(profile: &Value, name: &str) -> Outcome<(f64, f64)> {
    let list = profile["paper"]["ranges"].as_array().map_or(&[][..], Vec::as_slice);
    let range = list.iter().find(|r| r["name"] == name);
    let ends = range.and_then(|r| Some((r["low"].as_f64()?, r["high"].as_f64()?)));
    ends.ok_or_else(|| format!("a profile without {name}"))
}

/// How far a check's samples of a ratio lie below and above its range.
fn beyond(check: &Value, name: &str, (low, high): (f64, f64)) -> (f64, f64) {
    let inputs = check["inputs"].as_array().map_or(&[][..], Vec::as_slice);
    let alarms = inputs.iter().filter_map(|input| input["alarms"].as_array()).flatten();
    let values = alarms.filter(|a| a["what"] == name).filter_map(|a| a["value"].as_f64());
    values.fold((0.0, 0.0), |(below, above): (f64, f64), value| {
        (below.min(value - low), above.max(value - high))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ratios_are_told_from_what_is_beyond_their_range() {
        let profile = json!({"paper": {"ranges": [{"name": "STACK", "low": 0.5, "high": 2.0}]}});
        assert_eq!(region(&profile, "STACK").unwrap(), (0.5, 2.0));
        assert!(region(&profile, "INACT").is_err());
        let check = json!({"inputs": [{"alarms": [
            {"what": "STACK", "value": 3.5}, {"what": "INACT", "value": 9.0},
            {"what": "STACK", "value": 0.25}, {"what": "STACK", "value": 2.5},
        ]}]});
        assert_eq!(beyond(&check, "STACK", (0.5, 2.0)), (-0.25, 1.5));
        assert_eq!(beyond(&json!({"inputs": []}), "STACK", (0.5, 2.0)), (0.0, 0.0));
        assert_eq!(quartiles(&[1, 2, 3, 4, 5, 6, 7, 8]), [3, 5, 7]);
    }
}
