//! Ways to disturb a campaign from outside.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use super::disk::Disk;
use super::moment::Moment;
use super::process::{Ended, OverLimit, Running, Starter};
use crate::Rng;

/// A way to disturb a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disturbance {
    /// SIGKILL to the coordinator.
    Coordinator,
    /// SIGKILL to workers.
    Worker,
    /// SIGKILL to processes that workers forked.
    Forked,
    /// SIGINT or SIGTERM to the coordinator.
    Interrupt,
    /// Two of them.
    InterruptTwice,
    /// The disk is full.
    DiskFull,
    /// A limit on the size of files.
    FileLimit,
    /// The same, with its signal.
    FileLimitSignal,
    /// SIGKILL to the coordinator (or its end), then damage to the files.
    Damage,
}

/// Kinds and how often they are drawn where there is no disk to fill.
const WEIGHTS: [(Disturbance, u32); 8] = [
    (Disturbance::Coordinator, 5),
    (Disturbance::Worker, 3),
    (Disturbance::Forked, 3),
    (Disturbance::Interrupt, 2),
    (Disturbance::InterruptTwice, 1),
    (Disturbance::FileLimit, 1),
    (Disturbance::FileLimitSignal, 1),
    (Disturbance::Damage, 5),
];

impl Disturbance {
    /// Draws a kind. A disk that can be filled is filled every other time.
    pub fn draw(rng: &mut Rng, can_be_filled: bool) -> Disturbance {
        if can_be_filled && rng.below(2) == 0 {
            return Disturbance::DiskFull;
        }
        let mut left = rng.below(WEIGHTS.iter().map(|(_, w)| w).sum());
        for (kind, weight) in WEIGHTS {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return kind,
            }
        }
        Disturbance::Coordinator
    }

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Disturbance::Coordinator => "SIGKILL to the coordinator",
            Disturbance::Worker => "SIGKILL to workers",
            Disturbance::Forked => "SIGKILL to workers' forked children",
            Disturbance::Interrupt => "SIGINT or SIGTERM to the coordinator",
            Disturbance::InterruptTwice => "SIGINT or SIGTERM twice",
            Disturbance::DiskFull => "disk full",
            Disturbance::FileLimit => "file size limit",
            Disturbance::FileLimitSignal => "file size limit, with its signal",
            Disturbance::Damage => "damage",
        }
    }

    /// How the campaign has to be started for it.
    pub fn over_limit(self) -> OverLimit {
        match self {
            Disturbance::FileLimitSignal => OverLimit::Kills,
            _ => OverLimit::Fails,
        }
    }

    /// Disturbs a campaign; whether it came in time.
    pub fn strike(
        self,
        rng: &mut Rng,
        running: &mut Running,
        starter: &Starter<'_>,
        disk: Option<&Disk>,
        (store, time): (&Path, Duration),
    ) -> Result<bool, String> {
        let moment = match self == Disturbance::Damage && rng.below(3) == 0 {
            true => Moment::while_writing(rng),
            false => Moment::draw(rng, time),
        };
        if self == Disturbance::Damage && rng.below(5) == 0 {
            // A finished store may be damaged too.
            return running.wait().map(|_| true);
        }
        if !moment.wait(running, store) {
            return Ok(false);
        }
        match self {
            Disturbance::Coordinator | Disturbance::Damage => {
                running.kill();
                Ok(true)
            }
            Disturbance::Worker | Disturbance::Forked => Ok(kill_some(self, rng, running, starter)),
            Disturbance::Interrupt | Disturbance::InterruptTwice => {
                let signal = rng.pick(&[Signal::INT, Signal::TERM]);
                while !running.listens_to(signal) {
                    if running.is_over() {
                        return Ok(false);
                    }
                    sleep(Duration::from_micros(200));
                }
                let sent = starter.signal(running.pid(), signal);
                if self == Disturbance::InterruptTwice {
                    // Close together they are one, later the second ends at once.
                    let apart = rng.pick(&[0, 510_000]) + rng.u64() % 3000;
                    sleep(Duration::from_micros(apart));
                    starter.signal(running.pid(), signal);
                }
                Ok(sent)
            }
            Disturbance::DiskFull => match disk {
                Some(disk) => disk.fill(rng.below(24 << 10) as usize).map(|()| true),
                None => Ok(false),
            },
            Disturbance::FileLimit | Disturbance::FileLimitSignal => {
                Ok(running.limit_files(1024 + u64::from(rng.below(64 << 10))))
            }
        }
    }

    /// Whether a campaign may end like this when it was disturbed in time;
    /// `Some(true)` when that is the end of an unfinished one.
    pub fn allows(self, ended: Ended, said: &str) -> Option<bool> {
        let kept = said.contains("everything before this is kept") && said.contains("--resume");
        let begun = said.contains("nothing is kept yet");
        match (self, ended) {
            (_, Ended::Code(0)) => Some(false),
            (Disturbance::Coordinator | Disturbance::Damage, Ended::Signal(9)) => Some(true),
            (Disturbance::Interrupt, Ended::Code(130)) if said.contains("--resume") => Some(true),
            (Disturbance::InterruptTwice, Ended::Code(130)) => Some(true),
            (Disturbance::DiskFull | Disturbance::FileLimit, Ended::Code(2)) if kept || begun => {
                Some(true)
            }
            (Disturbance::FileLimitSignal, Ended::Signal(25)) => Some(true),
            _ => None,
        }
    }
}

/// Kills one to three workers or their children, as they come along.
fn kill_some(
    kind: Disturbance,
    rng: &mut Rng,
    running: &mut Running,
    starter: &Starter<'_>,
) -> bool {
    let mut wanted = 1 + rng.below(3);
    let mut any = false;
    while wanted > 0 && !running.is_over() {
        let alive = starter.alive();
        let of_coordinator = |pid| alive.iter().any(|p| p.pid == pid && p.parent == running.pid());
        let victims: Vec<i32> = alive
            .iter()
            .filter(|p| match kind {
                Disturbance::Worker => p.parent == running.pid(),
                _ => of_coordinator(p.parent),
            })
            .map(|p| p.pid)
            .collect();
        if victims.is_empty() {
            sleep(Duration::from_micros(200));
            continue;
        }
        if starter.signal(rng.pick(&victims), Signal::KILL) {
            any = true;
            wanted -= 1;
            sleep(Duration::from_micros(rng.u64() % 20_000));
        }
    }
    any
}
