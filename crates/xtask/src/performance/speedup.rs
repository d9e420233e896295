//! Campaigns beside naive injection.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::ask::{Ask, is_amd};
use super::table::{Table, geometric_mean, short};
use super::took::{Took, fresh_store, timed};
use crate::Outcome;

const CHIPS: [&str; 5] = ["rtx2060", "gv100", "titan", "h200", "hd7970"];
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

/// What was measured of one application on one chip.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Figures {
    experiments: u64,
    simulated: u64,
    /// Processor seconds of a naive run.
    naive: f64,
    /// And of the whole campaign.
    exact: f64,
    /// The same, of the build before.
    before: Option<f64>,
}

struct Campaign {
    experiments: u64,
    simulated: u64,
    took: Took,
}

/// `cargo xtask speedup [--page] [--at-once N]`.
pub fn command(words: &[String]) -> Outcome<()> {
    let ask = Ask::read(words)?;
    let chips = ask.chips(&CHIPS);
    let subjects: Vec<(&str, String)> = chips
        .iter()
        .flat_map(|chip| ask.apps(chip).into_iter().map(move |app| (chip.as_str(), app)))
        .collect();
    if let ([(chip, app)], true) = (&*subjects, ask.line) {
        let figures = measure(&ask, chip, app)?;
        println!("{}", serde_json::to_string(&figures).map_err(|e| e.to_string())?);
        return Ok(());
    }
    let measured = measure_all(&ask, words, &subjects)?;
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
    for chip in &chips {
        let (mut gains, mut rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let here = subjects.iter().zip(&measured).filter(|((its, _), _)| its == chip);
        for ((_, app), of) in here {
            let rate = of.experiments as f64 / of.exact;
            let ratio = of.before.map(|before| before / of.exact);
            table.row(vec![
                chip.clone(),
                app.clone(),
                of.experiments.to_string(),
                of.simulated.to_string(),
                short(of.naive),
                short(of.exact),
                short(of.naive * rate),
                short(rate),
                ratio.map_or("–".into(), short),
            ]);
            gains.push(of.naive * rate);
            rates.push(rate);
            ratios.extend(ratio);
        }
        let of = |list: &[f64]| geometric_mean(list).map_or("–".into(), short);
        let least = |list: &[f64]| short(list.iter().copied().fold(f64::INFINITY, f64::min));
        let count = rates.len().to_string();
        means.row(vec![
            chip.clone(),
            count,
            of(&gains),
            least(&gains),
            of(&rates),
            least(&rates),
            of(&ratios),
        ]);
    }
    let text = format!(
        "Processor seconds of campaigns with {}, {} scale, {} faults for each kernel and \
         structure: {} (AMD: {}; GTX Titan: {}), one bit each; {} measured at once. A naive run is \
         from cycle 0 to its end.\n\nGeometric means:\n\n{}\nEach:\n\n{}",
        match jobs(&ask) {
            1 => "one worker".to_string(),
            n => format!("{n} workers"),
        },
        ask.scale(),
        runs(&ask),
        structures("rtx2060"),
        structures("hd7970"),
        structures("titan"),
        ask.at_once,
        means.text(),
        table.text()
    );
    ask.publish("speedup", &text)
}

/// Faults for each kernel and structure.
fn runs(ask: &Ask) -> u64 {
    ask.runs.unwrap_or(if ask.quick { 30 } else { RUNS })
}

/// Measures subjects, some at once, each in a process of its own: what the processes
/// below one have used is known together only.
fn measure_all(ask: &Ask, words: &[String], subjects: &[(&str, String)]) -> Outcome<Vec<Figures>> {
    let me = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let one = |(chip, app): &(&str, String)| -> Outcome<Figures> {
        let asked = words.iter().filter(|word| *word != "--page").map(String::as_str);
        let own = ["--line", "--chips", chip, "--apps", app.as_str()];
        let out = Command::new(&me).arg("speedup").args(asked).args(own).output();
        let out = out.map_err(|e| format!("cannot run {}: {e}", me.display()))?;
        let failed = || format!("{app} on {chip}: {}", String::from_utf8_lossy(&out.stderr).trim());
        serde_json::from_slice(&out.stdout).map_err(|_| failed())
    };
    let next = AtomicUsize::new(0);
    let measured = Mutex::new(vec![None; subjects.len()]);
    std::thread::scope(|scope| {
        for _ in 0..ask.at_once {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Relaxed);
                    let Some(subject) = subjects.get(at) else { break };
                    let of = one(subject);
                    measured.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(of);
                }
            });
        }
    });
    let measured = measured.into_inner().unwrap_or_else(PoisonError::into_inner);
    measured.into_iter().flatten().collect()
}

/// Measures one application on one chip.
fn measure(ask: &Ask, chip: &str, app: &str) -> Outcome<Figures> {
    let naive = campaign(&ask.upset, ask, app, chip, NAIVE, &["--exact", "off"])?;
    // Fault-free runs are more: one, or of programs two and one that tells what is hit.
    let fault_free = if ask.programs { 3 } else { 1 };
    let each = naive.took.processor / (naive.experiments + fault_free) as f64;
    let exact = campaign(&ask.upset, ask, app, chip, runs(ask), &[])?;
    let before = match &ask.against {
        Some(other) => Some(campaign(other, ask, app, chip, runs(ask), &[])?.took.processor),
        None => None,
    };
    let Campaign { experiments, simulated, took } = exact;
    Ok(Figures { experiments, simulated, naive: each, exact: took.processor, before })
}

fn campaign(
    upset: &Path,
    ask: &Ask,
    app: &str,
    chip: &str,
    runs: u64,
    more: &[&str],
) -> Outcome<Campaign> {
    let (store, runs, jobs) = (fresh_store()?, runs.to_string(), jobs(ask).to_string());
    let program = format!("{PROGRAMS}/{app}");
    let mut words = vec!["campaign", "--chip", chip, "--structure", structures(chip)];
    words.extend(["--runs", &runs, "--jobs", &jobs, "-q", "--out", &store]);
    words.extend(more);
    match ask.programs {
        false => words.extend(["--app", app, "--scale", ask.scale()]),
        true => words.extend(["--", &program, ask.scale()]),
    }
    let (_, took) = timed(upset, &words)?;
    let (text, _) = timed(upset, &["export", "--format", "csv", &store])?;
    let _ = std::fs::remove_file(&store);
    let (experiments, simulated) = count(&text);
    Ok(Campaign { experiments, simulated, took })
}

/// Workers of a campaign: what is counted is the time of all of them.
fn jobs(ask: &Ask) -> usize {
    ask.workers.as_ref().and_then(|list| list.first().copied()).unwrap_or(1)
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
