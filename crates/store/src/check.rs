//! Whether a file is a store, whole, and ours to read.
//!
//! SQLite's own check finds broken pages; a page that was replaced by another
//! valid one, or a value that changed, it cannot see. So every row has a
//! checksum and the tally has the sum of them all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::db::Db;
use crate::record::{Digest, Stop};
use crate::schema::{self, APPLICATION_ID, OLDEST, VERSION};
use crate::table::Stored;
use crate::tally::Tally;
use crate::{Experiment, Header, Intent, ResultsDigest, Shard, StoreError, Stratum, Subject};

/// What a check finds.
pub struct Checked {
    /// What was asked.
    pub header: Header,
    /// What the store says it holds, and does.
    pub tally: Tally,
    /// Digest of the results.
    pub digest: String,
    /// Digest of the results alone.
    pub results: ResultsDigest,
}

/// Checks a store and, when it is whole, trusts it from then on.
pub fn whole(db: &mut Db, file: &Path) -> Result<Checked, StoreError> {
    db.version = db.reading(|| version(db))?;
    let checked = db.reading(|| everything(db, file))?;
    db.trusted = true;
    Ok(checked)
}

/// The schema version of a store, where it is one that we read.
pub fn version(db: &Db) -> Result<u32, StoreError> {
    let explain = |e| foreign_or(&db.path, db.explain(e));
    let id: i64 = pragma(db, "application_id").map_err(explain)?;
    let outside: i64 = pragma(db, "user_version").map_err(explain)?;
    let inside: i64 = db
        .conn
        .query_row("SELECT version FROM upset_store", [], |row| row.get(0))
        .map_err(explain)?;
    // Told twice, so that a flipped bit is not taken for a newer version.
    let version = match u32::try_from(inside) {
        Ok(v @ 1..) if id == i64::from(APPLICATION_ID) && outside == inside => v,
        _ => return Err(db.damaged("its header does not fit its content")),
    };
    let path = db.path.clone();
    match version {
        OLDEST..=VERSION => Ok(version),
        ..OLDEST => Err(StoreError::Older { path, found: version, known: VERSION }),
        _ => Err(StoreError::Newer { path, found: version, known: VERSION }),
    }
}

/// Checks everything in `file`. To be called inside of a transaction.
pub fn everything(db: &Db, file: &Path) -> Result<Checked, StoreError> {
    // SQLite takes what is missing of the last page for zeros.
    let pages: u64 = pragma(db, "page_count").map_err(|e| db.explain(e))?;
    let size: u64 = pragma(db, "page_size").map_err(|e| db.explain(e))?;
    if fs::metadata(file).is_ok_and(|meta| meta.len() < pages.saturating_mul(size)) {
        return Err(db.damaged("its end is missing"));
    }
    if !schema::is_ours(&db.conn, db.version).map_err(|e| db.explain(e))? {
        return Err(db.damaged("its tables are not those of a store"));
    }
    let verdict: String = pragma(db, "integrity_check(1)").map_err(|e| db.explain(e))?;
    if verdict != "ok" {
        return Err(db.damaged(verdict.replace('\n', " ")));
    }
    let mut orphans = db.conn.prepare("PRAGMA foreign_key_check").map_err(|e| db.explain(e))?;
    if orphans.exists([]).map_err(|e| db.explain(e))? {
        return Err(db.damaged("rows refer to rows that are not there"));
    }
    rows(db)
}

/// Checks all rows against their checksums and the tally.
pub fn rows(db: &Db) -> Result<Checked, StoreError> {
    let told = Tally::load(db)?;
    let mut found = Tally { complete: told.complete, ..Tally::default() };
    let mut digest = Digest::new();
    let mut header = None;
    walk(db, &mut found, &mut digest, |h: Header| header = Some(h))?;
    let (mut subjects, mut strata) = (BTreeMap::new(), BTreeMap::new());
    let mut results = ResultsDigest::default();
    found.subjects = walk(db, &mut found, &mut digest, |s: Subject| {
        subjects.insert(s.id, s);
    })?;
    found.strata = walk(db, &mut found, &mut digest, |s: Stratum| {
        strata.insert(s.id, s.subject);
    })?;
    found.experiments = walk(db, &mut found, &mut digest, |e: Experiment| {
        if let Some(subject) = strata.get(&e.stratum).and_then(|s| subjects.get(s)) {
            results.add(subject, &e);
        }
    })?;
    let mut aside = Digest::new();
    walk(db, &mut found, &mut aside, |_: Intent| ())?;
    walk(db, &mut found, &mut aside, |_: Shard| ())?;
    found.stops = walk(db, &mut found, &mut aside, |_: Stop| ())?;
    match header {
        Some(header) if found == told => {
            Ok(Checked { header, tally: told, digest: digest.text(), results })
        }
        _ => Err(db.damaged(format!(
            "{} experiments where it counted {}, or rows of different moments",
            found.experiments, told.experiments
        ))),
    }
}

/// Adds all rows of a table to the tally and the digest; how many there are.
fn walk<T: Stored>(
    db: &Db,
    tally: &mut Tally,
    digest: &mut Digest,
    mut each: impl FnMut(T),
) -> Result<u64, StoreError> {
    let mut rows = 0;
    T::each(db, |row| {
        rows += 1;
        tally.add(row.checksum);
        digest.add(&row.line);
        each(row.item);
        Ok(())
    })?;
    Ok(rows)
}

fn pragma<T: rusqlite::types::FromSql>(db: &Db, name: &str) -> rusqlite::Result<T> {
    db.conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}

/// Tells a damaged store from a file that never was one.
pub fn foreign_or(path: &Path, e: StoreError) -> StoreError {
    match e {
        StoreError::Damaged { .. } => match looks(path) {
            Some(what) => StoreError::Foreign { path: path.into(), what },
            None => e,
        },
        e => e,
    }
}

/// What a file is that does not begin as a store does: `None` when it does, or
/// when the little that is left of it does.
fn looks(path: &Path) -> Option<String> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut start = Vec::new();
    File::open(path).ok()?.take(100).read_to_end(&mut start).ok()?;
    let magic = start.len().min(MAGIC.len());
    let begins = start[..magic] == MAGIC[..magic];
    let ours = start.get(68..72).map(|id| id == APPLICATION_ID.to_be_bytes());
    match (begins, ours) {
        (_, Some(true)) | (true, None) => None,
        (true, Some(false)) => Some("an SQLite file of another program".into()),
        (false, _) => Some("not an SQLite file, or its beginning is overwritten".into()),
    }
}
