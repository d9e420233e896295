//! How far a submission is.

use std::fs;
use std::time::SystemTime;

use serde::Serialize;
use upset_campaign::shards;
use upset_report::{Options, Report};
use upset_store::{Reader, Results, StoreError};

use crate::attempts::{self, Attempt};
use crate::left::Left;
use crate::plan::{Plan, What, stored_spec};
use crate::queue::{self, Queued};
use crate::shards::{Known, ShardState, State, strata};
use crate::{Folder, SlurmError};

/// How far a submission is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Its folder.
    pub folder: String,
    /// Shards that have something to do.
    pub shards: Vec<ShardState>,
    /// Merge and report.
    pub merge: State,
    /// What the merge said, where it failed.
    pub merge_said: Option<String>,
    /// Experiments so far.
    pub runs: u64,
    /// Experiments in all, as far as that is known.
    pub planned: Option<u64>,
    /// Tasks that Slurm holds back after a launch that failed.
    pub held: Vec<String>,
    /// Time left.
    pub left: Option<Left>,
    /// Why the queue could not be asked.
    pub no_queue: Option<String>,
    /// What the stores tell so far.
    pub report: Report,
}

impl Status {
    /// Looks at a folder.
    pub fn of(folder: &Folder) -> Result<Status, SlurmError> {
        let plan = Plan::load(folder)?.ok_or_else(|| {
            SlurmError::Input(format!(
                "{} has no plan.json: it is no folder of `upset slurm submit`",
                folder.path().display()
            ))
        })?;
        let (queue, no_queue) = match queue::ask(&plan.ids()) {
            Ok(queue) => (Some(queue), None),
            Err(e @ (SlurmError::Missing(_) | SlurmError::Command { .. })) => {
                (None, Some(brief(&e)))
            }
            Err(e) => return Err(e),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Status::at(folder, &plan, queue, no_queue, now.map_or(0, |d| d.as_secs()))
    }

    /// The same with what the queue and the clock told.
    fn at(
        folder: &Folder,
        plan: &Plan,
        queue: Option<Vec<Queued>>,
        no_queue: Option<String>,
        now: u64,
    ) -> Result<Status, SlurmError> {
        let spec = stored_spec(folder)?;
        let loads = shards::all(&spec, &upset_campaign::intents(&spec), plan.shards);
        // Before the stores: who noted a good end has a complete one.
        let notes = loads.keys().map(|shard| attempts::read(&folder.notes(*shard)));
        let notes = notes.collect::<Result<Vec<_>, SlurmError>>()?;
        let mut stores: Vec<(u32, Results)> = Vec::new();
        for shard in loads.keys() {
            stores.extend(load(folder, *shard)?.map(|results| (*shard, results)));
        }
        let (numbers, stores): (Vec<u32>, Vec<Results>) = stores.into_iter().unzip();
        let results = |shard: u32| numbers.iter().position(|n| *n == shard).map(|i| &stores[i]);
        let strata = strata(&stores);
        let mut states = Vec::new();
        for ((shard, load), attempts) in loads.iter().zip(&notes) {
            let own = |q: &&Queued| plan.shard_of(q) == Some(*shard);
            let queued = queue.as_ref().map(|queue| queue.iter().filter(own).collect());
            let known = Known { shard: *shard, load, results: results(*shard), attempts, queued };
            let mut state = known.state(&strata, now);
            if matches!(state.state, State::Failed | State::Lost) {
                state.said = state.log.as_deref().and_then(|log| last_words(folder, log));
            }
            states.push(state);
        }
        let (merge, merge_said) = merge_state(folder, plan, queue.as_deref())?;
        Ok(Status {
            folder: folder.path().display().to_string(),
            runs: states.iter().map(|s| s.runs).sum(),
            planned: states.iter().map(|s| s.planned).sum(),
            left: Left::of(&states),
            held: queue.iter().flatten().filter(|q| q.is_held()).map(Queued::name).collect(),
            shards: states,
            merge,
            merge_said,
            no_queue,
            report: Report::new(&stores, &Options::default()),
        })
    }

    /// Shards in a state.
    pub fn count(&self, state: State) -> usize {
        self.shards.iter().filter(|s| s.state == state).count()
    }

    /// Whether something will not go on by itself.
    pub fn needs_help(&self) -> bool {
        let shards = self.shards.iter().any(|s| s.state.needs_help());
        shards || self.merge.needs_help() || !self.held.is_empty()
    }

    /// Whether nothing will change by itself.
    pub fn is_over(&self) -> bool {
        let moves = |s: State| matches!(s, State::Waiting | State::Running);
        !moves(self.merge) && !self.shards.iter().any(|s| moves(s.state))
    }
}

/// Without the advice on submission.
fn brief(e: &SlurmError) -> String {
    match e {
        SlurmError::Missing(command) => format!("{command} is not on PATH"),
        e => e.to_string(),
    }
}

/// A shard's store, where there is one. What is being written at this moment is
/// not there yet.
fn load(folder: &Folder, shard: u32) -> Result<Option<Results>, SlurmError> {
    let path = folder.store(shard);
    match Reader::open(&path).and_then(|reader| reader.results(&path)) {
        Ok(results) => Ok(Some(results)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// How far the last merge is.
fn merge_state(
    folder: &Folder,
    plan: &Plan,
    queue: Option<&[Queued]>,
) -> Result<(State, Option<String>), SlurmError> {
    let attempts = attempts::read(&folder.merge_notes())?;
    let Some(job) = plan.jobs.iter().rev().find(|j| j.what == What::Merge) else {
        return Ok((State::Lost, Some("it was not submitted: submit again".into())));
    };
    let last = attempts.iter().rev().find(|a| a.task().0 == job.id);
    let said = |a: &Attempt| last_words(folder, &a.log());
    let queued = queue.and_then(|queue| queue.iter().find(|q| q.job == job.id));
    Ok(match (last.and_then(|a| a.ended), queued) {
        (Some((_, 0)), _) => (State::Done, None),
        (_, Some(q)) if q.phase == queue::Phase::Waits => (State::Waiting, None),
        (None, Some(_)) => (State::Running, None),
        (Some(_), _) => (State::Failed, last.and_then(said)),
        (None, None) if queue.is_none() => match last {
            Some(_) => (State::Running, None),
            None => (State::Waiting, None),
        },
        (None, None) => (State::Lost, last.and_then(said)),
    })
}

/// The last line of a log.
fn last_words(folder: &Folder, log: &str) -> Option<String> {
    let text = fs::read(folder.logs().join(log)).ok()?;
    let text = String::from_utf8_lossy(&text);
    let ours = |line: &&str| line.starts_with("upset:");
    let last = text.lines().rev().find(ours).or(text.lines().last());
    last.map(|line| line.trim_start_matches("upset: ").to_string())
}
