//! Fault-free runs with timing: thread instructions per second.

use std::path::Path;

use super::ask::Ask;
use super::table::{Table, geometric_mean, median, short};
use super::took::timed;
use crate::Outcome;

const CHIPS: [&str; 5] = ["rtx2060", "gv100", "titan", "h200", "hd7970"];
/// Runs of each build, in turn; medians count.
const RUNS: u64 = 5;

/// What a run is about: the same for all runs of a build.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    thread_insts: u64,
    cycles: u64,
    digest: String,
}

/// `cargo xtask bench --page`.
pub fn command(words: &[String]) -> Outcome<()> {
    let ask = Ask::read(words)?;
    let runs = ask.runs.unwrap_or(if ask.quick { 1 } else { RUNS });
    let mut table = Table::new(&[
        "chip",
        "application",
        "thread instructions",
        "cycles",
        "seconds",
        "million per second",
        "times the speed before",
    ]);
    let mut means = Table::new(&[
        "chip",
        "applications",
        "million per second",
        "least",
        "times the speed before",
        "least",
    ]);
    // What the model says of them was changed.
    let mut others: Vec<String> = Vec::new();
    for chip in ask.chips(&CHIPS) {
        let (mut rates, mut gains) = (Vec::new(), Vec::new());
        for app in ask.apps(&chip) {
            let (mut now, mut before) = (Vec::new(), Vec::new());
            let (mut about, mut was) = (None, None);
            for _ in 0..runs {
                now.push(run(&ask.upset, &app, &chip, ask.scale(), &mut about)?);
                if let Some(other) = &ask.against {
                    before.push(run(other, &app, &chip, ask.scale(), &mut was)?);
                }
            }
            let Some(about) = about else { continue };
            if let Some(was) = was.filter(|was| *was != about) {
                others.push(format!("{app} on {chip} ({} cycles before)", was.cycles));
            }
            let seconds = median(&mut now);
            let rate = about.thread_insts as f64 / seconds / 1e6;
            let gain = (!before.is_empty()).then(|| median(&mut before) / seconds);
            let (insts, cycles) = (about.thread_insts.to_string(), about.cycles.to_string());
            let gain_text = gain.map_or("–".into(), short);
            table.row(vec![
                chip.clone(),
                app,
                insts,
                cycles,
                short(seconds),
                short(rate),
                gain_text,
            ]);
            rates.push(rate);
            gains.extend(gain);
        }
        let of = |list: &[f64]| geometric_mean(list).map_or("–".into(), short);
        let least = |list: &[f64]| short(list.iter().copied().fold(f64::INFINITY, f64::min));
        means.row(vec![
            chip,
            rates.len().to_string(),
            of(&rates),
            least(&rates),
            of(&gains),
            least(&gains),
        ]);
    }
    let others = match (&ask.against, others.as_slice()) {
        (None, _) => String::new(),
        (_, []) => " All digests are those of the build before.".into(),
        (_, list) => {
            format!(" All digests are those of the build before but for {}.", list.join(", "))
        }
    };
    let text = format!(
        "Processor seconds of `upset run APP --chip CHIP --scale {}`, start and end of the program \
         included; medians of {runs} runs.{others}\n\nGeometric means:\n\n{}\nEach:\n\n{}",
        ask.scale(),
        means.text(),
        table.text()
    );
    ask.publish("bench", &text)
}

/// Runs an application; processor seconds.
fn run(upset: &Path, app: &str, chip: &str, scale: &str, about: &mut Option<Run>) -> Outcome<f64> {
    let words = ["run", app, "--chip", chip, "--scale", scale, "--json", "-"];
    let (text, took) = timed(upset, &words)?;
    let this = read(&text).ok_or_else(|| format!("{app} on {chip}: unreadable result"))?;
    let first = about.get_or_insert_with(|| this.clone());
    match *first == this {
        true => Ok(took.processor),
        false => Err(format!("{app} on {chip}: {this:?}, but another run had {first:?}")),
    }
}

fn read(text: &str) -> Option<Run> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let sum = |name: &str| -> Option<u64> {
        json["kernels"].as_array()?.iter().map(|k| k[name].as_u64()).sum()
    };
    Some(Run {
        thread_insts: sum("thread_insts")?,
        cycles: sum("cycles")?,
        digest: json["digest"].as_str()?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_the_sum_of_its_kernels() {
        let text = r#"{"digest":"ab","kernels":[{"cycles":3,"thread_insts":10},{"cycles":4,"thread_insts":5}]}"#;
        let run = read(text).unwrap();
        assert_eq!((run.cycles, run.thread_insts, run.digest.as_str()), (7, 15, "ab"));
        assert!(read(r#"{"digest":"ab","kernels":[{"cycles":3}]}"#).is_none());
    }
}
