//! What is kept of a run on a real GPU.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Outcome;

/// All of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Study {
    /// Name of the GPU.
    pub gpu: String,
    pub driver: String,
    /// Cards that steps ran on: a machine may lend another one each time.
    pub cards: usize,
    pub sms: u64,
    pub sub_cores: u64,
    /// Level 1 once.
    pub tests: Vec<Test>,
    /// Errors made on purpose.
    pub injected: Injected,
    /// Level 1 again and again.
    pub clean: Vec<Clean>,
    /// Each group of SMs left out.
    pub groups: Vec<Group>,
    /// The CPU's references against the GPU.
    pub references: Vec<Test>,
    pub memory: Memory,
    pub power: Power,
    /// What the thermal test says of the temperature that it held.
    pub temperature: String,
    pub opencl: Vec<Test>,
    /// Code that the driver compiled from PTX.
    pub jit: Vec<Test>,
    /// SMs that a program used under quarantine, of how many.
    pub quarantine: (u64, u64),
    /// Runs of the replayed program, and what came of them.
    pub replay: (usize, String),
}

/// One test.
#[derive(Debug, Serialize, Deserialize)]
pub struct Test {
    pub name: String,
    pub group: String,
    pub state: String,
    pub results: u64,
    /// Of the CPU, which these were compared with.
    pub references: u64,
    pub lanes: u64,
    pub seconds: f64,
    pub errors: u64,
}

/// Errors made on purpose.
#[derive(Debug, Serialize, Deserialize)]
pub struct Injected {
    pub errors: u64,
    pub found: u64,
    pub elsewhere: u64,
    pub missed: u64,
    pub seconds: f64,
}

/// Runs without a finding.
#[derive(Debug, Serialize, Deserialize)]
pub struct Clean {
    pub runs: u64,
    pub errors: u64,
    pub seconds: f64,
}

/// A group of SMs that was left out.
#[derive(Debug, Serialize, Deserialize)]
pub struct Group {
    pub sms: Vec<u64>,
    /// SMs of it that work ran on all the same.
    pub outside: u64,
    pub same: bool,
    pub slowdown: f64,
    pub share: f64,
}

/// The March over device memory.
#[derive(Debug, Serialize, Deserialize)]
pub struct Memory {
    pub bytes: u64,
    /// Of all memory that the GPU has.
    pub share: f64,
    pub seconds: f64,
    pub backgrounds: u64,
}

/// Power while load came and went once a second.
#[derive(Debug, Serialize, Deserialize)]
pub struct Power {
    pub idle: f64,
    pub low: f64,
    pub high: f64,
}

impl Study {
    /// From what the study's script wrote.
    pub fn read(out: &Path) -> Outcome<Study> {
        let json = |name: &str| json(out, name);
        let first = json("01-coverage.json")?;
        let board = &first["board"];
        let mut cards = Vec::new();
        let mut clean = Vec::new();
        for name in files(out, "04-clean", ".json")? {
            let record = json(&name)?;
            let all = tests(&record);
            let runs = record["tests"].as_array().into_iter().flatten();
            clean.push(Clean {
                runs: runs.filter_map(|t| t["runs"].as_u64()).min().unwrap_or(0),
                errors: all.iter().map(|t| t.errors).sum(),
                seconds: all.iter().map(|t| t.seconds).sum(),
            });
        }
        for name in files(out, "", ".json")? {
            let record = json(&name)?;
            let uuid = record["board"]["uuid"].as_str().or(record["gpu"].as_str());
            cards.extend(uuid.map(String::from));
        }
        let references = files(out, "06-references", ".json")?;
        let references = references.iter().map(|n| json(n)).collect::<Outcome<Vec<_>>>()?;
        cards.sort();
        cards.dedup();
        Ok(Study {
            gpu: string(&board["name"]),
            driver: string(&board["driver"]),
            cards: cards.len(),
            sms: number(&board["sms"]) as u64,
            sub_cores: number(&board["sub_cores"]) as u64,
            tests: tests(&first),
            injected: injected(out)?,
            clean,
            groups: groups(&json("05-without-each.json")?),
            references: references.iter().flat_map(tests).collect(),
            memory: memory(&json("07-memory.json")?)?,
            power: power(&text(out, "08-power.csv")?)?,
            temperature: string(&json("09-temperature.json")?["tests"][0]["notes"][0]),
            opencl: tests(&json("10-opencl.json")?),
            jit: tests(&json("11-jit.json")?),
            quarantine: (
                first_number(&text(out, "12-without.txt")?)?,
                first_number(&text(out, "12-on-all.txt")?)?,
            ),
            replay: {
                let record = json("13-replay.json")?;
                let runs = record["runs"].as_array().map_or(0, Vec::len);
                (runs, string(&record["answer"]))
            },
        })
    }
}

fn text(out: &Path, name: &str) -> Outcome<String> {
    std::fs::read_to_string(out.join(name)).map_err(|e| format!("{name}: {e}"))
}

fn json(out: &Path, name: &str) -> Outcome<Value> {
    serde_json::from_str(&text(out, name)?).map_err(|e| format!("{name}: {e}"))
}

/// Names of files that begin and end like this, in order.
fn files(out: &Path, begins: &str, ends: &str) -> Outcome<Vec<String>> {
    let all = std::fs::read_dir(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let name = |e: std::io::Result<std::fs::DirEntry>| e.ok()?.file_name().into_string().ok();
    let mut names: Vec<String> = all.filter_map(name).collect();
    names.retain(|n| n.starts_with(begins) && n.ends_with(ends));
    names.sort();
    Ok(names)
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// The tests that ran.
fn tests(record: &Value) -> Vec<Test> {
    let test = |t: &Value| Test {
        name: string(&t["name"]),
        group: string(&t["group"]),
        state: string(&t["state"]),
        results: t["results"].as_u64().unwrap_or(0),
        references: t["references"].as_u64().unwrap_or(0),
        lanes: t["lanes"].as_u64().unwrap_or(0),
        seconds: number(&t["seconds"]),
        errors: t["errors"].as_u64().unwrap_or(u64::MAX),
    };
    record["tests"].as_array().into_iter().flatten().map(test).collect()
}

/// "1000 errors made on purpose: 1000 found at their place and bit, 0 elsewhere, 0 missed".
fn injected(out: &Path) -> Outcome<Injected> {
    let line = text(out, "03-injected.txt")?;
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let [errors, found, elsewhere, missed] = numbers[..] else {
        return Err(format!("03-injected.txt: {line:?} has not four numbers"));
    };
    let said = text(out, "03-injected.said")?;
    let seconds = said.split_once("after ").and_then(|(_, rest)| rest.split_once(" s"));
    let seconds = seconds.and_then(|(s, _)| s.parse().ok()).unwrap_or(0.0);
    Ok(Injected { errors, found, elsewhere, missed, seconds })
}

fn groups(record: &Value) -> Vec<Group> {
    let group = |g: &Value| Group {
        sms: g["sms"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect(),
        outside: g["outside"].as_array().map_or(u64::MAX, |o| o.len() as u64),
        same: g["same_results"].as_bool().unwrap_or(false),
        slowdown: number(&g["slowdown"]),
        share: number(&g["share"]),
    };
    record["groups"].as_array().into_iter().flatten().map(group).collect()
}

/// March C- reads each word five times on each of six backgrounds.
fn memory(record: &Value) -> Outcome<Memory> {
    let test = &record["tests"][0];
    let bytes = first_number(&string(&test["notes"][0]))?;
    let share = bytes as f64 / number(&record["board"]["memory"]);
    let words = bytes as f64 / 4.0;
    let backgrounds = (number(&test["results"]) / words / 5.0).round() as u64;
    Ok(Memory { bytes, share, seconds: number(&test["seconds"]), backgrounds })
}

/// The last four seconds of the trace, when load comes and goes once a second,
/// and its first reading.
fn power(csv: &str) -> Outcome<Power> {
    let row = |line: &str| {
        let mut cells = line.split(',');
        let seconds: f64 = cells.next()?.parse().ok()?;
        Some((seconds, cells.nth(1)?.parse::<f64>().ok()?))
    };
    let rows: Vec<(f64, f64)> = csv.lines().filter_map(row).collect();
    let (first, last) = rows.first().zip(rows.last()).ok_or("08-power.csv has no readings")?;
    let watts = rows.iter().filter(|(s, _)| *s > last.0 - 4.0).map(|(_, w)| *w);
    let low = watts.clone().fold(f64::INFINITY, f64::min);
    Ok(Power { idle: first.1, low, high: watts.fold(0.0, f64::max) })
}

fn first_number(text: &str) -> Outcome<u64> {
    let word = text.split_whitespace().next().and_then(|w| w.parse().ok());
    word.ok_or_else(|| format!("{text:?} does not begin with a number"))
}
