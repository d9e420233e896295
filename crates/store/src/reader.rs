//! Reading a store, whoever else has it open and wherever it lies.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

use crate::check::{self, Checked};
use crate::db::{Db, Purpose, needs_recovery};
use crate::record::Stop;
use crate::table::{Found, Stored, all, select_some};
use crate::tally::Tally;
use crate::{Experiment, Header, Intent, Results, Shard, StoreError, Stratum, Subject, paths};

/// Experiments per transaction: a reader that is slow (a pipe, a pager) must
/// not keep the campaign from writing.
const CHUNK: usize = 4096;

/// Times that a store is looked at while it changes under our eyes.
const ATTEMPTS: u32 = 5;

/// A store that is only read.
///
/// Nothing is written beside the store. While a campaign runs, experiments that
/// it adds meanwhile may or may not be seen.
pub struct Reader {
    db: Db,
    checked: Checked,
    /// Keeps the copy that is read instead of the store.
    _copy: Option<TempDir>,
}

impl Reader {
    /// Opens a store and checks all of it.
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        let full = paths::existing(path)?;
        let mut attempt = 1;
        loop {
            let before = stamps(&full);
            let found = match Reader::direct(&full) {
                // Also said, wrongly, of a journal that vanishes at this moment.
                Err(e) if needs_recovery(&e) && before.1.is_some() => Reader::copied(&full),
                found => found,
            };
            // What went wrong may be that it was written or replaced meanwhile.
            let again = matches!(&found, Err(e) if needs_recovery(e) || stamps(&full) != before);
            if !again || attempt == ATTEMPTS {
                return found;
            }
            attempt += 1;
            sleep(Duration::from_millis(20));
        }
    }

    fn direct(path: &Path) -> Result<Reader, StoreError> {
        let mut db = Db::connect(path, path, Purpose::Read)?;
        let checked = check::whole(&mut db, path)?;
        Ok(Reader { db, checked, _copy: None })
    }

    /// Reads a copy, where what a killed campaign left can be rolled back without
    /// touching the store.
    fn copied(path: &Path) -> Result<Reader, StoreError> {
        let copy = || {
            let folder = tempfile::tempdir()?;
            let file = folder.path().join("store.db");
            fs::copy(path, &file)?;
            if paths::journal(path).exists() {
                fs::copy(paths::journal(path), paths::journal(&file))?;
            }
            Ok((folder, file))
        };
        let (folder, file) = copy().map_err(|source| StoreError::Io {
            path: path.into(),
            doing: "make a temporary copy of",
            source,
        })?;
        let mut db =
            Db::connect(&file, path, Purpose::Copy).map_err(|e| check::foreign_or(path, e))?;
        let checked = check::whole(&mut db, &file)?;
        Ok(Reader { db, checked, _copy: Some(folder) })
    }

    /// What was asked.
    pub fn header(&self) -> &Header {
        &self.checked.header
    }

    /// Whether the campaign came to its end.
    pub fn is_complete(&self) -> bool {
        self.checked.tally.complete
    }

    /// Digest of the results when the store was opened.
    pub fn digest(&self) -> &str {
        &self.checked.digest
    }

    /// Digest of the results alone when the store was opened.
    pub fn results_digest(&self) -> String {
        self.checked.results.text()
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

    /// A stratum's experiments by number.
    pub fn experiments(&self, stratum: u32) -> Result<Vec<Experiment>, StoreError> {
        all(&self.db, "WHERE stratum = ?1", [stratum])
    }

    /// How many experiments of a stratum count, where that is fixed.
    pub fn stop(&self, stratum: u32) -> Result<Option<u64>, StoreError> {
        let stops: Vec<Stop> = all(&self.db, "WHERE stratum = ?1", [stratum])?;
        Ok(stops.first().map(|s| s.runs))
    }

    /// Hands every experiment to `each`, by stratum and number.
    pub fn each_experiment(
        &self,
        mut each: impl FnMut(Experiment) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut last = (-1, -1);
        loop {
            let mut chunk = Vec::with_capacity(CHUNK);
            let filter = "WHERE (stratum, number) > (?1, ?2)";
            select_some(&self.db, filter, CHUNK, last, |row: Found<Experiment>| {
                chunk.push(row.item);
                Ok(())
            })?;
            let full = chunk.len() == CHUNK;
            if let Some(e) = chunk.last() {
                last = (i64::from(e.stratum), e.number as i64);
            }
            chunk.into_iter().try_for_each(&mut each)?;
            if !full {
                return Ok(());
            }
        }
    }

    /// Everything, as of one moment.
    pub fn results(&self, file: &Path) -> Result<Results, StoreError> {
        self.db.reading(|| {
            let mut experiments = Vec::new();
            Experiment::each(&self.db, |row| {
                experiments.push(row.item);
                Ok(())
            })?;
            Ok(Results {
                file: file.display().to_string(),
                complete: Tally::load(&self.db)?.complete,
                header: self.checked.header.clone(),
                intents: self.intents()?,
                shard: self.shard()?,
                subjects: self.subjects()?,
                strata: self.strata()?,
                experiments,
            })
        })
    }
}

/// The state of a store and its journal, as far as the file system tells.
fn stamps(path: &Path) -> (Option<paths::Stamp>, Option<paths::Stamp>) {
    (paths::stamp(path), paths::stamp(&paths::journal(path)))
}
