//! Runs that split from a walk of the fault-free run.
//!
//! One process of the program walks the fault-free run. Where a job starts it
//! is forked, and the child is the job's run. While that goes on, the walker
//! stands still and its folder is out of the way: a copy has its place, so that
//! every path, absolute or not, leads the run to files of its own.

use std::fs;
use std::path::PathBuf;

use upset_cudart::launcher::{Arrived, Start, Walker};
use upset_trial::Outcome;
use upset_trial::order::Files;

use super::copy::copy;
use super::run::{Own, Ran, cannot, limits};
use super::{ProgramBench, mirror, order_of};
use crate::CampaignError;
use crate::wire::{GoldenOutputs, Job, Setup, ToCoordinator};
use crate::worker::Line;

/// Does jobs as long as there are some. Returns the job in hand when the
/// program is one from which no run can split: the user is told why.
pub fn work(
    line: &mut Line,
    bench: &ProgramBench,
    setup: &Setup,
    golden: &GoldenOutputs,
) -> Result<Option<Job>, CampaignError> {
    let mut next = line.next(0)?;
    while let Some(job) = next {
        let mut prefix = Prefix::start(bench, setup)?;
        match prefix.work(line, golden, job)? {
            Stopped::AllDone => return Ok(None),
            // Not the job's doing; it comes again, with a new walker.
            Stopped::Killed(job) => {
                let outcome = Box::new(Outcome::tool_error("the program was killed"));
                line.say(&ToCoordinator::Done { id: job.id, outcome, killed: true });
                next = line.next(0)?;
            }
            Stopped::Failed(job, e) => {
                let outcome = Box::new(Outcome::tool_error(e.to_string()));
                line.say(&ToCoordinator::Done { id: job.id, outcome, killed: false });
                next = line.next(0)?;
            }
            Stopped::Unsafe(why, job) => {
                let text = format!("{} {why}: every run starts from the beginning", bench.app());
                line.say(&ToCoordinator::Note { text });
                return Ok(Some(job));
            }
        }
    }
    Ok(None)
}

/// Why a walk is over.
enum Stopped {
    AllDone,
    /// Somebody ended the walker.
    Killed(Job),
    /// A run could not be made or looked at; nobody knows where the walker is.
    Failed(Job, CampaignError),
    /// No run can split from it.
    Unsafe(String, Job),
}

/// A walk of the fault-free run.
struct Prefix<'a> {
    // In this order: what runs in the folder ends before that goes.
    walker: Walker,
    own: Own,
    bench: &'a ProgramBench,
    setup: &'a Setup,
    folder: PathBuf,
    runs: u64,
}

impl<'a> Prefix<'a> {
    fn start(bench: &'a ProgramBench, setup: &'a Setup) -> Result<Prefix<'a>, CampaignError> {
        let own = Own::new(&bench.folder).map_err(cannot)?;
        let root = own.0.join("root");
        let folder = mirror::mirror(&root, &bench.home, &bench.private).map_err(cannot)?;
        let walker = Walker::start(Start {
            launch: bench.launch()?,
            folder: &folder,
            root: &root,
            files: &Files::of(&own.0.join("order")),
            order: order_of(Vec::new(), setup),
            holds: setup.holds,
            limits: limits(setup.processor_seconds, super::STDOUT),
        })?;
        Ok(Prefix { walker, own, bench, setup, folder, runs: 0 })
    }

    fn work(
        &mut self,
        line: &mut Line,
        golden: &GoldenOutputs,
        mut job: Job,
    ) -> Result<Stopped, CampaignError> {
        loop {
            match self.walker.walk(job.start) {
                Arrived::There(_) => {}
                Arrived::Unsafe(why) => return Ok(Stopped::Unsafe(why, job)),
                Arrived::Gone(Some(end)) if end.was_killed() => return Ok(Stopped::Killed(job)),
                Arrived::Gone(_) => {
                    let why = format!("does not come to cycle {} in one process", job.start);
                    return Ok(Stopped::Unsafe(why, job));
                }
            }
            if let Err(e) = copy(&self.own.0.join("root"), &self.own.0.join("copy")) {
                let why = format!("has a working folder that cannot be copied ({e})");
                return Ok(Stopped::Unsafe(why, job));
            }
            let ran = match self.run(&job) {
                Ok(Some(ran)) => ran,
                Ok(None) => return Ok(Stopped::Killed(job)),
                Err(e) => return Ok(Stopped::Failed(job, e)),
            };
            let (outcome, killed) = self.bench.outcome(Ok(ran), self.setup, golden);
            line.say(&ToCoordinator::Done { id: job.id, outcome: Box::new(outcome), killed });
            match line.next(job.start)? {
                Some(next) => job = next,
                None => return Ok(Stopped::AllDone),
            }
        }
    }

    /// Runs a job where the walker stands; none when that is gone.
    fn run(&mut self, job: &Job) -> Result<Option<Ran>, CampaignError> {
        self.runs += 1;
        let own = self.own.0.join(self.runs.to_string());
        let [root, kept, copy] = ["root", "kept", "copy"].map(|name| self.own.0.join(name));
        fs::create_dir(&own).map_err(cannot)?;
        let files = Files::of(&own.join("order"));
        files.give(&order_of(job.changes.clone(), self.setup)).map_err(cannot)?;
        fs::rename(&root, &kept).and_then(|()| fs::rename(&copy, &root)).map_err(cannot)?;
        let ran = match self.walker.split(files.order()) {
            Ok(Some(host)) => {
                self.bench.look_at(host, &files, &self.folder, &own.join("stdout")).map(Some)
            }
            Ok(None) => Ok(None),
            Err(e) => Err(e.into()),
        };
        // The walker's folder comes back before the walker goes on.
        fs::rename(&root, &copy).and_then(|()| fs::rename(&kept, &root)).map_err(cannot)?;
        self.walker.go_on();
        let _ = fs::remove_dir_all(&own);
        ran
    }
}
