//! The walk of a program: its own process walks the fault-free run, and is
//! forked where a run must leave.
//!
//! While a run that left goes on, the walker stands still and its folder is out
//! of the way: a copy has its place, so that every path, absolute or not, leads
//! the run to files of its own. Where the process cannot be forked without
//! harm, it walks on, and the run that should have left is made from the
//! beginning; so is any that the walk did not tell of.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use upset_device::Seen;
use upset_launcher::{Arrived, End as HostEnd, Start, Walker};
use upset_trial::order::{Files, Order};
use upset_trial::{Notes, Outcome};

use super::bench::ProgramBench;
use super::copy::copy;
use super::limits::{GOLDEN_SECONDS, STDOUT, limits};
use super::mirror;
use super::run::{Own, cannot, order_of};
use crate::CampaignError;
use crate::line::Line;
use crate::wire::{GoldenOutputs, Job, Setup, ToCoordinator};

/// Carries out jobs in one walk. What is not told of when this returns was lost
/// with the walker, and comes again.
pub(crate) fn walk(
    line: &mut Line,
    bench: &ProgramBench,
    setup: &Setup,
    golden: &GoldenOutputs,
    jobs: Vec<Job>,
    notes: &Notes,
) -> Result<(), CampaignError> {
    let walking = Walking::start(bench, setup, jobs.clone(), notes)?;
    let jobs = jobs.into_iter().map(|job| (job.id, job)).collect();
    let unsplit = Vec::new();
    let mut walk = ProgramWalk { line, bench, setup, golden, jobs, unsplit, noted: false };
    match walk.follow(walking)? {
        Walked::ToTheEnd => {
            walk.do_the_rest();
            Ok(())
        }
        Walked::Lost => Ok(()),
    }
}

/// How a walk came to its end.
enum Walked {
    /// With the program, or as far as it went.
    ToTheEnd,
    /// Somebody ended the walker, or nobody knows where it is.
    Lost,
}

/// Jobs that are carried out in a walk.
struct ProgramWalk<'a> {
    line: &'a mut Line,
    bench: &'a ProgramBench,
    setup: &'a Setup,
    golden: &'a GoldenOutputs,
    /// Those of which nothing was told, by number.
    jobs: BTreeMap<u64, Job>,
    /// Those that must leave and could not.
    unsplit: Vec<Job>,
    /// The user knows that some cannot.
    noted: bool,
}

impl ProgramWalk<'_> {
    fn follow(&mut self, mut walking: Walking) -> Result<Walked, CampaignError> {
        loop {
            match walking.walker.walk() {
                Arrived::Leaves { run, seen } => {
                    self.tell_seen(run, seen);
                    if let Err(e) = walking.copy_folder() {
                        let why = format!("has a working folder that cannot be copied ({e})");
                        self.keep_back(run, &why);
                        walking.walker.go_on();
                        continue;
                    }
                    match self.split(&mut walking) {
                        Ok(Some((outcome, killed))) => self.done(run, outcome, killed, true),
                        Ok(None) => {
                            let outcome = Outcome::tool_error("the program was killed");
                            self.done(run, outcome, true, true);
                            return Ok(Walked::Lost);
                        }
                        Err(e) => {
                            self.done(run, Outcome::tool_error(e.to_string()), false, true);
                            return Ok(Walked::Lost);
                        }
                    }
                }
                Arrived::Cannot { run, seen, why } => {
                    self.tell_seen(run, seen);
                    self.keep_back(run, &why);
                    walking.walker.go_on();
                }
                Arrived::Ended(end) => return self.end(walking, end),
            }
        }
    }

    /// Makes a run where the walker stands; none when that is gone.
    fn split(&self, walking: &mut Walking) -> Result<Option<(Outcome, bool)>, CampaignError> {
        walking.runs += 1;
        let own = walking.own.0.join(walking.runs.to_string());
        fs::create_dir(&own).map_err(cannot)?;
        let files = Files::of(&own.join("order"));
        files.give(&Order::default()).map_err(cannot)?;
        let [root, kept, copy] = ["root", "kept", "copy"].map(|name| walking.own.0.join(name));
        fs::rename(&root, &kept).and_then(|()| fs::rename(&copy, &root)).map_err(cannot)?;
        let ran = match walking.walker.split(files.order()) {
            Ok(Some(host)) => match host.records.converged {
                Some(outcome) => Ok(Some((outcome, false))),
                None => {
                    let stdout = own.join("stdout");
                    let ran = self.bench.look_at(host, &files, &walking.folder, &stdout);
                    ran.map(|ran| Some(self.bench.outcome(Ok(ran), self.setup, self.golden)))
                }
            },
            Ok(None) => Ok(None),
            Err(e) => Err(e.into()),
        };
        // The walker's folder comes back before the walker goes on.
        fs::rename(&root, &copy).and_then(|()| fs::rename(&kept, &root)).map_err(cannot)?;
        walking.walker.go_on();
        let _ = fs::remove_dir_all(&own);
        ran
    }

    /// The walker has ended: what it tells of runs that never left.
    fn end(&mut self, mut walking: Walking, end: Option<HostEnd>) -> Result<Walked, CampaignError> {
        if end.is_some_and(HostEnd::was_killed) {
            return Ok(Walked::Lost);
        }
        if let Some(failure) = walking.walker.records().failures.first() {
            return Err(CampaignError::Workers(format!("the walk failed: {failure}")));
        }
        let answer = walking.files.read_answer().map_err(cannot)?;
        let same = |cycles, digest: &str| {
            (cycles, digest) == (self.setup.cycles, self.setup.output_digest.as_str())
        };
        match answer {
            Some(answer) if same(answer.cycles, &answer.output_digest) => {
                for (id, seen) in answer.seen {
                    self.tell_seen(id, Some(Box::new(seen)));
                }
                for (id, how) in answer.faded {
                    if self.jobs.remove(&id).is_some() {
                        self.line.say(&ToCoordinator::Faded { id, how });
                    }
                }
                // These had to leave as well, and it could not be said where.
                if !self.jobs.is_empty() {
                    self.unsplit.extend(std::mem::take(&mut self.jobs).into_values());
                    self.note("cannot be spoken to while it runs (it closes inherited files)");
                }
            }
            _ => self.note("is not the fault-free run again when it is walked"),
        }
        Ok(Walked::ToTheEnd)
    }

    /// Makes the runs that are left, each from cycle 0.
    fn do_the_rest(&mut self) {
        let (unsplit, unknown) =
            (std::mem::take(&mut self.unsplit), std::mem::take(&mut self.jobs));
        let unknown = unknown.into_values().map(|job| (job, false));
        for (job, left) in unsplit.into_iter().map(|job| (job, true)).chain(unknown) {
            let order = order_of(job.changes, self.setup);
            let (outcome, killed) = self.bench.trial(&order, self.setup, self.golden);
            self.done(job.id, outcome, killed, left);
        }
    }

    /// A run must leave and cannot.
    fn keep_back(&mut self, run: u64, why: &str) {
        self.unsplit.extend(self.jobs.remove(&run));
        self.note(why);
    }

    fn done(&mut self, id: u64, outcome: Outcome, killed: bool, left: bool) {
        self.jobs.remove(&id);
        self.line.say(&ToCoordinator::Done { id, outcome: Box::new(outcome), killed, left });
    }

    fn tell_seen(&mut self, id: u64, seen: Option<Box<Seen>>) {
        if let Some(seen) = seen {
            self.line.say(&ToCoordinator::Seen { id, seen });
        }
    }

    fn note(&mut self, why: &str) {
        if !std::mem::replace(&mut self.noted, true) {
            let app = self.bench.app();
            let text =
                format!("{app} {why}: every run that must be simulated starts from the beginning");
            self.line.say(&ToCoordinator::Note { text });
        }
    }
}

/// A program that walks the fault-free run.
struct Walking {
    // In this order: what runs in the folder ends before that goes.
    walker: Walker,
    own: Own,
    files: Files,
    folder: PathBuf,
    runs: u64,
}

impl Walking {
    fn start(
        bench: &ProgramBench,
        setup: &Setup,
        jobs: Vec<Job>,
        notes: &Notes,
    ) -> Result<Walking, CampaignError> {
        let own = Own::new(&bench.folder).map_err(cannot)?;
        let root = own.0.join("root");
        let folder = mirror::mirror(&root, &bench.home, &bench.private).map_err(cannot)?;
        let files = Files::of(&own.0.join("order"));
        files.give_notes(notes).map_err(cannot)?;
        let walker = Walker::start(Start {
            launch: bench.launch()?,
            folder: &folder,
            root: &root,
            files: &files,
            order: order_of(Vec::new(), setup),
            holds: setup.holds,
            jobs,
            reference: setup.reference(),
            // All ghosts go with it.
            limits: limits(GOLDEN_SECONDS, STDOUT),
            run_limits: limits(setup.processor_seconds, STDOUT),
        })?;
        Ok(Walking { walker, own, files, folder, runs: 0 })
    }

    /// Makes what a run that leaves finds in the folder's place.
    fn copy_folder(&self) -> io::Result<()> {
        copy(&self.own.0.join("root"), &self.own.0.join("copy"))
    }
}
