//! Looking at stores again and again.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use upset_store::{Follower, Key, Results, StoreError};

use super::campaign::{failed, id, numbers, slim};
use super::cost::Cost;
use super::files;
use super::pace::Pace;
use super::shards;
use super::snapshot::{Campaign, Failed, Snapshot, State, StoreState};
use super::writer::Writer;

/// Failures that are shown.
const RECENT: usize = 12;

/// Of the time, at most this part is spent on looking: a large store is looked at
/// less often.
const PART: u32 = 20;

/// Everything that was seen so far.
pub struct Looks {
    paths: Vec<PathBuf>,
    stores: BTreeMap<PathBuf, Seen>,
    campaigns: BTreeMap<String, Followed>,
    next: Option<Instant>,
    last: Snapshot,
}

struct Seen {
    follower: Follower,
    id: Option<String>,
    problem: Option<String>,
    /// Who wrote it when it was about to be read: whoever is at its last runs then
    /// has not "stopped" when they are read.
    writer: Option<Writer>,
}

#[derive(Default)]
struct Followed {
    pace: Pace,
    recent: VecDeque<(PathBuf, Key, Failed)>,
    numbers: Option<Campaign>,
}

impl Looks {
    /// At stores and folders of stores.
    pub fn new(paths: Vec<PathBuf>) -> Looks {
        let (stores, campaigns) = (BTreeMap::new(), BTreeMap::new());
        Looks { paths, stores, campaigns, next: None, last: Snapshot::default() }
    }

    /// What there is now. Where looking takes long, it is what there was a while ago.
    pub fn look(&mut self) -> Snapshot {
        let (begun, cost) = (Instant::now(), Cost::begin());
        if self.next.is_some_and(|next| begun < next) {
            return self.last.clone();
        }
        self.follow_files();
        let changed = self.follow_stores();
        self.count(&changed);
        self.last = self.snapshot(begun);
        let cost = cost.so_far();
        self.next = (cost > Duration::from_millis(50)).then(|| begun + cost * PART);
        self.last.clone()
    }

    /// Like [`Looks::look`], however long the last one took.
    pub fn look_now(&mut self) -> Snapshot {
        self.next = None;
        self.look()
    }

    fn follow_files(&mut self) {
        let found = files::stores(&self.paths);
        self.stores.retain(|path, _| found.contains(path));
        for path in found {
            let follower = Follower::new(&path);
            let seen = || Seen { follower, id: None, problem: None, writer: None };
            self.stores.entry(path).or_insert_with(seen);
        }
    }

    /// Reads what is new; campaigns of which something is.
    fn follow_stores(&mut self) -> Vec<String> {
        let mut changed: Vec<String> = Vec::new();
        for (path, seen) in &mut self.stores {
            let first = seen.follower.results().is_none();
            seen.writer = Writer::of(&seen.follower);
            let new = match seen.follower.look(&slim) {
                Ok(Some(new)) => new,
                Ok(None) => {
                    seen.problem = None;
                    continue;
                }
                // Busy: at the next look. Missing: not begun yet.
                Err(StoreError::Busy { .. } | StoreError::Missing { .. }) => continue,
                Err(e) => {
                    seen.problem = Some(e.to_string());
                    continue;
                }
            };
            seen.problem = None;
            let Some(results) = seen.follower.results() else { continue };
            let now = id(results);
            changed.extend(seen.id.replace(now.clone()).filter(|old| *old != now));
            let followed = self.campaigns.entry(now.clone()).or_default();
            let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let seen_ms = (!first).then_some(time.as_millis() as u64);
            for key in new {
                let at = results.experiments.binary_search_by_key(&key, |e| (e.stratum, e.number));
                let Some(e) = at.ok().map(|i| &results.experiments[i]) else { continue };
                if !e.class.is_failure() || followed.recent.iter().any(|r| r.1 == key) {
                    continue;
                }
                if let Some(failed) = failed(results, e, seen_ms) {
                    followed.recent.push_front((path.clone(), key, failed));
                    followed.recent.truncate(RECENT);
                }
            }
            changed.push(now);
        }
        let there: Vec<&String> = self.stores.values().filter_map(|s| s.id.as_ref()).collect();
        let gone: Vec<String> =
            self.campaigns.keys().filter(|id| !there.contains(id)).cloned().collect();
        for id in gone {
            self.campaigns.remove(&id);
        }
        // A store that went away changes what is left of its campaign.
        for (id, followed) in &self.campaigns {
            let stores = self.stores.values().filter(|s| s.id.as_ref() == Some(id)).count();
            if followed.numbers.as_ref().is_some_and(|n| n.stores.len() != stores) {
                changed.push(id.clone());
            }
        }
        changed.sort();
        changed.dedup();
        changed
    }

    /// Makes the numbers of campaigns anew.
    fn count(&mut self, changed: &[String]) {
        for id in changed {
            let Some(followed) = self.campaigns.get_mut(id) else { continue };
            let is_mine = |s: &&mut Seen| s.id.as_ref() == Some(id);
            // The report takes stores that lie together; they go back afterwards.
            let mine = self.stores.values_mut().filter(is_mine);
            let lent: Vec<Results> = mine.filter_map(|s| s.follower.lend()).collect();
            followed.numbers = Some(numbers(id, &lent));
            let mine = self.stores.values_mut().filter(is_mine);
            for (seen, results) in mine.zip(lent) {
                seen.follower.give_back(results);
            }
        }
    }

    fn snapshot(&mut self, now: Instant) -> Snapshot {
        let mut campaigns = Vec::new();
        for (id, followed) in &mut self.campaigns {
            let Some(campaign) = &mut followed.numbers else { continue };
            let mine = self.stores.values().filter(|s| s.id.as_ref() == Some(id));
            campaign.stores = mine.filter_map(store_state).collect();
            followed.pace.note(now, campaign.done);
            let running = campaign.stores.iter().any(|s| s.state == State::Running);
            campaign.state = match (campaign.missing, running) {
                (0, _) => State::Complete,
                (_, true) => State::Running,
                (_, false) => State::Stopped,
            };
            let runs = campaign.state == State::Running;
            campaign.per_second = followed.pace.per_second().filter(|_| runs);
            campaign.left = followed.pace.left(campaign.missing).filter(|_| runs);
            campaign.recent = followed.recent.iter().map(|r| r.2.clone()).collect();
            campaigns.push(campaign.clone());
        }
        campaigns.sort_by(|a, b| (a.state, &a.title, &a.id).cmp(&(b.state, &b.title, &b.id)));
        let problems = self
            .stores
            .iter()
            .filter_map(|(path, seen)| Some((path.display().to_string(), seen.problem.clone()?)));
        Snapshot { campaigns, problems: problems.collect() }
    }
}

fn store_state(seen: &Seen) -> Option<StoreState> {
    let results = seen.follower.results()?;
    Some(StoreState {
        file: results.file.clone(),
        shard: results.shard.as_ref().map(|s| (s.number, s.count)),
        state: match (seen.writer.is_some(), results.complete) {
            (true, _) => State::Running,
            (false, true) => State::Complete,
            (false, false) => State::Stopped,
        },
        done: results.experiments.len() as u64,
        planned: match results.complete {
            true => results.experiments.len() as u64,
            false => shards::planned(results),
        },
        process: seen.writer.and_then(|w| w.process),
        workers: seen.writer.map_or(0, |w| w.workers),
    })
}
