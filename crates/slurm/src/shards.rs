//! How far each shard is.

use std::collections::BTreeMap;

use serde::Serialize;
use upset_campaign::shards::Load;
use upset_store::{Results, Stratum};

use crate::attempts::{Attempt, seconds};
use crate::queue::{Phase, Queued};

/// What is the matter with a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Its task is in the queue.
    Waiting,
    /// Its task runs.
    Running,
    /// All its experiments are in its store.
    Done,
    /// It was told to end, saved, and is in no queue.
    Stopped,
    /// Its task ended with an exit code other than 0.
    Failed,
    /// Nobody knows of its task, and it did not say how it ended.
    Lost,
}

impl State {
    /// All, in the order in which they are told.
    pub const ALL: [State; 6] =
        [State::Done, State::Running, State::Waiting, State::Stopped, State::Failed, State::Lost];

    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Done => "done",
            State::Stopped => "stopped",
            State::Failed => "failed",
            State::Lost => "lost",
        }
    }

    /// Whether nothing more happens unless somebody submits again.
    pub fn needs_help(self) -> bool {
        matches!(self, State::Stopped | State::Failed | State::Lost)
    }
}

/// A shard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShardState {
    /// From 1.
    pub shard: u32,
    /// What is the matter with it.
    pub state: State,
    /// Experiments that it has.
    pub runs: u64,
    /// Experiments that it is to have; at most so many in a sequential plan.
    /// `None`: not known before the fault-free run.
    pub planned: Option<u64>,
    /// Where it runs or ran last.
    pub node: Option<String>,
    /// Times that its tasks began, but for the first.
    pub restarts: u32,
    /// Exit code of the last task that ended.
    pub exit_code: Option<i32>,
    /// Seconds that its tasks took.
    pub seconds: u64,
    /// Why it waits, or what it said last.
    pub said: Option<String>,
    /// Share of the campaign's expected cost.
    #[serde(skip)]
    pub cost: f64,
    /// Its last attempt's log.
    #[serde(skip)]
    pub log: Option<String>,
}

impl ShardState {
    /// Share of the work that is done, as far as it is known.
    pub fn share(&self) -> f64 {
        match self.planned {
            _ if self.state == State::Done => 1.0,
            Some(planned) if planned > 0 => (self.runs as f64 / planned as f64).min(1.0),
            _ => 0.0,
        }
    }
}

/// What is known of a shard.
pub struct Known<'a> {
    /// Its number.
    pub shard: u32,
    /// What it is to do.
    pub load: &'a Load,
    /// Its store.
    pub results: Option<&'a Results>,
    /// What its tasks noted.
    pub attempts: &'a [Attempt],
    /// Its tasks in the queue; `None` where no queue can be asked.
    pub queued: Option<Vec<&'a Queued>>,
}

/// Strata of each subject, from whichever store has them.
pub fn strata(all: &[Results]) -> BTreeMap<u32, Vec<&Stratum>> {
    let mut found: BTreeMap<u32, Vec<&Stratum>> = BTreeMap::new();
    for results in all {
        let mut own: BTreeMap<u32, Vec<&Stratum>> = BTreeMap::new();
        for stratum in &results.strata {
            own.entry(stratum.subject).or_default().push(stratum);
        }
        for (subject, strata) in own {
            found.entry(subject).or_insert(strata);
        }
    }
    found
}

/// Experiments that a load has, where all its subjects were begun somewhere.
fn planned(load: &Load, strata: &BTreeMap<u32, Vec<&Stratum>>) -> Option<u64> {
    let mut sum = 0;
    for part in &load.parts {
        for (index, stratum) in strata.get(&part.subject)?.iter().enumerate() {
            let ranges = part.numbers(index, stratum.planned, stratum.is_sequential());
            sum += ranges.iter().map(|r| r.end - r.start).sum::<u64>();
        }
    }
    Some(sum)
}

impl Known<'_> {
    /// Puts it together.
    pub fn state(&self, strata: &BTreeMap<u32, Vec<&Stratum>>, now: u64) -> ShardState {
        let runs = self.results.map_or(0, |r| r.experiments.len() as u64);
        let done = self.results.is_some_and(|r| r.complete);
        let queued = |phase| self.queued.iter().flatten().copied().find(|q| q.phase == phase);
        let running = queued(Phase::Runs).or(queued(Phase::Ends));
        let last = self.attempts.last();
        let exit_code = last.and_then(|a| Some(a.ended?.1));
        let state = match (running, queued(Phase::Waits), exit_code) {
            _ if done => State::Done,
            (Some(_), ..) => State::Running,
            (_, Some(_), _) => State::Waiting,
            // Nobody can be asked: what did not end goes on, what did not begin will.
            _ if self.queued.is_none() && exit_code.is_none() => match last {
                Some(_) => State::Running,
                None => State::Waiting,
            },
            // Told so before it could save anything, the second.
            (.., Some(130 | 143)) => State::Stopped,
            // Ended well without a complete store: somebody took the store away.
            (.., Some(0)) | (.., None) => State::Lost,
            (.., Some(_)) => State::Failed,
        };
        let over = matches!(state, State::Done | State::Stopped | State::Failed | State::Lost);
        let until = if over { last.map_or(now, |a| a.began) } else { now };
        ShardState {
            shard: self.shard,
            state,
            runs,
            planned: if done { Some(runs) } else { planned(self.load, strata) },
            node: running.and_then(|q| q.node.clone()).or(last.map(|a| a.node.clone())),
            restarts: self.attempts.len().saturating_sub(1) as u32,
            exit_code: if done { None } else { exit_code },
            seconds: seconds(self.attempts, until),
            said: match state {
                State::Waiting => queued(Phase::Waits).and_then(|q| q.reason.clone()),
                _ => None,
            },
            cost: self.load.cost,
            log: last.map(Attempt::log),
        }
    }
}
