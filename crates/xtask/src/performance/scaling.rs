//! What grows with what: experiments, problems, workers.

use super::ask::Ask;
use super::memory::watched;
use super::table::{Table, short};
use super::took::{fresh_store, timed};
use crate::Outcome;

/// Faults for each kernel and structure.
const EXPERIMENTS: [u64; 4] = [300, 3000, 30_000, 100_000];
/// The subjects of the papers' single-bit study.
const PAPERS: &str = "studies/papers.toml";
/// An application that is long for itself.
const LONG: &str = "bfs";

/// A table of this page, and what measures it.
type Part = (&'static str, fn(&Ask) -> Outcome<String>);

const PARTS: [Part; 3] =
    [("experiments", experiments), ("problems", problems), ("workers", workers)];

/// `cargo xtask scaling [experiments|problems|workers] --page`.
pub fn command(words: &[String]) -> Outcome<()> {
    let is_part = |word: &&String| PARTS.iter().any(|(name, _)| name == *word);
    let (chosen, rest): (Vec<_>, Vec<_>) = words.iter().partition(is_part);
    let rest: Vec<String> = rest.into_iter().cloned().collect();
    let ask = Ask::read(&rest)?;
    for (name, measure) in PARTS {
        if chosen.is_empty() || chosen.iter().any(|word| *word == name) {
            ask.publish(&format!("scaling {name}"), &measure(&ask)?)?;
        }
    }
    Ok(())
}

fn experiments(ask: &Ask) -> Outcome<String> {
    let mut table =
        Table::new(&["faults for each structure", "experiments", "processor s", "ms each"]);
    let all = if ask.quick { &EXPERIMENTS[..1] } else { &EXPERIMENTS[..] };
    for runs in all {
        let (store, n) = (fresh_store()?, runs.to_string());
        let structures = "rf,smem,l1d,l1t,l2";
        let (_, took) = timed(
            &ask.upset,
            &[
                "campaign",
                "--app",
                "hs",
                "--chip",
                "rtx2060",
                "--scale",
                ask.scale(),
                "--structure",
                structures,
                "--runs",
                &n,
                "--jobs",
                "1",
                "-q",
                "--out",
                &store,
            ],
        )?;
        let count = runs * structures.split(',').count() as u64;
        let each = 1e3 * took.processor / count as f64;
        table.row(vec![n, count.to_string(), short(took.processor), short(each)]);
    }
    Ok(format!("Experiments: hs on rtx2060, five structures, one worker.\n\n{}", table.text()))
}

/// The same applications with other inputs.
fn problems(ask: &Ask) -> Outcome<String> {
    let mut table = Table::new(&[
        "application",
        "small: s",
        "paper: s",
        "small: experiments/s",
        "paper: experiments/s",
    ]);
    let apps = ask.apps("rtx2060");
    let apps = if ask.quick { &apps[..apps.len().min(2)] } else { &apps[..] };
    for app in apps {
        let (mut seconds, mut rates) = (Vec::new(), Vec::new());
        for scale in ["small", "paper"] {
            if ask.quick && scale == "paper" {
                continue;
            }
            let (_, run) = timed(&ask.upset, &["run", app, "--chip", "rtx2060", "--scale", scale])?;
            let store = fresh_store()?;
            let runs = ask.runs.unwrap_or(300).to_string();
            let (_, took) = timed(
                &ask.upset,
                &[
                    "campaign",
                    "--app",
                    app,
                    "--chip",
                    "rtx2060",
                    "--scale",
                    scale,
                    "--structure",
                    "rf,l2",
                    "--kernel",
                    "app",
                    "--runs",
                    &runs,
                    "--jobs",
                    "1",
                    "-q",
                    "--out",
                    &store,
                ],
            )?;
            seconds.push(short(run.processor));
            rates.push(short(2.0 * ask.runs.unwrap_or(300) as f64 / took.processor));
        }
        seconds.resize(2, "–".into());
        rates.resize(2, "–".into());
        table.row([vec![app.clone()], seconds, rates].concat());
    }
    Ok(format!(
        "Problems: a fault-free run on rtx2060, and a campaign over registers and L2 with {} faults \
         each.\n\n{}",
        ask.runs.unwrap_or(300),
        table.text()
    ))
}

fn workers(ask: &Ask) -> Outcome<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let all = || [1, 2, 4, 8, 16, 32, 64].into_iter().take_while(|n| *n <= cores).collect();
    let counts = ask.workers.clone().unwrap_or_else(all);
    let runs = ask.runs.unwrap_or(if ask.quick { 5 } else { 300 }).to_string();
    let mut table = Table::new(&[
        "campaign",
        "workers",
        "s on the clock",
        "processor s",
        "busy",
        "efficiency",
        "peak MB",
        "MB per worker",
    ]);
    // Seconds on the clock of all workers, of the fewest.
    let mut first: [Option<f64>; 2] = [None; 2];
    for jobs in counts {
        for (i, name) in [PAPERS, LONG].into_iter().enumerate() {
            let (store, n) = (fresh_store()?, jobs.to_string());
            let mut words = match i {
                0 => vec!["campaign", PAPERS, "--scale", ask.scale()],
                _ => vec![
                    "campaign",
                    "--app",
                    LONG,
                    "--chip",
                    "gv100",
                    "--scale",
                    ask.scale(),
                    "--structure",
                    "rf,smem,l1d,l1t,l2",
                ],
            };
            words.extend(["--runs", &runs, "--jobs", &n, "-q", "--out", &store]);
            let (took, peak) = watched(&ask.upset, &words)?;
            let fewest = first[i].get_or_insert(took.wall * jobs as f64);
            table.row(vec![
                name.into(),
                n,
                short(took.wall),
                short(took.processor),
                format!("{:.0} %", 100.0 * took.processor / (jobs as f64 * took.wall)),
                format!("{:.0} %", 100.0 * *fewest / (jobs as f64 * took.wall)),
                short(peak),
                short(peak / jobs as f64),
            ]);
        }
    }
    Ok(format!(
        "Workers: {runs} faults for each kernel and structure. Busy is the processor time over the \
         time on the clock of all workers; efficiency is the latter of the fewest workers in the \
         table over that of these. Memory is that of all processes at once, the coordinator's \
         included.\n\n{}",
        table.text()
    ))
}
