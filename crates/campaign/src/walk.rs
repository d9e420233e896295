//! The walk of an application: its host is in the worker, which forks where a
//! run must leave.
//!
//! The worker is a single-threaded process. A child comes to its end and tells
//! its outcome through a pipe. Every process has a processor of its own: the
//! worker asks the coordinator for one when it has a child, and stands still until
//! it has it; a child gives its processor back when it ends.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use upset_device::Seen;
use upset_fork::{Forked, Status, exit_now, fork};
use upset_trial::walk::{Errand, Job, Splits, set_out};
use upset_trial::{End, Notes, Outcome};

use crate::CampaignError;
use crate::judge::Judge;
use crate::line::Line;
use crate::wire::{ToCoordinator, ToWorker};

/// How long the worker waits for a processor before it looks after its children.
const WAIT: u16 = 2;

/// Forked runs that have not been heard.
struct Family {
    /// Processors that it has, this process's included.
    held: usize,
    /// It has asked for another.
    wanted: bool,
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
                self.wait_for_processor()?;
                Ok(false)
            }
        }
    }

    /// Stands still until there is a processor for each child and for this process.
    fn wait_for_processor(&mut self) -> io::Result<()> {
        loop {
            self.hear_ended(false)?;
            if self.running.len() < self.held {
                return Ok(());
            }
            if !self.wanted {
                self.wanted = true;
                Line.say(&ToCoordinator::Want);
            }
            if upset_fork::wait_for_input(WAIT)? {
                match Line.hear()? {
                    ToWorker::Have => (self.held, self.wanted) = (self.held + 1, false),
                    ToWorker::Stop | ToWorker::Job(_) => {}
                }
            }
        }
    }

    /// This process has nothing to compute any more: hears all children.
    fn end(&mut self) -> io::Result<()> {
        self.held = self.held.saturating_sub(1);
        Line.say(&ToCoordinator::Give);
        while !self.running.is_empty() {
            self.hear_ended(true)?;
        }
        Ok(())
    }

    /// Hears all children that have ended; `wait`: at least one.
    fn hear_ended(&mut self, mut wait: bool) -> io::Result<()> {
        while !self.running.is_empty() {
            let Some((pid, status)) = upset_fork::wait_any(wait)? else { break };
            wait = false;
            if let Some(at) = self.running.iter().position(|(child, ..)| child.pid() == pid) {
                let (_, id, reader) = self.running.swap_remove(at);
                self.held = self.held.saturating_sub(1);
                let (outcome, killed) = self.outcome(reader, status);
                let outcome = Box::new(outcome);
                Line.say(&ToCoordinator::Done { id, outcome, killed, left: true });
            }
        }
        Ok(())
    }

    fn outcome(&self, mut reader: io::PipeReader, status: Status) -> (Outcome, bool) {
        let mut text = Vec::new();
        let read = reader.read_to_end(&mut text);
        let told = read.ok().and_then(|_| serde_json::from_slice::<Outcome>(&text).ok());
        if told.is_none() {
            // It could not give its processor back.
            Line.say(&ToCoordinator::Give);
        }
        match told {
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
        if told {
            Line.say(&ToCoordinator::Give);
        }
        exit_now(if told { 0 } else { 1 })
    }
}

impl Splits for Family {
    /// Makes this run another process's; true in that process.
    fn split(&mut self, job: u64) -> bool {
        match self.try_split(job) {
            Ok(child) => child,
            Err(e) => {
                Line.say(&ToCoordinator::Failed { message: format!("cannot fork: {e}") });
                std::process::exit(4);
            }
        }
    }

    fn is_away(&self) -> bool {
        self.pipe.is_some()
    }

    fn converged(&mut self, outcome: Outcome) {
        self.tell(&outcome)
    }

    fn seen(&mut self, job: u64, seen: Seen) {
        Line.say(&ToCoordinator::Seen { id: job, seen: Box::new(seen) });
    }
}

/// Carries out jobs in one walk.
pub(crate) fn walk(
    jobs: Vec<Job>,
    judge: &Judge<'_>,
    notes: Notes,
    panicked: &dyn Fn() -> End,
) -> Result<(), CampaignError> {
    let family = Arc::new(Mutex::new(Family {
        held: 1,
        wanted: false,
        running: Vec::new(),
        processor_seconds: judge.setup.processor_seconds,
        pipe: None,
    }));
    let mut device = judge.device()?;
    let (reference, limit) = (judge.setup.reference(), judge.setup.limit);
    let course = set_out(&mut device, Errand { jobs, notes, reference, limit }, &family);
    // Every fork copies the tables of whatever memory there is.
    upset_fork::return_freed_memory();
    let ran = catch_unwind(AssertUnwindSafe(|| judge.run(&mut device)));
    if !locked(&family).is_away() {
        device.come_to_light();
    }
    if locked(&family).is_away() {
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
    for (id, how) in course.faded(&device) {
        Line.say(&ToCoordinator::Faded { id, how });
    }
    locked(&family).end().map_err(lost)
}
