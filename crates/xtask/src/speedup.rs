//! `cargo xtask speedup`: what a campaign costs beside naive injection, for one chip,
//! of applications or of the same as CUDA programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use upset_chip::Vendor;

use crate::options::Options;
use crate::overhead::{processor_seconds, release_build};
use crate::{Outcome, root};

/// Faults per kernel and structure.
const RUNS: usize = 3000;
/// Naive runs per kernel and structure: enough to know what one costs.
const NAIVE: usize = 3;

/// What is broken: registers, the memory of a block, the first cache, the last.
fn structures(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "rf,smem,l1d,l2",
        Vendor::Amd => "vrf,srf,lds,l1v,l2",
    }
}

/// One campaign.
struct Campaign {
    experiments: u64,
    simulated: u64,
    processor: f64,
}

/// Whether the host side of an application is in `upset`, or a CUDA program
/// (`cargo xtask programs build`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum As {
    Application,
    Program,
}

/// `cargo xtask speedup [--programs] [--chip NAME] [--scale small|paper] [--runs n] [APP…]`.
pub fn command(words: &[String]) -> Outcome<()> {
    let (programs, words): (Vec<String>, Vec<String>) =
        words.iter().cloned().partition(|w| w == "--programs");
    let way = if programs.is_empty() { As::Application } else { As::Program };
    let options = Options::of_papers(&words, RUNS)?;
    let upset = release_build()?;
    println!(
        "{}; {} faults per kernel and structure; {}, {} scale; one core, processor time",
        structures(options.chip.chip.vendor),
        options.runs,
        options.chip_name,
        options.scale
    );
    println!(
        "{:<6} {:>11} {:>9} {:>14} {:>10} {:>10} {:>13}",
        "APP", "EXPERIMENTS", "SIMULATED", "NAIVE S EACH", "EXACT S", "SPEED-UP", "INJECTIONS/S"
    );
    let (mut gains, mut rates) = (Vec::new(), Vec::new());
    for app in &options.apps {
        let (exact, naive) = (&["--jobs", "1"], &["--exact", "off", "--jobs", "1"]);
        let naive = run(&upset, &options, way, app.id(), NAIVE, naive)?;
        // Fault-free runs are more: one, or two and one that tells what is hit.
        let fault_free = if way == As::Application { 1 } else { 3 };
        let each = naive.processor / (naive.experiments + fault_free) as f64;
        let exact = run(&upset, &options, way, app.id(), options.runs, exact)?;
        let gain = each * exact.experiments as f64 / exact.processor;
        let rate = exact.experiments as f64 / exact.processor;
        println!(
            "{:<6} {:>11} {:>9} {:>14.3} {:>10.1} {:>9.0}x {:>13.0}",
            app.id(),
            exact.experiments,
            exact.simulated,
            each,
            exact.processor,
            gain,
            rate
        );
        gains.push(gain);
        rates.push(rate);
    }
    let mean =
        |list: &[f64]| (list.iter().map(|x| x.ln()).sum::<f64>() / list.len().max(1) as f64).exp();
    let least = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "geometric mean {:.0}x, {:.0} injections/s; least {:.0}x, {:.0} injections/s",
        mean(&gains),
        mean(&rates),
        least(&gains),
        least(&rates)
    );
    Ok(())
}

fn run(
    upset: &Path,
    options: &Options,
    way: As,
    app: &str,
    runs: usize,
    more: &[&str],
) -> Outcome<Campaign> {
    let store = store(app)?;
    let before = processor_seconds();
    let mut command = Command::new(upset);
    command
        .current_dir(root())
        .args(["campaign", "--chip", &options.chip_name])
        .args(["--structure", structures(options.chip.chip.vendor)])
        .args(["--runs", &runs.to_string(), "--quiet", "--out"])
        .arg(&store)
        .args(more);
    let scale = options.scale.name();
    match way {
        As::Application => command.args(["--app", app, "--scale", scale]),
        As::Program => command.arg("--").arg(format!("target/programs/apps/{app}")).arg(scale),
    };
    let done = command.output().map_err(|e| format!("cannot run upset: {e}"))?;
    let processor = processor_seconds() - before;
    if !done.status.success() {
        return Err(format!("{app}: {}", String::from_utf8_lossy(&done.stderr).trim()));
    }
    let counted = Command::new(upset)
        .args(["export", "--format", "csv"])
        .arg(&store)
        .output()
        .map_err(|e| format!("cannot run upset: {e}"))?;
    let text = String::from_utf8_lossy(&counted.stdout);
    let is_simulated = |line: &&str| line.contains(",simulated,") || line.contains(",converged");
    let (experiments, simulated) =
        (text.lines().skip(1).count() as u64, text.lines().filter(is_simulated).count() as u64);
    let _ = std::fs::remove_file(store);
    Ok(Campaign { experiments, simulated, processor })
}

/// A place for a store that is not there.
fn store(app: &str) -> Outcome<PathBuf> {
    let folder = root().join("target/speedup");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let store = folder.join(format!("{app}.db"));
    let _ = std::fs::remove_file(&store);
    Ok(store)
}
