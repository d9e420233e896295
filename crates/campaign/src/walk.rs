//! The worker's walk: one fault-free run that ghosts follow, and the runs that
//! leave it.
//!
//! The worker is a single-threaded process. Where a ghost must leave, or where
//! a run starts whose bits cannot be followed, it forks: the child becomes that
//! run, comes to its end and tells its outcome through a pipe. The worker goes
//! on walking while there is a processor for it.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use upset_device::{Look, Machine, Pauses, Seen};
use upset_fork::{Forked, Status, exit_now, fork};
use upset_state::ghosts::{Faded, Fortune};
use upset_state::{Change, Ghosts, Site};
use upset_trial::{End, Outcome};

use crate::CampaignError;
use crate::converge::{Convergence, Notes};
use crate::wire::{Job, ToCoordinator};
use crate::worker::{Judge, Line};

/// Forked runs that have not been heard.
struct Family {
    /// Processes at once, this one included unless it waits.
    most: usize,
    running: Vec<(upset_fork::Child, u64, io::PipeReader)>,
    processor_seconds: u64,
    /// In a child: where its outcome goes.
    pipe: Option<io::PipeWriter>,
}

type Shared = Arc<Mutex<Family>>;

fn locked(family: &Shared) -> std::sync::MutexGuard<'_, Family> {
    family.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Family {
    /// Makes this run another process's; true in that process.
    fn split(&mut self, id: u64) -> bool {
        match self.try_split(id) {
            Ok(child) => child,
            Err(e) => {
                Line.say(&ToCoordinator::Failed { message: format!("cannot fork: {e}") });
                std::process::exit(4);
            }
        }
    }

    fn try_split(&mut self, id: u64) -> io::Result<bool> {
        let (reader, writer) = io::pipe()?;
        let me = std::process::id();
        match fork()? {
            Forked::Child => {
                drop(reader);
                if !upset_fork::die_with_parent(me) {
                    exit_now(1);
                }
                upset_fork::limit_processor_seconds(self.processor_seconds);
                self.running.clear();
                self.pipe = Some(writer);
                Ok(true)
            }
            Forked::Parent(child) => {
                drop(writer);
                self.running.push((child, id, reader));
                self.hear(self.most)?;
                Ok(false)
            }
        }
    }

    /// Waits until fewer than `most` run, and hears all that have ended.
    fn hear(&mut self, most: usize) -> io::Result<()> {
        while !self.running.is_empty() {
            let wait = self.running.len() >= most;
            let Some((pid, status)) = upset_fork::wait_any(wait)? else { break };
            if let Some(at) = self.running.iter().position(|(child, ..)| child.pid() == pid) {
                let (_, id, reader) = self.running.swap_remove(at);
                let (outcome, killed) = self.outcome(reader, status);
                Line.say(&ToCoordinator::Done { id, outcome: Box::new(outcome), killed });
            }
        }
        Ok(())
    }

    fn outcome(&self, mut reader: io::PipeReader, status: Status) -> (Outcome, bool) {
        let mut text = Vec::new();
        let read = reader.read_to_end(&mut text);
        match read.ok().and_then(|_| serde_json::from_slice::<Outcome>(&text).ok()) {
            Some(outcome) => (outcome, false),
            None if status.was_too_long() => {
                let seconds = self.processor_seconds;
                let text = format!("the host used more than {seconds} s of processor time");
                (Outcome::tool_error(text), false)
            }
            None => {
                let text = format!("the run's process ended with {status:?}");
                (Outcome::tool_error(text), status.was_killed())
            }
        }
    }

    /// Ends a child: tells its outcome.
    fn tell(&mut self, outcome: &Outcome) -> ! {
        let told = match (&mut self.pipe, serde_json::to_vec(outcome)) {
            (Some(pipe), Ok(text)) => pipe.write_all(&text).is_ok(),
            _ => false,
        };
        exit_now(if told { 0 } else { 1 })
    }
}

/// Starts runs whose bits cannot be followed.
struct Starts {
    jobs: VecDeque<Job>,
    family: Shared,
    convergence: Convergence,
}

impl Pauses for Starts {
    fn next(&self) -> u64 {
        self.jobs.front().map_or(u64::MAX, |j| j.start)
    }

    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        // A ghost that left is a run of its own: nothing starts from it.
        if locked(&self.family).pipe.is_some() {
            std::mem::forget(std::mem::take(&mut self.jobs));
        }
        while let Some(job) = next_if(&mut self.jobs, |job| job.start <= cycle) {
            if locked(&self.family).split(job.id) {
                // Left as they are: giving them back would copy their pages first.
                std::mem::forget(std::mem::take(&mut self.jobs));
                self.convergence.leave(&job.changes);
                return job.changes;
            }
        }
        Vec::new()
    }
}

/// The first job, if it is so.
fn next_if(jobs: &mut VecDeque<Job>, so: impl Fn(&Job) -> bool) -> Option<Job> {
    jobs.front().is_some_and(so).then(|| jobs.pop_front()).flatten()
}

/// The bits of a job that can be followed: all flipped at one cycle.
fn as_ghost(job: &Job) -> Option<(u64, Vec<Site>)> {
    let mut sites = Vec::new();
    for (cycle, change) in &job.changes {
        match change {
            Change::Flip(site) if *cycle == job.start && Machine::can_haunt(*site) => {
                sites.push(*site);
            }
            _ => return None,
        }
    }
    Some((job.start, sites))
}

/// The bit that a job's first change hits, where that is to be told.
fn look_of(job: &Job) -> Option<Look> {
    let (cycle, change) = job.changes.first().filter(|_| job.look)?;
    Some(Look { id: job.id, cycle: *cycle, site: change.site() })
}

/// Whether a run can be followed by its differences.
pub(crate) fn can_follow(job: &Job) -> bool {
    as_ghost(job).is_some()
}

/// Carries out jobs in one walk.
pub(crate) fn walk(
    jobs: Vec<Job>,
    most: usize,
    judge: &Judge<'_>,
    notes: Notes,
    panicked: &dyn Fn() -> End,
) -> Result<(), CampaignError> {
    let family = Arc::new(Mutex::new(Family {
        most: most.max(1),
        running: Vec::new(),
        processor_seconds: judge.setup.processor_seconds,
        pipe: None,
    }));
    let mut device = judge.device()?;
    let own = Arc::clone(&family);
    let tell = move |outcome: Outcome| locked(&own).tell(&outcome);
    let convergence = judge.convergence(notes, Box::new(tell));
    device.on_check(convergence.checks());
    let looks: Vec<Look> = jobs.iter().filter_map(look_of).collect();
    let (followed, mut others): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(can_follow);
    let ids: Vec<u64> = followed.iter().map(|job| job.id).collect();
    let mut ghosts = Ghosts::of(followed.iter().filter_map(as_ghost).collect());
    others.sort_by_key(|job| (job.start, job.id));
    let mut others = VecDeque::from(others);
    // What changes in cycle 0 changes before the host's first copies, which
    // have that cycle as well: before the run.
    while let Some(job) = next_if(&mut others, |job| job.start == 0) {
        if locked(&family).split(job.id) {
            for (cycle, change) in &job.changes {
                device.plan(*cycle, *change);
            }
            convergence.leave(&job.changes);
            others.clear();
            ghosts.clear_all();
        }
    }
    device.on_pause(Box::new(Starts {
        jobs: others,
        family: Arc::clone(&family),
        convergence: convergence.clone(),
    }));
    let own = Arc::clone(&family);
    let say = move |id: u64, seen: Seen| {
        // A run that has left tells its outcome only.
        if locked(&own).pipe.is_none() {
            Line.say(&ToCoordinator::Seen { id, seen: Box::new(seen) });
        }
    };
    device.look(looks, Arc::new(Mutex::new(say)));
    let own = Arc::clone(&family);
    let part = move |ghost: u32, _: u64| match followed.get(ghost as usize) {
        Some(job) => {
            let left = locked(&own).split(job.id);
            if left {
                convergence.leave(&job.changes);
            }
            left
        }
        None => false,
    };
    device.haunt(ghosts, Box::new(part));
    let ran = catch_unwind(AssertUnwindSafe(|| judge.run(&mut device)));
    if locked(&family).pipe.is_some() {
        let outcome = judge.outcome(&mut device, ran.map_err(|_| panicked()));
        locked(&family).tell(&outcome);
    }
    match ran {
        Ok(Ok(_)) => {}
        Ok(Err(e)) => return Err(e.into()),
        Err(_) => {
            return Err(CampaignError::Workers(match panicked() {
                End::Tool(text) => text,
                _ => String::new(),
            }));
        }
    }
    let (cycles, digest) = (device.cycles().unwrap_or(0), device.outputs().digest());
    if (cycles, digest.as_str()) != (judge.setup.cycles, judge.setup.output_digest.as_str()) {
        return Err(CampaignError::Workers("the fault-free run was another one".into()));
    }
    let lost = |e: io::Error| CampaignError::Workers(format!("lost a run: {e}"));
    if let Some(ghosts) = device.ghosts() {
        for (ghost, id) in ids.iter().enumerate() {
            let ghost = ghost as u32;
            if ghosts.fortune(ghost) != Fortune::Left {
                let how = match ghosts.faded(ghost) {
                    Faded::Untouched => "untouched",
                    Faded::Overwritten => "overwritten",
                    Faded::Followed => "followed",
                };
                Line.say(&ToCoordinator::Faded { id: *id, how: how.into() });
            }
        }
    }
    locked(&family).hear(1).map_err(lost)
}
