//! The store of a running campaign.

use std::path::Path;

use rusqlite::{MAIN_DB, OptionalExtension, Row, params};
use upset_metrics::Class;

use crate::check::Checked;
use crate::db::{Db, Purpose};
use crate::lock::Lock;
use crate::record::Stop;
use crate::table::{Found, Inserts, Stored, all, select};
use crate::tally::Tally;
use crate::{
    Experiment, Header, Intent, Reader, Results, Shard, StoreError, Stratum, Subject, check, fresh,
    paths,
};

/// Digests of a finished store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// Of everything: specification, subjects, strata, experiments.
    pub all: String,
    /// Of results alone ([`crate::ResultsDigest`]).
    pub results: String,
}

/// A store that is open for writing.
#[derive(Debug)]
pub struct Store {
    db: Db,
    header: Header,
    /// `None` between [`Store::finish`] and the next change.
    lock: Option<Lock>,
}

impl Store {
    /// Makes a new store of a campaign that does not say what it sets out to do.
    pub fn create(path: &Path, header: &Header) -> Result<Store, StoreError> {
        Store::begin(path, header, &[], None)
    }

    /// Makes a new store, with what is to be done in it from the first moment. An
    /// existing file is refused.
    pub fn begin(
        path: &Path,
        header: &Header,
        plan: &[Intent],
        shard: Option<&Shard>,
    ) -> Result<Store, StoreError> {
        let full = paths::absent(path)?;
        let lock = Lock::take(&full).map_err(StoreError::while_beginning)?;
        paths::absent(path)?;
        // What is left of a store that was deleted would be taken for part of
        // the new one.
        for suffix in ["-journal", "-wal", "-shm"] {
            paths::remove(&paths::beside(&full, suffix))?;
        }
        fresh::empty(&full, header, plan, shard).map_err(StoreError::while_beginning)?;
        Store::connect(&full, lock)
    }

    /// Opens a store to go on with it, after a check of everything in it.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let full = paths::existing(path)?;
        let lock = Lock::take(&full)?;
        paths::remove(&paths::fresh(&full))?;
        Store::connect(&full, lock)
    }

    /// Reads everything. Works while a campaign writes the store, after it was
    /// killed, and where nothing can be written.
    pub fn read(path: &Path) -> Result<Results, StoreError> {
        Reader::open(path)?.results(path)
    }

    fn connect(full: &Path, lock: Lock) -> Result<Store, StoreError> {
        let mut db =
            Db::connect(full, full, Purpose::Write).map_err(|e| check::foreign_or(full, e))?;
        // SQLite opens what it may not write for reading without a word.
        if db.conn.is_readonly(MAIN_DB).map_err(|e| db.explain(e))? {
            return Err(StoreError::ReadOnly { path: full.into() });
        }
        let Checked { header, tally, .. } = check::whole(&mut db, full)?;
        // A campaign that was killed as it began to write left a journal with
        // nothing in it; any transaction clears it away.
        if paths::journal(full).exists() {
            db.writing(|db| tally.save(db))?;
        }
        Ok(Store { db, header, lock: Some(lock) })
    }

    /// What was asked.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the campaign came to its end.
    pub fn is_complete(&self) -> Result<bool, StoreError> {
        Ok(Tally::load(&self.db)?.complete)
    }

    /// What the campaign set out to do, by number.
    pub fn intents(&self) -> Result<Vec<Intent>, StoreError> {
        all(&self.db, "", [])
    }

    /// The part of the campaign that is this store's, where that is not all.
    pub fn shard(&self) -> Result<Option<Shard>, StoreError> {
        Ok(all(&self.db, "", [])?.into_iter().next())
    }

    /// Subjects by number.
    pub fn subjects(&self) -> Result<Vec<Subject>, StoreError> {
        all(&self.db, "", [])
    }

    /// Strata by number.
    pub fn strata(&self) -> Result<Vec<Stratum>, StoreError> {
        all(&self.db, "", [])
    }

    /// Keeps a subject. One that is there already must be equal.
    pub fn put_subject(&mut self, subject: &Subject) -> Result<(), StoreError> {
        self.change(|db, tally| {
            if keep(db, tally, subject, "WHERE id = ?1", [subject.id])? {
                tally.subjects += 1;
            }
            Ok(())
        })
    }

    /// Keeps strata. Those that are there already must be equal.
    pub fn put_strata(&mut self, strata: &[Stratum]) -> Result<(), StoreError> {
        self.change(|db, tally| {
            for stratum in strata {
                let known: Vec<Subject> = all(db, "WHERE id = ?1", [stratum.subject])?;
                if known.is_empty() {
                    let what = format!("stratum {}: no subject {}", stratum.id, stratum.subject);
                    return Err(StoreError::Invalid { what });
                }
                if keep(db, tally, stratum, "WHERE id = ?1", [stratum.id])? {
                    tally.strata += 1;
                }
            }
            Ok(())
        })
    }

    /// Keeps experiments: all of them, durably, or none. One that is there
    /// already must be equal. Those beyond a stop don't count and are dropped.
    pub fn put(&mut self, experiments: &[Experiment]) -> Result<(), StoreError> {
        self.change(|db, tally| {
            let inserts = Inserts::new(db);
            let mut known = None;
            for experiment in experiments {
                let (stratum, number) = (experiment.stratum, experiment.number);
                let limits = match known {
                    Some((of, limits)) if of == stratum => limits,
                    _ => limits(db, stratum)?,
                };
                known = Some((stratum, limits));
                if limits.stop.is_some_and(|stop| number >= stop) {
                    continue;
                }
                if number >= limits.planned {
                    let what = format!(
                        "experiment {number} of stratum {stratum}: only {} are planned",
                        limits.planned
                    );
                    return Err(StoreError::Invalid { what });
                }
                let key = params![stratum, number as i64];
                let filter = "WHERE stratum = ?1 AND number = ?2";
                if keep_by(&inserts, tally, experiment, filter, key)? {
                    tally.experiments += 1;
                }
            }
            Ok(())
        })
    }

    /// Numbers and classes of a stratum's experiments, ascending.
    pub fn done(&self, stratum: u32) -> Result<Vec<(u64, Class)>, StoreError> {
        let unknown = || self.db.damaged(format!("an unknown class in stratum {stratum}"));
        let run = || {
            let sql = "SELECT number, class FROM experiment WHERE stratum = ?1 ORDER BY number";
            let mut select = self.db.conn.prepare_cached(sql)?;
            let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
            select.query_map([stratum], read)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = run().map_err(|e| self.db.explain(e))?;
        let done = rows
            .into_iter()
            .map(|(number, class)| Ok((number as u64, Class::parse(&class).ok_or_else(unknown)?)));
        done.collect()
    }

    /// A stratum's experiments by number.
    pub fn experiments(&self, stratum: u32) -> Result<Vec<Experiment>, StoreError> {
        all(&self.db, "WHERE stratum = ?1", [stratum])
    }

    /// Fixes that only the first `runs` experiments of a stratum count; others
    /// are removed, and refused from now on without an error.
    pub fn set_stop(&mut self, stratum: u32, runs: u64) -> Result<(), StoreError> {
        self.change(|db, tally| {
            if runs > limits(db, stratum)?.planned {
                let what = format!("a stop of stratum {stratum} beyond what is planned");
                return Err(StoreError::Invalid { what });
            }
            if !keep(db, tally, &Stop { stratum, runs }, "WHERE stratum = ?1", [stratum])? {
                return Ok(());
            }
            tally.stops += 1;
            let beyond = "WHERE stratum = ?1 AND number >= ?2";
            let key = params![stratum, runs as i64];
            select(db, beyond, key, |row: Found<Experiment>| {
                tally.subtract(row.checksum);
                tally.experiments -= 1;
                Ok(())
            })?;
            let sql = format!("DELETE FROM experiment {beyond}");
            db.conn.execute(&sql, key).map(|_| ()).map_err(|e| db.explain(e))
        })
    }

    /// How many experiments of a stratum count, where that is fixed.
    pub fn stop(&self, stratum: u32) -> Result<Option<u64>, StoreError> {
        let stops: Vec<Stop> = all(&self.db, "WHERE stratum = ?1", [stratum])?;
        Ok(stops.first().map(|s| s.runs))
    }

    /// Marks the campaign as complete, leaves one compact file and nothing
    /// beside it, and returns the digests of the results. Equal results make
    /// equal files.
    pub fn finish(&mut self) -> Result<Digests, StoreError> {
        self.take_lock()?;
        self.db.writing(|db| {
            let tally = Tally::load(db)?;
            match tally.complete {
                true => Ok(()),
                false => Tally { complete: true, ..tally }.save(db),
            }
        })?;
        let checked = fresh::compact(&self.db)?;
        let path = self.db.path.clone();
        // Written anew, it has the newest schema.
        self.db = Db { trusted: true, ..Db::connect(&path, &path, Purpose::Write)? };
        self.lock = None;
        Ok(Digests { all: checked.digest, results: checked.results.text() })
    }

    /// Digest of the results: XXH128 of their JSON lines (header, subjects,
    /// strata, experiments, each by key), whatever order they were written in.
    pub fn digest(&self) -> Result<String, StoreError> {
        self.db.reading(|| Ok(check::rows(&self.db)?.digest))
    }

    /// Limits the file to so many pages, so that tests can run out of room.
    #[doc(hidden)]
    pub fn limit_pages(&mut self, pages: u32) -> Result<(), StoreError> {
        let set = self.db.conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        set.map_err(|e| self.db.explain(e))
    }

    fn take_lock(&mut self) -> Result<(), StoreError> {
        if self.lock.is_none() {
            self.lock = Some(Lock::take(&self.db.path)?);
        }
        Ok(())
    }

    /// One transaction that brings rows and tally from one state to the next.
    fn change(
        &mut self,
        work: impl FnOnce(&Db, &mut Tally) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.take_lock()?;
        self.db.writing(|db| {
            let before = Tally::load(db)?;
            let mut after = before.clone();
            work(db, &mut after)?;
            if after != before {
                after.complete = false;
                after.save(db)?;
            }
            Ok(())
        })
    }
}

/// Inserts an item unless it is there; whether it was new.
fn keep<T: Stored>(
    db: &Db,
    tally: &mut Tally,
    item: &T,
    filter: &str,
    key: impl rusqlite::Params,
) -> Result<bool, StoreError> {
    keep_by(&Inserts::new(db), tally, item, filter, key)
}

/// The same for one of many.
fn keep_by<T: Stored>(
    inserts: &Inserts<'_, T>,
    tally: &mut Tally,
    item: &T,
    filter: &str,
    key: impl rusqlite::Params,
) -> Result<bool, StoreError> {
    if let Some(checksum) = inserts.insert(item)? {
        tally.add(checksum);
        return Ok(true);
    }
    let db = inserts.db();
    match all::<T>(db, filter, key)?.first() {
        Some(there) if there != item => Err(db.conflict(difference(there, item)?)),
        _ => Ok(false),
    }
}

/// Says where two things of one key differ.
fn difference<T: Stored>(there: &T, now: &T) -> Result<String, StoreError> {
    let mut columns = Vec::new();
    let pairs = there.values()?.into_iter().zip(now.values()?);
    for (column, (old, new)) in T::COLUMNS.iter().zip(pairs) {
        if old != new {
            columns.push(format!("{column} was {}, is now {}", short(&old), short(&new)));
        }
    }
    Ok(format!("{}: {}", there.title(), columns.join("; ")))
}

fn short(value: &rusqlite::types::Value) -> String {
    use rusqlite::types::Value;
    match value {
        Value::Null => "none".into(),
        Value::Integer(n) => n.to_string(),
        Value::Real(x) => x.to_string(),
        Value::Text(s) if s.chars().count() > 60 => {
            format!("{:?}…", s.chars().take(60).collect::<String>())
        }
        Value::Text(s) => format!("{s:?}"),
        Value::Blob(_) => "bytes".into(),
    }
}

/// How many experiments a stratum may have.
#[derive(Clone, Copy)]
struct Limits {
    planned: u64,
    stop: Option<u64>,
}

fn limits(db: &Db, stratum: u32) -> Result<Limits, StoreError> {
    let sql = "SELECT planned, runs FROM stratum LEFT JOIN stop ON stop.stratum = stratum.id \
               WHERE id = ?1";
    let run = || {
        let mut select = db.conn.prepare_cached(sql)?;
        select.query_row([stratum], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, Option<i64>>(1)?)))
    };
    let found = run().optional().map_err(|e| db.explain(e))?;
    let (planned, stop) = found
        .ok_or_else(|| StoreError::Invalid { what: format!("there is no stratum {stratum}") })?;
    Ok(Limits { planned: planned as u64, stop: stop.map(|n| n as u64) })
}
