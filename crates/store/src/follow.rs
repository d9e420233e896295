//! A store that is read again and again while a campaign writes it.
//!
//! [`Reader`] checks everything in one transaction, and the campaign cannot
//! commit meanwhile. Who looks every second must not do that: a [`Follower`]
//! reads what is new alone, a little at a time, and checks each row by its
//! checksum.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::params;

use crate::db::{Db, Purpose, needs_recovery};
use crate::lock;
use crate::paths::{self, Stamp};
use crate::table::{Found, all, select};
use crate::tally::Tally;
use crate::{Experiment, Header, Intent, Reader, Results, Shard, StoreError, Stratum, Subject};
use crate::{check, schema};

/// Experiments per transaction: a few milliseconds.
const CHUNK: u64 = 512;

/// How long to wait for a transaction of the campaign. The next look is not far.
const PATIENCE: Duration = Duration::from_millis(200);

/// File systems tell times in ticks: a file that changed this short a time ago may
/// have changed again unseen.
const TICK: Duration = Duration::from_secs(2);

/// A key of an experiment: stratum and number.
pub type Key = (u32, u64);

/// What was read of a store so far.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Of the store and its journal, at the last look.
    stamps: (Option<Stamp>, Option<Stamp>),
    tally: Tally,
    /// `None` before the first look at a store.
    results: Option<Results>,
}

impl Follower {
    /// Of a store that need not be there yet.
    pub fn new(path: &Path) -> Follower {
        let stamps = (None, None);
        Follower { path: path.into(), stamps, tally: Tally::default(), results: None }
    }

    /// The store, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is known of it.
    pub fn results(&self) -> Option<&Results> {
        self.results.as_ref()
    }

    /// Hands out what is known, to be [given back](Follower::give_back).
    pub fn lend(&mut self) -> Option<Results> {
        self.results.take()
    }

    /// Takes back what was lent.
    pub fn give_back(&mut self, results: Results) {
        self.results = Some(results);
    }

    /// Whether somebody writes it now.
    pub fn is_written(&self) -> bool {
        paths::existing(&self.path).is_ok_and(|full| lock::is_held(&full))
    }

    /// The file that whoever writes the store has locked.
    pub fn lock_file(&self) -> Option<PathBuf> {
        paths::existing(&self.path).ok().map(|full| paths::lock(&full))
    }

    /// Looks at the store: the experiments that are new, or `None` when nothing
    /// has changed. `keep` may drop what the caller has no use for. After an error
    /// what was known stays known.
    pub fn look(&mut self, keep: &dyn Fn(&mut Experiment)) -> Result<Option<Vec<Key>>, StoreError> {
        let full = paths::existing(&self.path)?;
        let stamps = (paths::stamp(&full), paths::stamp(&paths::journal(&full)));
        let fresh = stamps.0.is_some_and(|(.., time)| is_fresh(time));
        if self.results.is_some() && stamps == self.stamps && !fresh {
            return Ok(None);
        }
        let found = match self.read(&full, keep) {
            // A killed campaign left a journal: read past it, in a copy.
            Err(e) if needs_recovery(&e) && stamps.1.is_some() => self.recover(keep),
            found => found,
        };
        if found.is_ok() {
            self.stamps = stamps;
        }
        found
    }

    fn read(
        &mut self,
        full: &Path,
        keep: &dyn Fn(&mut Experiment),
    ) -> Result<Option<Vec<Key>>, StoreError> {
        let mut db = Db::connect(full, &self.path, Purpose::Read)?;
        db.conn.busy_timeout(PATIENCE).map_err(|e| db.explain(e))?;
        db.version = db.reading(|| check::version(&db))?;
        let (tally, frame) = db.reading(|| {
            if !schema::is_ours(&db.conn, db.version).map_err(|e| db.explain(e))? {
                return Err(db.damaged("its tables are not those of a store"));
            }
            let tally = Tally::load(&db)?;
            match self.results.is_some() && tally == self.tally {
                true => Ok((tally, None)),
                false => Ok((tally, Some(Frame::read(&db)?))),
            }
        })?;
        let Some(frame) = frame else { return Ok(None) };
        let results = frame.onto(self.results.take(), &self.path, tally.complete);
        let results = self.results.insert(results);
        let new = experiments(&db, results, keep)?;
        self.tally = tally;
        Ok(Some(new))
    }

    fn recover(&mut self, keep: &dyn Fn(&mut Experiment)) -> Result<Option<Vec<Key>>, StoreError> {
        let mut results = Reader::open(&self.path)?.results(&self.path)?;
        results.experiments.iter_mut().for_each(keep);
        let known = self.results.take().map(|r| r.experiments).unwrap_or_default();
        let is_new = |e: &&Experiment| known.binary_search_by_key(&key(e), key).is_err();
        let new = results.experiments.iter().filter(is_new).map(key).collect();
        self.results = Some(results);
        self.tally = Tally::default();
        Ok(Some(new))
    }
}

fn key(e: &Experiment) -> Key {
    (e.stratum, e.number)
}

fn is_fresh(time: SystemTime) -> bool {
    // A time to come is the clock of another machine: no reason to trust it.
    SystemTime::now().duration_since(time).map_or(true, |age| age < TICK)
}

/// All but the experiments: small, and read as a whole.
struct Frame {
    header: Option<Header>,
    intents: Vec<Intent>,
    shard: Option<Shard>,
    subjects: Vec<Subject>,
    strata: Vec<Stratum>,
}

impl Frame {
    fn read(db: &Db) -> Result<Frame, StoreError> {
        Ok(Frame {
            header: all(db, "", [])?.into_iter().next(),
            intents: all(db, "", [])?,
            shard: all(db, "", [])?.into_iter().next(),
            subjects: all(db, "", [])?,
            strata: all(db, "", [])?,
        })
    }

    /// Around the experiments that are known, if they are of the same campaign.
    fn onto(self, known: Option<Results>, path: &Path, complete: bool) -> Results {
        let Frame { header, intents, shard, subjects, strata } = self;
        let header = header.unwrap_or(Header {
            tool: String::new(),
            spec: String::new(),
            seed: 0,
            confidence: 0.0,
        });
        let same = |k: &Results| {
            k.header == header
                && k.shard == shard
                && subjects.starts_with(&k.subjects)
                && strata.starts_with(&k.strata)
        };
        let experiments = known.filter(same).map(|k| k.experiments).unwrap_or_default();
        let file = path.display().to_string();
        Results { file, complete, header, intents, shard, subjects, strata, experiments }
    }
}

/// Brings the experiments up to date; the keys of new ones.
fn experiments(
    db: &Db,
    results: &mut Results,
    keep: &dyn Fn(&mut Experiment),
) -> Result<Vec<Key>, StoreError> {
    let mut new: Vec<Experiment> = Vec::new();
    let mut gone: Vec<Key> = Vec::new();
    for stratum in &results.strata {
        let from = results.experiments.partition_point(|e| e.stratum < stratum.id);
        let to = results.experiments.partition_point(|e| e.stratum <= stratum.id);
        let known = &results.experiments[from..to];
        // What is all there stays so, but for plans that end early and drop the rest.
        if known.len() as u64 == stratum.planned && !stratum.is_sequential() {
            continue;
        }
        let there = numbers(db, stratum.id)?;
        let has = |n: u64| known.binary_search_by_key(&n, |e| e.number).is_ok();
        gone.extend(known.iter().filter(|e| there.binary_search(&e.number).is_err()).map(key));
        let missing: Vec<u64> = there.into_iter().filter(|n| !has(*n)).collect();
        for chunk in chunks(&missing) {
            let range = params![stratum.id, chunk.0 as i64, chunk.1 as i64];
            let filter = "WHERE stratum = ?1 AND number BETWEEN ?2 AND ?3";
            select(db, filter, range, |row: Found<Experiment>| {
                let mut e = row.item;
                keep(&mut e);
                new.push(e);
                Ok(())
            })?;
        }
    }
    if !gone.is_empty() {
        results.experiments.retain(|e| gone.binary_search(&key(e)).is_err());
    }
    let keys = new.iter().map(key).collect();
    results.experiments.append(&mut new);
    results.experiments.sort_by_key(key);
    Ok(keys)
}

/// Numbers of a stratum's experiments, ascending.
fn numbers(db: &Db, stratum: u32) -> Result<Vec<u64>, StoreError> {
    let run = || {
        let sql = "SELECT number FROM experiment WHERE stratum = ?1 ORDER BY number";
        let mut select = db.conn.prepare_cached(sql)?;
        let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        select.query_map([stratum], read)?.collect::<rusqlite::Result<Vec<i64>>>()
    };
    let found = run().map_err(|e| db.explain(e))?;
    Ok(found.into_iter().map(|n| n as u64).collect())
}

/// Consecutive numbers as first and last, none of them too many.
fn chunks(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut list: Vec<(u64, u64)> = Vec::new();
    for &n in numbers {
        match list.last_mut() {
            Some((first, last)) if *last + 1 == n && n - *first < CHUNK => *last = n,
            _ => list.push((n, n)),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_pieces() {
        assert_eq!(chunks(&[]), []);
        assert_eq!(chunks(&[3]), [(3, 3)]);
        assert_eq!(chunks(&[0, 1, 2, 5, 7, 8]), [(0, 2), (5, 5), (7, 8)]);
        let many: Vec<u64> = (0..CHUNK + 10).collect();
        assert_eq!(chunks(&many), [(0, CHUNK - 1), (CHUNK, CHUNK + 9)]);
    }
}
