//! `cargo xtask timing`: cycles on the model beside cycles on an H200.

mod apps;
mod bench;
mod counted;
mod counts;
mod file;
mod frame;
mod hardware;
mod line;
mod median;
mod model;
mod patched;
mod profile;
mod score;
pub use score::spearman;
mod table;
mod words;

use std::path::Path;

use upset_device::{Mode, journal};

use crate::{Outcome, root};
use bench::{Bench, Group};
use file::write;
use hardware::Recording;
use line::{Line, print};
use model::{ARCH, device};

const USAGE: &str = "usage: cargo xtask timing [--functional] [FILTER] | counts [FILTER] | prepare DIR | take DIR \
     | prepare-counts DIR | take-counts DIR…";
/// What the hardware gave.
const RECORDED: &str = "oracles/timing/sm_90.toml";
/// What its counters gave for the applications' kernels.
const COUNTED: &str = "oracles/counters/apps.sm_90.tsv";

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => compare(Mode::Timing, ""),
        ["--functional"] => compare(Mode::Functional, ""),
        ["counts"] => counts::compare(&recorded()?, ""),
        ["counts", filter] => counts::compare(&recorded()?, filter),
        ["prepare", dir] => prepare(Path::new(dir)),
        ["take", dir] => take(Path::new(dir)),
        ["prepare-counts", dir] => prepare_counts(Path::new(dir)),
        ["take-counts", ref dirs @ ..] if !dirs.is_empty() => {
            let dirs: Vec<&Path> = dirs.iter().map(|dir| Path::new(*dir)).collect();
            write(&root().join(COUNTED), counted::text(&dirs)?.as_bytes())
        }
        [filter] if !filter.starts_with('-') => compare(Mode::Timing, filter),
        _ => Err(USAGE.into()),
    }
}

/// Every micro-benchmark, compiled kernels first.
fn benches() -> Vec<Bench> {
    let mut all = table::rows();
    all.extend(patched::rows());
    all
}

/// Writes what each benchmark's host does, for the recording program.
fn prepare(dir: &Path) -> Outcome<()> {
    std::fs::create_dir_all(dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    let all = benches();
    for bench in &all {
        let mut device = device(Mode::Functional)?;
        device.start_journal();
        bench.run(&mut device, ARCH)?;
        write_journal(dir, &bench.name, &device.take_journal())?;
    }
    for (name, events) in hardware::extras()?.into_iter().chain(apps::journals()?) {
        write_journal(dir, &name, &events)?;
    }
    println!("{} micro-benchmarks and the applications", all.len());
    Ok(())
}

/// Writes what the applications' hosts do, for the recording program.
fn prepare_counts(dir: &Path) -> Outcome<()> {
    std::fs::create_dir_all(dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    for (name, events) in apps::journals()? {
        write_journal(dir, &name, &events)?;
    }
    Ok(())
}

fn write_journal(dir: &Path, name: &str, events: &[journal::Event]) -> Outcome<()> {
    write(&dir.join(format!("{name}.journal")), &journal::encode(events))
}

/// Takes a recording into the repository.
fn take(dir: &Path) -> Outcome<()> {
    let text = hardware::take(dir, &benches())?;
    write(&root().join(RECORDED), text.as_bytes())
}

fn recorded() -> Outcome<Recording> {
    Recording::load(&root().join(RECORDED))
}

/// Runs everything on the model and prints it beside the hardware's numbers.
fn compare(mode: Mode, filter: &str) -> Outcome<()> {
    let recording = recorded()?;
    let mut micro: Vec<(Group, Line)> = Vec::new();
    let mut kernels = Vec::new();
    println!("{:<34} {:>12} {:>12} {:>8}", "MICRO-BENCHMARK", "H200", "MODEL", "ERROR");
    for group in Group::ALL {
        for bench in benches().iter().filter(|b| b.group == group && b.name.contains(filter)) {
            let Some(measured) = recording.micro.get(&bench.name) else { continue };
            let mut device = device(mode)?;
            let bytes = bench.run(&mut device, ARCH)?;
            let line = Line {
                name: bench.name.clone(),
                hardware: measured.cycles,
                model: bench.value(&bytes)?,
            };
            print(&line, bench.unit);
            micro.push((group, line));
            if let (Some(hardware), Some(model)) = (measured.kernel, apps::model_cycles(&device)) {
                let name = bench.name.clone();
                kernels.push(Line { name, hardware, model: model as f64 });
            }
        }
    }
    println!("\n{:<34} {:>12} {:>12} {:>8}", "WHOLE KERNEL", "H200", "MODEL", "ERROR");
    kernels.iter().for_each(|line| print(line, "cycles"));
    let apps = apps::lines(&recording, mode, filter)?;
    println!();
    let mut all: Vec<&Line> = Vec::new();
    for group in Group::ALL {
        let lines: Vec<&Line> = micro.iter().filter(|(g, _)| *g == group).map(|(_, l)| l).collect();
        score::print(group.name(), &lines);
        all.extend(lines);
    }
    score::print("micro-benchmarks", &all);
    score::print("whole kernels", &kernels.iter().collect::<Vec<_>>());
    let lines: Vec<&Line> = apps.iter().collect();
    score::print("applications", &lines);
    all.extend(lines);
    score::print("all", &all);
    Ok(())
}
