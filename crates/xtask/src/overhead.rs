//! `cargo xtask overhead`: what it costs to run an application as an ordinary
//! CUDA program, in its own process behind the runtime stand-in, instead of
//! from the built-in host code.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Outcome, programs, root};

const APP: &str = "pathf";
/// Runs each way; medians are compared.
const RUNS: usize = 7;
const USAGE: &str = "usage: cargo xtask overhead [--chip NAME] [--runs n]";

/// `cargo xtask overhead`.
pub fn command(words: &[String]) -> Outcome<()> {
    let (chip, runs) = parse(words)?;
    let upset = release_build()?;
    programs::command(&["build", "--only", &format!("apps/{APP}")].map(String::from))?;
    let program = root().join(programs::DEFAULT_OUT).join("apps").join(APP);
    let program = program.to_str().ok_or("the path of the program is not text")?;

    let common = ["run", "--chip", &chip, "--json", "-"];
    let built_in = [&common[..], &[APP, "--scale", "paper", "--seed", "1"]].concat();
    let as_program = [&common[..], &["--", program, "paper", "1"]].concat();
    // The first run each way only warms up the machine's caches.
    Measured::take(&upset, &built_in)?;
    Measured::take(&upset, &as_program)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        ours.push(Measured::take(&upset, &built_in)?);
        theirs.push(Measured::take(&upset, &as_program)?);
    }
    let cycles = ours[0].cycles;
    if ours.iter().chain(&theirs).any(|m| m.cycles != cycles) {
        return Err("the runs do not agree about the cycles".into());
    }

    println!("{APP} at paper scale on {chip}, {cycles} cycles, medians of {runs} runs each way");
    println!(
        "{:<22} {:>10} {:>10} {:>8} {:>17}",
        "SECONDS", "BUILT-IN", "PROGRAM", "RATIO", "RATIO OF FASTEST"
    );
    for (name, of) in ROWS {
        let (a, b) = (sorted(&ours, of), sorted(&theirs, of));
        let (middle_a, middle_b) = (a[a.len() / 2], b[b.len() / 2]);
        let (middle, fastest) = (middle_b / middle_a, b[0] / a[0]);
        println!("{name:<22} {middle_a:>10.3} {middle_b:>10.3} {middle:>8.3} {fastest:>17.3}");
    }
    Ok(())
}

type Field = fn(&Measured) -> f64;
const ROWS: [(&str, Field); 3] = [
    ("from start to end", |m| m.wall),
    ("as upset tells", |m| m.told),
    ("processor, user mode", |m| m.user),
];

fn parse(words: &[String]) -> Outcome<(String, usize)> {
    let (mut chip, mut runs) = ("rtx2060".to_string(), RUNS);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value\n\n{USAGE}"));
        match word.as_str() {
            "--chip" => chip.clone_from(value?),
            "--runs" => {
                let n = value?;
                let bad = || format!("--runs {n}: a number from 1 on is needed");
                runs = n.parse().ok().filter(|n| *n > 0).ok_or_else(bad)?;
            }
            other => return Err(format!("no option {other:?}\n\n{USAGE}")),
        }
    }
    Ok((chip, runs))
}

/// Builds `upset` in the folder that this program was built in.
pub fn release_build() -> Outcome<PathBuf> {
    let me = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let target = me.ancestors().nth(2).ok_or("this program is in no build folder")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo)
        .current_dir(root())
        .args(["build", "--release", "--quiet", "--package", "upset-cli", "--target-dir"])
        .arg(target)
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !done.success() {
        return Err("upset does not build".into());
    }
    Ok(target.join("release/upset"))
}

/// One run, in seconds.
struct Measured {
    /// From start to end.
    wall: f64,
    /// What `upset` says. A built-in application's clock starts when the device
    /// is there, a program's when its process starts.
    told: f64,
    /// Processor time of all processes in user mode.
    user: f64,
    cycles: u64,
}

impl Measured {
    fn take(upset: &Path, args: &[&str]) -> Outcome<Measured> {
        let before = upset_fork::children_seconds().0;
        let start = Instant::now();
        let done = Command::new(upset)
            .args(args)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot run {}: {e}", upset.display()))?;
        let wall = start.elapsed().as_secs_f64();
        let user = upset_fork::children_seconds().0 - before;
        if !done.status.success() {
            return Err(format!("{args:?} fails: {}", String::from_utf8_lossy(&done.stderr)));
        }
        let text = String::from_utf8_lossy(&done.stdout);
        let number = |keys: &[&str]| {
            number_after(&text, keys).ok_or_else(|| format!("{args:?} gives no {keys:?}"))
        };
        Ok(Measured {
            wall,
            told: number(&["wall_s"])?,
            user,
            cycles: number(&["total", "cycles"])? as u64,
        })
    }
}

/// The number that follows these keys, one after the other, in JSON text.
fn number_after(text: &str, keys: &[&str]) -> Option<f64> {
    let mut rest = text;
    for key in keys {
        rest = rest.split_once(&format!("\"{key}\": "))?.1;
    }
    rest.split([',', '\n', '}']).next()?.trim().parse().ok()
}

/// Processor seconds of all processes that have ended, in user mode and in the kernel.
pub fn processor_seconds() -> f64 {
    let (user, kernel) = upset_fork::children_seconds();
    user + kernel
}

fn sorted(runs: &[Measured], of: Field) -> Vec<f64> {
    let mut values: Vec<f64> = runs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_behind_their_keys() {
        let text = "{\n \"cycles\": 1,\n \"total\": {\n  \"cycles\": 23\n },\n \"wall_s\": 0.5\n}";
        assert_eq!(number_after(text, &["total", "cycles"]), Some(23.0));
        assert_eq!(number_after(text, &["wall_s"]), Some(0.5));
        assert_eq!(number_after(text, &["total", "launches"]), None);
    }

    #[test]
    fn bad_words_are_explained() {
        let bad = |words: &[&str]| parse(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>());
        assert!(bad(&["--runs", "0"]).unwrap_err().contains("from 1 on"));
        assert!(bad(&["--runs"]).unwrap_err().contains("needs a value"));
        assert!(bad(&["--scale", "paper"]).unwrap_err().contains("--scale"));
    }
}
