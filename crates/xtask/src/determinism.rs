//! `cargo xtask determinism`: every run of an application gives one digest
//! over its outputs, its cycles and every statistic.
//!
//! What goes to standard output depends on the model alone, so that the output
//! of a debug build, or of another machine, can be compared with `diff`.

use upset_apps::App;
use upset_device::{Device, Mode};

use crate::Outcome;
use crate::options::Options;

/// Runs per application.
const RUNS: usize = 20;

/// Runs the command: each run in a process of its own.
pub fn command(words: &[String]) -> Outcome<()> {
    let options = Options::parse(words, RUNS)?;
    if options.child {
        for app in &options.apps {
            println!("{}", one_run(*app, &options)?);
        }
        return Ok(());
    }
    println!("{} scale, {}, {} runs each", options.scale, options.chip_name, options.runs);
    println!("{:<6} {:>9}  DIGEST", "APP", "CYCLES");
    let mut wrong = Vec::new();
    for app in &options.apps {
        let first = options.in_child("determinism", *app)?;
        let mut others = Vec::new();
        for _ in 1..options.runs {
            let again = options.in_child("determinism", *app)?;
            if again != first && !others.contains(&again) {
                others.push(again);
            }
        }
        let (cycles, digest) = first.split_once(' ').unwrap_or(("", &first));
        println!("{:<6} {cycles:>9}  {digest}", app.id());
        for other in &others {
            println!("{:<6} {other:>9}  DIFFERS", "");
        }
        if !others.is_empty() {
            wrong.push(app.id());
        }
    }
    if wrong.is_empty() {
        println!("every application gives one digest");
        return Ok(());
    }
    Err(format!("runs differ: {}", wrong.join(", ")))
}

/// Cycles and digest.
fn one_run(app: &dyn App, options: &Options) -> Outcome<String> {
    let mut device = Device::in_mode(&options.chip, Mode::Timing).map_err(|e| e.to_string())?;
    app.run(&mut device, options.scale, app.default_seed()).map_err(|e| e.to_string())?;
    Ok(format!("{} {}", device.cycles().unwrap_or(0), device.digest()))
}
