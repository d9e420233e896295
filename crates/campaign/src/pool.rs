//! The coordinator's side: workers, the jobs they take, what they bring back.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use upset_device::Seen;
use upset_trial::Outcome;

use crate::CampaignError;
use crate::processors::Processors;
use crate::walker::Walker;
use crate::wire::{Job, Setup, ToCoordinator, ToWorker};
use crate::worker::is_retried;

/// Times a run is tried when the tool fails.
const TRIES: u32 = 2;
/// Times a run may be killed by somebody before that counts as a failure.
const KILLS: u32 = 20;
/// Workers in a row that may die without finishing anything.
const DEATHS: u32 = 50;
/// Jobs that are worth a walk of the fault-free run of their own.
const JOBS_PER_WALK: usize = 5000;
/// How often what has arrived is handed on.
const TICK: Duration = Duration::from_millis(100);

/// A finished job.
pub struct Finished {
    /// Its number.
    pub id: u64,
    /// What became of it.
    pub outcome: Outcome,
    /// Times it was tried.
    pub attempts: u32,
    /// How it was found out, if it was not simulated.
    pub how: Option<String>,
    /// Its run left a walk: if it was followed there, at a use of its bits.
    pub left: bool,
    /// What its first change hit, if that was to be told.
    pub seen: Option<Seen>,
}

/// Who carries out jobs.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    /// What may compute at once.
    pub processors: &'a Processors,
    /// How a worker is started.
    pub command: &'a [OsString],
    /// Walks at once, where there are jobs enough for each.
    pub walks: usize,
    /// Set when everything is to end.
    pub stop: &'a AtomicBool,
}

/// How the talk with a worker ended.
enum Talk {
    /// There was nothing left for it to do.
    SentAway,
    /// It ended by itself, or was ended by somebody.
    Died,
}

/// What all workers of a round share.
struct Round<'a> {
    processors: &'a Processors,
    command: &'a [OsString],
    setup: &'a Setup,
    golden: &'a [u8],
    waiting: Mutex<BTreeMap<(u64, u64), Waiting>>,
    deaths: Mutex<u32>,
    /// What workers want the user to know, each once.
    notes: Mutex<BTreeSet<String>>,
    /// Workers that run now, by number of their thread.
    children: Mutex<Vec<Option<Child>>>,
    stop: &'a AtomicBool,
}

struct Waiting {
    job: Job,
    attempts: u32,
    kills: u32,
}

/// Has jobs done by worker processes. Results are handed on in batches, in the
/// order they arrive; an error from `take` ends everything.
///
/// Where the set-up asks for walks, each worker is given its share of the jobs
/// at once and carries them out in one walk of the fault-free run, with
/// processes of its own, which take processors as there are any.
///
/// Returns what the workers want the user to know.
pub fn run(
    team: Team<'_>,
    setup: &Setup,
    golden: &[u8],
    jobs: Vec<Job>,
    take: &mut dyn FnMut(Vec<Finished>) -> Result<(), CampaignError>,
) -> Result<BTreeSet<String>, CampaignError> {
    let Team { processors, command, walks, stop } = team;
    let waiting = jobs
        .into_iter()
        .map(|job| ((job.start, job.id), Waiting { job, attempts: 1, kills: 0 }))
        .collect::<BTreeMap<_, _>>();
    let workers = match setup.walk && setup.program.is_none() {
        // Runs that split from a program's process take its folder's place: one
        // at a time goes on for each that walks.
        false => processors.all().clamp(1, waiting.len().max(1)),
        true => walks.clamp(1, (waiting.len() / JOBS_PER_WALK).max(1)),
    };
    let stopped = AtomicBool::new(false);
    let round = Round {
        processors,
        command,
        setup,
        golden,
        waiting: Mutex::new(waiting),
        deaths: Mutex::new(0),
        notes: Mutex::default(),
        children: Mutex::new((0..workers).map(|_| None).collect()),
        stop: &stopped,
    };
    std::thread::scope(|scope| {
        let (tell, hear) = mpsc::channel();
        for place in 0..workers {
            let (tell, round) = (tell.clone(), &round);
            scope.spawn(move || {
                let served = match round.setup.walk {
                    false => round.serve(place, &tell),
                    true => round.serve_walk(place, workers, &tell),
                };
                if let Err(e) = served {
                    round.stop.store(true, Ordering::Relaxed);
                    let _ = tell.send(Err(e));
                }
            });
        }
        drop(tell);
        let result = collect(&hear, stop, &stopped, take);
        // Whatever happened: no worker outlives the scope.
        stopped.store(true, Ordering::Relaxed);
        round.end_all();
        result
    })?;
    Ok(round.notes.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn collect(
    hear: &Receiver<Result<Finished, CampaignError>>,
    interrupted: &AtomicBool,
    stopped: &AtomicBool,
    take: &mut dyn FnMut(Vec<Finished>) -> Result<(), CampaignError>,
) -> Result<(), CampaignError> {
    loop {
        let mut batch = Vec::new();
        let mut failed = None;
        let mut open = true;
        match hear.recv_timeout(TICK) {
            Ok(first) => {
                for message in std::iter::once(first).chain(hear.try_iter()) {
                    match message {
                        Ok(finished) => batch.push(finished),
                        Err(e) => failed = failed.or(Some(e)),
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => open = false,
        }
        take(batch)?;
        if let Some(e) = failed {
            return Err(e);
        }
        if interrupted.load(Ordering::Relaxed) {
            stopped.store(true, Ordering::Relaxed);
            return Err(CampaignError::Interrupted);
        }
        if !open {
            return Ok(());
        }
    }
}

type Tell = Sender<Result<Finished, CampaignError>>;

impl Round<'_> {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.locked().is_empty()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BTreeMap<(u64, u64), Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps one worker going until no job waits.
    fn serve(&self, place: usize, tell: &Tell) -> Result<(), CampaignError> {
        while !self.is_over() {
            let Some(_held) = self.processors.take(&|| self.is_over()) else { break };
            let Some((to, from)) = self.start(place)? else { break };
            let mut current = None;
            let talked = self.talk(to, from, &mut current, tell);
            self.end(place);
            if self.stop.load(Ordering::Relaxed) {
                return talked.map(|_| ());
            }
            let died = matches!(talked, Ok(Talk::Died));
            if let Some(job) = current {
                // The worker died with a job in hand: that is not the job's doing.
                self.put_back(job, true, tell, Outcome::tool_error("the worker died"));
            }
            if died {
                let mut deaths = self.deaths.lock().unwrap_or_else(PoisonError::into_inner);
                *deaths += 1;
                if *deaths > DEATHS {
                    let text = "workers keep dying; is the machine out of memory? Try fewer --jobs";
                    return Err(CampaignError::Workers(text.into()));
                }
            }
            talked?;
        }
        Ok(())
    }

    /// Walks with the `place`th share of the jobs until all are done.
    fn serve_walk(&self, place: usize, shares: usize, tell: &Tell) -> Result<(), CampaignError> {
        let mut mine: BTreeMap<u64, Waiting> = BTreeMap::new();
        self.locked().retain(|_, w| {
            let is_mine = w.job.id as usize % shares == place;
            if is_mine {
                let (job, attempts, kills) = (w.job.clone(), w.attempts, w.kills);
                mine.insert(w.job.id, Waiting { job, attempts, kills });
            }
            !is_mine
        });
        let mut idle = 0;
        while !mine.is_empty() && !self.stop.load(Ordering::Relaxed) {
            let ends = || self.stop.load(Ordering::Relaxed);
            let Some(held) = self.processors.take(&ends) else { break };
            let Some((to, from)) = self.start(place)? else { break };
            let before = mine.len();
            let walker = Walker::new(to, held);
            let heard = self.hear_walk(&walker, from, &mut mine, tell);
            self.end(place);
            // Whatever end it found: what it had is free again.
            self.processors.give_back(walker.dismiss());
            heard?;
            idle = if mine.len() < before { 0 } else { idle + 1 };
            if idle > DEATHS {
                let text = "workers keep dying; is the machine out of memory? Try fewer --jobs";
                return Err(CampaignError::Workers(text.into()));
            }
        }
        Ok(())
    }

    /// Hears a walk to its end, whatever end that is.
    fn hear_walk(
        &self,
        walker: &Walker,
        from: ChildStdout,
        mine: &mut BTreeMap<u64, Waiting>,
        tell: &Tell,
    ) -> Result<(), CampaignError> {
        let setup = serde_json::to_string(self.setup).unwrap_or_default();
        let jobs: Vec<&Job> = mine.values().map(|w| &w.job).collect();
        let jobs = serde_json::to_string(&jobs).unwrap_or_default();
        walker.tell(&[setup.as_bytes(), b"\n", self.golden, jobs.as_bytes(), b"\n"]);
        drop(jobs);
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        let mut looked: BTreeMap<u64, Seen> = BTreeMap::new();
        let finish = |id: u64, outcome: Outcome, attempts: u32, how, left, seen| {
            let _ = tell.send(Ok(Finished { id, outcome, attempts, how, left, seen }));
        };
        loop {
            line.clear();
            // A line without an end is what a killed worker was about to say.
            if from.read_until(b'\n', &mut line).is_err() || !line.ends_with(b"\n") {
                return Ok(());
            }
            match serde_json::from_slice(&line) {
                Ok(ToCoordinator::Done { id, outcome, killed, left }) => {
                    let Some(job) = mine.get_mut(&id) else { continue };
                    let again = is_retried(&outcome)
                        && if killed { job.kills < KILLS } else { job.attempts < TRIES };
                    if again {
                        job.kills += u32::from(killed);
                        job.attempts += u32::from(!killed);
                        continue;
                    }
                    let attempts = job.attempts;
                    mine.remove(&id);
                    finish(id, *outcome, attempts, None, left, looked.remove(&id));
                }
                Ok(ToCoordinator::Faded { id, how }) => {
                    let Some(job) = mine.remove(&id) else { continue };
                    let outcome = Outcome::masked(&self.setup.reference());
                    finish(id, outcome, job.attempts, Some(how), false, looked.remove(&id));
                }
                Ok(ToCoordinator::Failed { message }) => {
                    return Err(CampaignError::Workers(format!("a worker gave up: {message}")));
                }
                Ok(ToCoordinator::Note { text }) => self.note(text),
                Ok(ToCoordinator::Seen { id, seen }) => {
                    looked.insert(id, *seen);
                }
                Ok(ToCoordinator::Next) => {}
                Ok(ToCoordinator::Want) => {
                    let walker = walker.clone();
                    self.processors.ask(Box::new(move || walker.receive()));
                }
                Ok(ToCoordinator::Give) => self.processors.give_back(walker.give()),
                Err(e) => {
                    let text = format!("a worker said something unreadable: {e}");
                    return Err(CampaignError::Workers(text));
                }
            }
        }
    }

    fn note(&self, text: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(text);
    }

    fn children(&self) -> std::sync::MutexGuard<'_, Vec<Option<Child>>> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a worker that is still there.
    fn end(&self, place: usize) {
        let worker = self.children().get_mut(place).and_then(Option::take);
        if let Some(mut worker) = worker {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }

    fn end_all(&self) {
        for worker in self.children().iter_mut().flatten() {
            let _ = worker.kill();
        }
    }

    /// Starts a worker; `None` when everything ends.
    fn start(&self, place: usize) -> Result<Option<(ChildStdin, ChildStdout)>, CampaignError> {
        let failed = |e: std::io::Error| {
            CampaignError::Workers(format!("cannot start a worker process: {e}"))
        };
        let [program, args @ ..] = self.command else {
            return Err(CampaignError::Workers("no worker program".into()));
        };
        let mut children = self.children();
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut worker = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // An interrupt at the terminal is for the coordinator to deal with.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let line = worker.stdin.take().zip(worker.stdout.take());
        if let Some(slot) = children.get_mut(place) {
            *slot = Some(worker);
        }
        Ok(line)
    }

    /// Answers a worker until it has no more questions.
    fn talk(
        &self,
        mut to: ChildStdin,
        from: ChildStdout,
        current: &mut Option<Waiting>,
        tell: &Tell,
    ) -> Result<Talk, CampaignError> {
        let setup = serde_json::to_string(self.setup).unwrap_or_default();
        // A worker that is gone shows at the next reading.
        let _ = writeln!(to, "{setup}").and_then(|()| to.write_all(self.golden));
        let _ = to.flush();
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        let mut talk = Talk::Died;
        loop {
            line.clear();
            // A line without an end is what a killed worker was about to say.
            if from.read_until(b'\n', &mut line).is_err() || !line.ends_with(b"\n") {
                return Ok(talk);
            }
            match serde_json::from_slice(&line) {
                Ok(ToCoordinator::Next) => {
                    let answer = match self.take() {
                        Some(waiting) => {
                            let job = waiting.job.clone();
                            *current = Some(waiting);
                            ToWorker::Job(job)
                        }
                        None => {
                            talk = Talk::SentAway;
                            ToWorker::Stop
                        }
                    };
                    let text = serde_json::to_string(&answer).unwrap_or_default();
                    if writeln!(to, "{text}").and_then(|()| to.flush()).is_err() {
                        return Ok(talk);
                    }
                }
                Ok(ToCoordinator::Done { outcome, killed, .. }) => {
                    let Some(job) = current.take() else {
                        let text = "a worker finished a job that it did not have";
                        return Err(CampaignError::Workers(text.into()));
                    };
                    *self.deaths.lock().unwrap_or_else(PoisonError::into_inner) = 0;
                    self.settle(job, *outcome, killed, tell);
                }
                Ok(ToCoordinator::Note { text }) => self.note(text),
                Ok(
                    ToCoordinator::Faded { .. }
                    | ToCoordinator::Seen { .. }
                    | ToCoordinator::Want
                    | ToCoordinator::Give,
                ) => {}
                Ok(ToCoordinator::Failed { message }) => {
                    return Err(CampaignError::Workers(format!("a worker gave up: {message}")));
                }
                Err(e) => {
                    let text = format!("a worker said something unreadable: {e}");
                    return Err(CampaignError::Workers(text));
                }
            }
        }
    }

    /// The first job.
    fn take(&self) -> Option<Waiting> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.locked().pop_first().map(|(_, waiting)| waiting)
    }

    fn settle(&self, job: Waiting, outcome: Outcome, killed: bool, tell: &Tell) {
        match is_retried(&outcome) && (killed || job.attempts < TRIES) {
            true => self.put_back(job, killed, tell, outcome),
            false => {
                let Waiting { job, attempts, .. } = job;
                let _ = tell.send(Ok(Finished {
                    id: job.id,
                    outcome,
                    attempts,
                    how: None,
                    left: false,
                    seen: None,
                }));
            }
        }
    }

    fn put_back(&self, mut job: Waiting, killed: bool, tell: &Tell, outcome: Outcome) {
        match killed {
            true => job.kills += 1,
            false => job.attempts += 1,
        }
        if job.kills > KILLS {
            let (id, attempts) = (job.job.id, job.attempts);
            let (how, seen) = (None, None);
            let _ = tell.send(Ok(Finished { id, outcome, attempts, how, left: false, seen }));
            return;
        }
        self.locked().insert((job.job.start, job.job.id), job);
    }
}
