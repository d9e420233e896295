//! What is kept of the records.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Outcome;

/// The study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Lists of faults, in the order of the script.
    pub lists: Vec<List>,
    /// The smallest set of tests.
    pub smallest: Vec<Step>,
}

/// A list of faults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// The record's name: what it is part of.
    pub record: String,
    /// The chip.
    pub chip: String,
    /// How much of each test.
    pub level: u64,
    /// What the faults are.
    pub title: String,
    /// How many.
    pub faults: u64,
    /// Those that some test of ours detects.
    pub by_any: u64,
    /// By test.
    pub rows: Vec<Row>,
}

/// A list in one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The test.
    pub test: String,
    /// One of ours.
    pub ours: bool,
    /// Seconds that it takes.
    pub takes: f64,
    /// Wrong results.
    pub wrong: u64,
    /// Of these, located exactly.
    pub exact: u64,
    /// To the right SM, not exactly.
    pub nearby: u64,
    /// Hangs.
    pub hangs: u64,
    /// Traps.
    pub traps: u64,
    /// Neither passed nor failed.
    pub no_verdict: u64,
    /// Passed, although the fault could act.
    pub masked: u64,
    /// Passed, and the fault could not act.
    pub unused: u64,
    /// Seconds to the first wrong result: half of those that have one, and all.
    pub half_at: Option<f64>,
    /// See above.
    pub last_at: Option<f64>,
}

/// A test of the smallest set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The test.
    pub test: String,
    /// Faults that it adds.
    pub adds: u64,
    /// Faults so far.
    pub found: u64,
    /// Seconds so far.
    pub seconds: f64,
}

impl Row {
    /// Wrong results, hangs and traps.
    pub fn detected(&self) -> u64 {
        self.wrong + self.hangs + self.traps
    }

    /// All faults.
    pub fn faults(&self) -> u64 {
        self.detected() + self.no_verdict + self.masked + self.unused
    }
}

/// Records in the order of the page.
const RECORDS: [&str; 15] = [
    "fma",
    "fma-h200",
    "alu",
    "fp64",
    "mufu",
    "syndrome-fma",
    "syndrome-alu",
    "syndrome-fp64",
    "syndrome-mufu",
    "rf",
    "smem",
    "now-and-then",
    "now-and-then-3",
    "negative",
    "smallest",
];

impl Study {
    /// Reads what the script wrote.
    pub fn read(out: &Path) -> Outcome<Study> {
        let mut study = Study { lists: Vec::new(), smallest: Vec::new() };
        for name in RECORDS {
            let path = out.join(format!("{name}.json"));
            let told = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
            let text = std::fs::read_to_string(&path).map_err(|e| told(&e))?;
            let record: Value = serde_json::from_str(&text).map_err(|e| told(&e))?;
            study.add(name, &record).ok_or_else(|| told(&"not a record of `upset grade`"))?;
        }
        Ok(study)
    }

    fn add(&mut self, name: &str, record: &Value) -> Option<()> {
        let methods = record["methods"].as_array()?;
        let test = |i: usize| methods.get(i)?["name"].as_str();
        for list in record["lists"].as_array()? {
            let faults = list["faults"].as_array()?;
            let ours = |i: &usize| methods[*i]["ours"] == true;
            let found = |fault: &&Value| {
                let is = |i: usize| is_detected(&fault["grades"][i]["is"]);
                (0..methods.len()).filter(ours).any(is)
            };
            let rows = (0..methods.len()).map(|i| row(&methods[i], faults, i));
            self.lists.push(List {
                record: name.into(),
                chip: record["chip"].as_str()?.into(),
                level: record["level"].as_u64()?,
                title: list["title"].as_str()?.into(),
                faults: faults.len() as u64,
                by_any: faults.iter().filter(found).count() as u64,
                rows: rows.collect::<Option<_>>()?,
            });
        }
        for step in record["smallest"].as_array()? {
            self.smallest.push(Step {
                test: test(step["test"].as_u64()? as usize)?.into(),
                adds: step["adds"].as_u64()?,
                found: step["found"].as_u64()?,
                seconds: step["seconds"].as_f64()?,
            });
        }
        Some(())
    }
}

fn is_detected(is: &Value) -> bool {
    matches!(is.as_str(), Some("detected" | "hang" | "trap"))
}

fn row(method: &Value, faults: &[Value], i: usize) -> Option<Row> {
    let grades: Vec<&Value> = faults.iter().map(|fault| &fault["grades"][i]).collect();
    let are = |is: &str| grades.iter().filter(|g| g["is"] == is).count() as u64;
    let near = |near: &str| grades.iter().filter(|g| g["near"] == near).count() as u64;
    let mut seconds: Vec<f64> = grades.iter().filter_map(|g| g["seconds"].as_f64()).collect();
    seconds.sort_by(f64::total_cmp);
    Some(Row {
        test: method["name"].as_str()?.into(),
        ours: method["ours"].as_bool()?,
        takes: method["seconds"].as_f64()?,
        wrong: are("detected"),
        exact: near("exact"),
        nearby: near("sub-core") + near("sm"),
        hangs: are("hang"),
        traps: are("trap"),
        no_verdict: are("no-verdict"),
        masked: are("masked"),
        unused: are("unused"),
        half_at: seconds.get(seconds.len().div_ceil(2).saturating_sub(1)).copied(),
        last_at: seconds.last().copied(),
    })
}
