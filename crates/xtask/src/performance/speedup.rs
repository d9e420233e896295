//! Campaigns beside naive injection.

use std::path::Path;

use super::ask::{Ask, is_amd};
use super::table::{Table, geometric_mean, short};
use super::took::{Took, fresh_store, timed};
use crate::Outcome;

const CHIPS: [&str; 4] = ["rtx2060", "gv100", "titan", "hd7970"];
/// Faults for each kernel and structure.
const RUNS: u64 = 3000;
/// Where `cargo xtask programs build` puts applications.
const PROGRAMS: &str = "target/programs/apps";
/// Naive runs for each kernel and structure: enough to know what one costs.
const NAIVE: u64 = 2;

/// Five structures: those of the papers.
fn structures(chip: &str) -> &'static str {
    match (is_amd(chip), chip) {
        (true, _) => "vrf,srf,lds,l1v,l2",
        // Without L1 data for anything but local memory.
        (false, "titan" | "k40") => "rf,smem,l1t,l1c,l2",
        _ => "rf,smem,l1d,l1t,l2",
    }
}

struct Campaign {
    experiments: u64,
    simulated: u64,
    took: Took,
}

/// `cargo xtask speedup [--page]`.
pub fn command(words: &[String]) -> Outcome<()> {
    let ask = Ask::read(words)?;
    let runs = ask.runs.unwrap_or(if ask.quick { 30 } else { RUNS });
    let mut table = Table::new(&[
        "chip",
        "application",
        "experiments",
        "simulated",
        "seconds naive, each",
        "seconds exact, all",
        "times naive",
        "experiments per second and core",
        "times the speed before",
    ]);
    let mut means = Table::new(&[
        "chip",
        "applications",
        "times naive",
        "least",
        "experiments per second and core",
        "least",
        "times the speed before",
    ]);
    for chip in ask.chips(&CHIPS) {
        let (mut gains, mut rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for app in ask.apps(&chip) {
            let naive = campaign(&ask.upset, &ask, &app, &chip, NAIVE, &["--exact", "off"])?;
            // Fault-free runs are more: one, or of programs two and one that tells what is hit.
            let fault_free = if ask.programs { 3 } else { 1 };
            let each = naive.took.processor / (naive.experiments + fault_free) as f64;
            let exact = campaign(&ask.upset, &ask, &app, &chip, runs, &[])?;
            let ratio = match &ask.against {
                Some(other) => {
                    let before = campaign(other, &ask, &app, &chip, runs, &[])?;
                    Some(before.took.processor / exact.took.processor)
                }
                None => None,
            };
            let rate = exact.experiments as f64 / exact.took.processor;
            table.row(vec![
                chip.clone(),
                app,
                exact.experiments.to_string(),
                exact.simulated.to_string(),
                short(each),
                short(exact.took.processor),
                short(each * rate),
                short(rate),
                ratio.map_or("–".into(), short),
            ]);
            gains.push(each * rate);
            rates.push(rate);
            ratios.extend(ratio);
        }
        let of = |list: &[f64]| geometric_mean(list).map_or("–".into(), short);
        let least = |list: &[f64]| short(list.iter().copied().fold(f64::INFINITY, f64::min));
        let count = rates.len().to_string();
        means.row(vec![
            chip,
            count,
            of(&gains),
            least(&gains),
            of(&rates),
            least(&rates),
            of(&ratios),
        ]);
    }
    let text = format!(
        "Processor seconds of campaigns with one worker, {} scale, {runs} faults for each kernel and \
         structure: {} (AMD: {}; GTX Titan: {}), one bit each. A naive run is from cycle 0 to its end.\n\n\
         Geometric means:\n\n{}\nEach:\n\n{}",
        ask.scale(),
        structures("rtx2060"),
        structures("hd7970"),
        structures("titan"),
        means.text(),
        table.text()
    );
    ask.publish("speedup", &text)
}

fn campaign(
    upset: &Path,
    ask: &Ask,
    app: &str,
    chip: &str,
    runs: u64,
    more: &[&str],
) -> Outcome<Campaign> {
    let (store, runs) = (fresh_store()?, runs.to_string());
    let program = format!("{PROGRAMS}/{app}");
    let mut words = vec!["campaign", "--chip", chip, "--structure", structures(chip)];
    words.extend(["--runs", &runs, "--jobs", "1", "-q", "--out", &store]);
    words.extend(more);
    match ask.programs {
        false => words.extend(["--app", app, "--scale", ask.scale()]),
        true => words.extend(["--", &program, ask.scale()]),
    }
    let (_, took) = timed(upset, &words)?;
    let (text, _) = timed(upset, &["export", "--format", "csv", &store])?;
    let (experiments, simulated) = count(&text);
    Ok(Campaign { experiments, simulated, took })
}

/// Rows of a table of experiments, and those that were runs of their own.
fn count(csv: &str) -> (u64, u64) {
    let rows = || csv.lines().skip(1);
    let is_simulated = |line: &&str| line.contains(",simulated,") || line.contains(",converged");
    (rows().count() as u64, rows().filter(is_simulated).count() as u64)
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs_of_their_own_are_counted() {
        let csv = "class,how,x\nsdc,simulated,1\nmasked,untouched,1\nmasked,converged later,1\n";
        assert_eq!(super::count(csv), (3, 2));
    }
}
