//! Fault-free runs with timing: thread instructions per second.

use std::path::Path;

use super::ask::Ask;
use super::table::{Table, geometric_mean, median, short};
use super::took::{Took, timed};
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

/// Seconds of runs of a build, in turn.
#[derive(Default)]
struct Seconds {
    /// Of a processor, with one thread.
    processor: Vec<f64>,
    /// On the clock, with as many threads as the build takes.
    clock: Vec<f64>,
}

impl Seconds {
    fn medians(&mut self) -> [f64; 2] {
        [median(&mut self.processor), median(&mut self.clock)]
    }
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
        "seconds with threads",
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
        "with threads",
        "least",
        "times the speed before",
        "least",
    ]);
    // What the model says of them was changed.
    let mut others: Vec<String> = Vec::new();
    for chip in ask.chips(&CHIPS) {
        // With one thread, then with all.
        let (mut rates, mut gains) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for app in ask.apps(&chip) {
            let (mut now, mut before) = (Seconds::default(), Seconds::default());
            let (mut about, mut was) = (None, None);
            for _ in 0..runs {
                let words = ["run", &app, "--chip", &chip, "--scale", ask.scale(), "--json", "-"];
                let one = [&words[..], &["--threads", "1"]].concat();
                now.processor.push(run(&ask.upset, &one, &mut about)?.processor);
                now.clock.push(run(&ask.upset, &words, &mut about)?.wall);
                if let Some(other) = &ask.against {
                    let took = run(other, &words, &mut was)?;
                    before.processor.push(took.processor);
                    before.clock.push(took.wall);
                }
            }
            let Some(about) = about else { continue };
            if let Some(was) = was.as_ref().filter(|was| **was != about) {
                others.push(format!("{app} on {chip} ({} cycles before)", was.cycles));
            }
            let seconds = now.medians();
            let was = was.map(|_| before.medians());
            let mut row =
                vec![chip.clone(), app, about.thread_insts.to_string(), about.cycles.to_string()];
            for way in 0..2 {
                let rate = about.thread_insts as f64 / seconds[way] / 1e6;
                let gain = was.map(|was| was[way] / seconds[way]);
                row.extend([short(seconds[way]), short(rate), gain.map_or("–".into(), short)]);
                rates[way].push(rate);
                gains[way].extend(gain);
            }
            table.row(row);
        }
        let of = |list: &[f64]| geometric_mean(list).map_or("–".into(), short);
        let least = |list: &[f64]| match list {
            [] => "–".into(),
            list => short(list.iter().copied().fold(f64::INFINITY, f64::min)),
        };
        let mut row = vec![chip, rates[0].len().to_string()];
        for way in 0..2 {
            row.extend([&rates[way], &gains[way]].into_iter().flat_map(|l| [of(l), least(l)]));
        }
        means.row(row);
    }
    let others = match (&ask.against, others.as_slice()) {
        (None, _) => String::new(),
        (_, []) => " All digests are those of the build before.".into(),
        (_, list) => {
            format!(" All digests are those of the build before but for {}.", list.join(", "))
        }
    };
    let text = format!(
        "Processor seconds of `upset run APP --chip CHIP --scale {} --threads 1`, then seconds on the \
         clock with a thread for each processor (the build before has one thread if it knows no other \
         way), start and end of the program included; medians of {runs} runs.{others}\n\nGeometric \
         means:\n\n{}\nEach:\n\n{}",
        ask.scale(),
        means.text(),
        table.text()
    );
    ask.publish("bench", &text)
}

/// Runs an application; what it took.
fn run(upset: &Path, words: &[&str], about: &mut Option<Run>) -> Outcome<Took> {
    let (text, took) = timed(upset, words)?;
    let this = read(&text).ok_or_else(|| format!("{}: unreadable result", words.join(" ")))?;
    let first = about.get_or_insert_with(|| this.clone());
    match *first == this {
        true => Ok(took),
        false => Err(format!("{}: {this:?}, but another run had {first:?}", words.join(" "))),
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
