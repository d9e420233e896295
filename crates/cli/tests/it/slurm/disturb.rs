//! What can happen to a campaign on a cluster.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use upset_testkit::rng::Rng;

use super::cluster::{Cluster, NODES, Process};
use crate::stdout;

/// A disturbance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The campaign of a task is killed in the middle of what it does.
    Campaign,
    /// A worker of one.
    Worker,
    /// All of a task, as by a machine without memory.
    Task,
    /// Somebody cancels a task.
    Cancel,
    /// Slurm takes a task's node away and queues it again.
    Requeue,
    /// A node is cut off: the controller gives it up, its tasks run on.
    CutOff,
    /// A node loses power.
    PowerLoss,
    /// The daemon of a node dies and comes back: nothing else happens.
    Daemon,
    /// The controller dies and comes back.
    Controller,
}

const KINDS: [Kind; 9] = [
    Kind::Campaign,
    Kind::Worker,
    Kind::Task,
    Kind::Cancel,
    Kind::Requeue,
    Kind::CutOff,
    Kind::PowerLoss,
    Kind::Daemon,
    Kind::Controller,
];

/// How long nodes and the controller are away.
const AWAY: Duration = Duration::from_secs(2);

/// Disturbs a cluster, and keeps count.
pub struct Disturber {
    rng: Rng,
    /// Nodes that come back at a time.
    away: Vec<(usize, Instant)>,
    /// What landed.
    pub landed: BTreeMap<Kind, u32>,
}

impl Disturber {
    pub fn new(seed: u64) -> Disturber {
        Disturber { rng: Rng::new(seed), away: Vec::new(), landed: BTreeMap::new() }
    }

    /// Disturbances that hit something.
    pub fn times(&self) -> u32 {
        self.landed.values().sum()
    }

    /// One disturbance. Kinds take turns, so that none is left to chance.
    pub fn disturb(&mut self, cluster: &mut Cluster) {
        let kind = KINDS[self.times() as usize % KINDS.len()];
        let landed = match kind {
            Kind::Campaign => self.kill_one(cluster, |p| p.command.contains("\ncampaign\n")),
            Kind::Worker => self.kill_one(cluster, |p| p.command.contains("\nworker\n")),
            Kind::Task => self.on_task(cluster, "scancel", &["--full", "--signal=KILL"]),
            Kind::Cancel => self.on_task(cluster, "scancel", &[]),
            Kind::Requeue => self.on_task(cluster, "scontrol", &["requeue"]),
            Kind::CutOff => self.lose_node(cluster, false),
            Kind::PowerLoss => self.lose_node(cluster, true),
            Kind::Daemon => self.restart_daemon(cluster),
            Kind::Controller => {
                cluster.kill_controller();
                sleep(AWAY);
                cluster.start_controller();
                true
            }
        };
        if landed {
            *self.landed.entry(kind).or_default() += 1;
        }
    }

    /// Starts nodes whose time has come, and does what an administrator does with
    /// those that Slurm took out of service after a launch that failed.
    pub fn bring_back(&mut self, cluster: &mut Cluster, all: bool) {
        let now = Instant::now();
        let due: Vec<usize> =
            self.away.iter().filter(|(_, at)| all || *at <= now).map(|(n, _)| *n).collect();
        self.away.retain(|(n, _)| !due.contains(n));
        due.into_iter().for_each(|n| cluster.start_node(n));
        let drained = cluster.slurm("sinfo", &["-h", "-N", "-t", "drain", "-o", "%N"]);
        for name in stdout(&drained).lines() {
            cluster.slurm("scontrol", &["update", &format!("NodeName={name}"), "State=RESUME"]);
        }
    }

    fn kill_one(&mut self, cluster: &Cluster, is_one: impl Fn(&Process) -> bool) -> bool {
        let all: Vec<Process> = cluster.processes().into_iter().filter(is_one).collect();
        let Some(n) = (all.len() as u32).checked_sub(1) else { return false };
        all[self.rng.below(n + 1) as usize].kill();
        true
    }

    /// Does something to a task that runs.
    fn on_task(&mut self, cluster: &Cluster, command: &str, words: &[&str]) -> bool {
        let running =
            cluster.slurm("squeue", &["-h", "-r", "-n", "upset-shard", "-t", "R", "-o", "%F_%K"]);
        let running = stdout(&running);
        let tasks: Vec<&str> = running.lines().collect();
        if tasks.is_empty() {
            return false;
        }
        let task = self.rng.pick(&tasks);
        cluster.slurm(command, &[words, &[task]].concat()).status.success()
    }

    fn lose_node(&mut self, cluster: &mut Cluster, power: bool) -> bool {
        let n = self.rng.below(NODES as u32) as usize;
        if self.away.iter().any(|(m, _)| *m == n) {
            return false;
        }
        let name = format!("n{}", n + 1);
        cluster.kill_node(n);
        if power {
            let here = format!("SLURMD_NODENAME={name}\n");
            let all = cluster.processes();
            all.iter().filter(|p| p.environment.contains(&here)).for_each(Process::kill);
        }
        // The controller would notice by itself after half a minute.
        let node = format!("NodeName={name}");
        let down = ["update", node.as_str(), "State=DOWN", "Reason=lost"];
        let landed = cluster.slurm("scontrol", &down).status.success();
        self.away.push((n, Instant::now() + AWAY));
        landed
    }

    fn restart_daemon(&mut self, cluster: &mut Cluster) -> bool {
        let n = self.rng.below(NODES as u32) as usize;
        if self.away.iter().any(|(m, _)| *m == n) {
            return false;
        }
        cluster.kill_node(n);
        cluster.start_node(n);
        true
    }
}
