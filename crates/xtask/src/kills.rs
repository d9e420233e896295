//! `cargo xtask kills`: campaigns that are killed, run out of room or find
//! their store damaged end with the results of undisturbed ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use upset_testkit::kills::{Harness, Tally};

use crate::overhead::release_build;
use crate::{Outcome, root};

const USAGE: &str = "usage: cargo xtask kills [--rounds n] [--seed n] [--first n] [--jobs n]";
/// Differences after which it is pointless to go on.
const ENOUGH: usize = 5;
/// Set in the process that has file systems of its own.
const INSIDE: &str = "UPSET_KILLS_MAY_MOUNT";

#[derive(Clone, Copy)]
struct Options {
    rounds: u64,
    seed: u64,
    first: u64,
    jobs: usize,
}

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let options = parse(words)?;
    if std::env::var_os(INSIDE).is_none() {
        let upset = release_build()?;
        if let Some(outcome) = inside(&upset, words) {
            return outcome;
        }
        println!("no file system can be mounted here: a full disk is a limit on file sizes");
        return rounds(options, &upset, false);
    }
    let upset = std::env::var_os(INSIDE).map(PathBuf::from).unwrap_or_default();
    rounds(options, &upset, true)
}

/// Runs this program again where it may mount file systems that nobody else
/// sees and that go away with it; `None` where that is not allowed.
fn inside(upset: &Path, words: &[String]) -> Option<Outcome<()>> {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount"]);
        command
    };
    let folder = upset.parent()?;
    let tried = unshare()
        .args(["mount", "-t", "tmpfs", "tmpfs"])
        .arg(folder)
        .stderr(Stdio::null())
        .status();
    if !tried.is_ok_and(|s| s.success()) {
        return None;
    }
    let me = std::env::current_exe().ok()?;
    let status = unshare().arg(me).arg("kills").args(words).env(INSIDE, upset).status();
    Some(match status {
        Ok(s) if s.success() => Ok(()),
        Ok(_) => Err("there are differences".into()),
        Err(e) => Err(format!("cannot run unshare: {e}")),
    })
}

fn rounds(options: Options, upset: &Path, may_mount: bool) -> Outcome<()> {
    let Options { rounds, seed, first, jobs } = options;
    let folder = root().join("target/kills").join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let started = Instant::now();
    let harness = Harness::new(upset, &folder, seed, may_mount)?;
    for (name, time) in harness.campaigns() {
        println!("{:>6} ms  {name}", time.as_millis());
    }
    let next = AtomicU64::new(first);
    let tally = Mutex::new(Tally::default());
    let wrong = Mutex::new(Vec::new());
    let locked = || wrong.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= first + rounds || locked().len() >= ENOUGH {
                        break;
                    }
                    match harness.round(n, &folder) {
                        Ok(t) => {
                            tally.lock().unwrap_or_else(|e| e.into_inner()).add(&t);
                        }
                        Err(e) => {
                            println!("DIFFERENCE in round {n} of seed {seed}: {e}");
                            println!(
                                "  again: cargo xtask kills --seed {seed} --first {n} --rounds 1"
                            );
                            locked().push(n);
                        }
                    }
                    if (n + 1 - first).is_multiple_of(100) {
                        println!("{} rounds, {} s", n + 1 - first, started.elapsed().as_secs());
                    }
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_else(|e| e.into_inner());
    print(&tally);
    let seconds = started.elapsed().as_secs();
    let rounds = next.into_inner().min(first + rounds) - first;
    println!("{rounds} rounds of seed {seed} from {first} on, {seconds} s");
    let wrong = wrong.into_inner().unwrap_or_else(|e| e.into_inner());
    if wrong.is_empty() {
        let _ = std::fs::remove_dir_all(&folder);
        println!("every campaign ended with the store and the results of an undisturbed one");
        return Ok(());
    }
    Err(format!("differences in rounds {wrong:?}; what is left is in {}", folder.display()))
}

fn print(tally: &Tally) {
    println!(
        "{:<40} {:>6} {:>9} {:>9} {:>9}",
        "DISTURBANCE", "TIMES", "ENDED IT", "SURVIVED", "REFUSED"
    );
    for (name, l) in &tally.landed {
        println!("{name:<40} {:>6} {:>9} {:>9} {:>9}", l.times, l.ended, l.survived, l.refused);
    }
    println!("{:<40} {:>6}", "in all", tally.times());
    println!(
        "{} resumed, {} begun anew since there was no store yet",
        tally.resumed, tally.begun_anew
    );
}

fn parse(words: &[String]) -> Outcome<Options> {
    let mut options = Options { rounds: 1000, seed: 1, first: 0, jobs: 2 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value\n\n{USAGE}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} {value}: no number"));
        match word.as_str() {
            "--rounds" => options.rounds = number()?,
            "--seed" => options.seed = number()?,
            "--first" => options.first = number()?,
            "--jobs" => options.jobs = number()?.max(1) as usize,
            other => return Err(format!("no option {other:?}\n\n{USAGE}")),
        }
    }
    Ok(options)
}
