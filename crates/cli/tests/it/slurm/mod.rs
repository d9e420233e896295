//! `upset slurm` on a real cluster of four nodes, which is disturbed.

mod cluster;
mod config;
mod disturb;
mod fake;
mod page;
mod script;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::{code, stderr, stdout};
use cluster::{Cluster, Process, processes};
use disturb::Disturber;

/// What is tried.
struct Trial {
    apps: &'static str,
    runs: u32,
    /// Otherwise every experiment is run from its start, and shards take longer.
    exact: bool,
    disturbances: u32,
    /// Between disturbances.
    pause: Duration,
    most: Duration,
    seed: u64,
}

/// Jobs of a campaign in a folder of their own.
struct Campaign {
    cluster: Cluster,
    place: TempDir,
}

const SHARDS: &str = "64";

/// Disturbances between two looks at the status.
const LOOK_EVERY: u32 = 5;

impl Campaign {
    fn new(prefix: &Path, trial: &Trial) -> Campaign {
        let place = tempfile::tempdir().expect("a folder");
        let spec = format!(
            "apps = {}\nchips = [\"rtx2060\"]\nstructures = [\"rf\", \"smem\", \"l2\"]\nruns = {}\n\
             exact = {}\n",
            trial.apps, trial.runs, trial.exact
        );
        fs::write(place.path().join("study.toml"), spec).expect("written");
        Campaign { cluster: Cluster::start(prefix), place }
    }

    fn upset(&self, words: &[&str]) -> Output {
        let mut command = self.cluster.command(env!("CARGO_BIN_EXE_upset"));
        command.args(words).current_dir(self.place.path()).output().expect("upset starts")
    }

    fn submit(&self) -> Output {
        self.upset(&["slurm", "submit", "study.toml", "--shards", SHARDS])
    }

    fn status(&self) -> Option<Value> {
        let o = self.upset(&["slurm", "status", "study.slurm", "--json", "-"]);
        assert!(code(&o) < 2, "{}", stderr(&o));
        serde_json::from_str(&stdout(&o)).ok()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.path().join("study.slurm").join(name)
    }
}

/// How busy the campaign keeps two cores, whoever else is at work on them: looks
/// several times a second for threads of it that run or could.
struct Busy {
    enough: Arc<AtomicBool>,
    looking: JoinHandle<(u64, u64)>,
}

impl Busy {
    fn watch(mark: String) -> Busy {
        let enough = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&enough);
        let looking = spawn(move || {
            let (mut busy, mut all) = (0, 0);
            while !end.load(Ordering::Relaxed) {
                sleep(Duration::from_millis(200));
                let is_task = |p: &Process| {
                    p.command.contains("\ncampaign\n") || p.command.contains("\nworker\n")
                };
                let tasks = processes(&mark).into_iter().filter(is_task);
                busy += tasks.map(|p| p.ready() as u64).sum::<u64>().min(2);
                all += 2;
            }
            (busy, all)
        });
        Busy { enough, looking }
    }

    fn percent(self) -> f64 {
        self.enough.store(true, Ordering::Relaxed);
        let (busy, all) = self.looking.join().expect("numbers");
        100.0 * busy as f64 / all as f64
    }
}

/// Disturbs a campaign of 64 shards until it is done all the same; with more runs
/// where the machine is so fast that it is done before.
fn run(mut trial: Trial) {
    let Some(prefix) = cluster::unpacked() else { return };
    while !disturbed(&prefix, &trial) {
        trial.runs *= 3;
        assert!(trial.runs < 100_000, "too little was disturbed");
    }
}

/// Whether it was disturbed as often as it was to be.
fn disturbed(prefix: &Path, trial: &Trial) -> bool {
    let mut campaign = Campaign::new(prefix, trial);
    let o = campaign.upset(&["campaign", "study.toml", "-q", "--out", "whole.db"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let (started, busy) = (Instant::now(), Busy::watch(campaign.cluster.mark()));
    let o = campaign.submit();
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    // Arrays of this cluster have at most 50 tasks.
    assert!(
        stdout(&o).contains("shards 1-50") && stdout(&o).contains("each + 50"),
        "{}",
        stdout(&o)
    );
    let mut disturber = Disturber::new(trial.seed);
    let (mut submissions, mut looks) = (1, 0);
    loop {
        if started.elapsed() > trial.most {
            let status = stdout(&campaign.upset(&["slurm", "status", "study.slurm"]));
            let told = format!("{status}\n{:?}", disturber.landed);
            panic!("not done after {:?}\n{told}\n{}", trial.most, campaign.cluster.state());
        }
        sleep(trial.pause);
        let disturb = disturber.times() < trial.disturbances;
        disturber.bring_back(&mut campaign.cluster, !disturb);
        if disturb {
            disturber.disturb(&mut campaign.cluster);
        }
        // Looking at all stores takes longer than the pause.
        looks += 1;
        if disturb && looks % LOOK_EVERY != 0 {
            continue;
        }
        let Some(status) = campaign.status() else { continue };
        if status["merge"] == "done" {
            break;
        }
        // The controller may be away.
        let held = status["held"].as_array().is_some_and(|tasks| !tasks.is_empty());
        let needs_help = held || status["merge"] == "failed" || status["merge"] == "lost";
        if needs_help && status["no_queue"].is_null() {
            submissions += u32::from(code(&campaign.submit()) == 0);
        }
    }
    let (busy, wall) = (busy.percent(), started.elapsed());
    println!(
        "64 shards, {} disturbances {:?}, {submissions} submissions, {:.0} s; kept two cores \
         {busy:.0} % busy",
        disturber.times(),
        disturber.landed,
        wall.as_secs_f64(),
    );
    let restarts: u64 = campaign.status().map_or(0, |s| {
        s["shards"].as_array().into_iter().flatten().filter_map(|s| s["restarts"].as_u64()).sum()
    });
    println!("{restarts} restarts of tasks");
    let whole = fs::read(campaign.place.path().join("whole.db")).expect("a store");
    assert!(fs::read(campaign.file("merged.db")).expect("a store") == whole, "another store");
    for name in ["report.txt", "report.json", "report.html"] {
        assert!(fs::metadata(campaign.file(name)).is_ok_and(|m| m.len() > 500), "{name}");
    }
    // Nothing is left to do.
    let o = campaign.submit();
    assert!(stdout(&o).contains("nothing is left to submit"), "{}{}", stdout(&o), stderr(&o));
    restarts > 0 && disturber.times() >= trial.disturbances
}

#[test]
fn a_disturbed_campaign_on_a_cluster_ends_as_an_undisturbed_one() {
    run(Trial {
        apps: "[\"va\", \"sp\"]",
        runs: 300,
        exact: true,
        disturbances: 9,
        pause: Duration::from_millis(1500),
        most: Duration::from_secs(400),
        seed: 1,
    });
}

/// `cargo nextest run -p upset-cli --run-ignored only fifty_disturbances --no-capture`
#[test]
#[ignore = "takes many minutes"]
fn fifty_disturbances() {
    run(Trial {
        apps: "[\"va\", \"sp\", \"hs\", \"lud\"]",
        runs: 1500,
        exact: false,
        disturbances: 54,
        pause: Duration::from_secs(2),
        most: Duration::from_secs(3000),
        seed: 2,
    });
}
