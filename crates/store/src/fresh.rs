//! A new file in a store's place, all at once.
//!
//! A new store appears with its header or not at all, and a finished one is
//! written anew in the order of its keys: equal results give equal files,
//! whatever happened on the way.

use std::fs::{self, OpenOptions};
use std::path::Path;

use crate::check::Checked;
use crate::db::{Db, Purpose};
use crate::record::Stop;
use crate::table::{Inserts, Stored, insert};
use crate::tally::Tally;
use crate::{
    Experiment, Header, Intent, Shard, StoreError, Stratum, Subject, check, paths, schema,
};

/// Makes the file of a store that holds nothing but what is to be done.
pub fn empty(
    path: &Path,
    header: &Header,
    plan: &[Intent],
    shard: Option<&Shard>,
) -> Result<Checked, StoreError> {
    replace(path, |db| {
        let mut tally = Tally::default();
        tally.add(insert(db, header)?);
        for intent in plan {
            tally.add(insert(db, intent)?);
        }
        if let Some(shard) = shard {
            tally.add(insert(db, shard)?);
        }
        tally.save(db)
    })
}

/// Writes a store anew.
pub fn compact(old: &Db) -> Result<Checked, StoreError> {
    replace(&old.path, |new| {
        let told = Tally::load(old)?;
        let mut tally = Tally { complete: told.complete, ..Tally::default() };
        copy::<Header>(old, new, &mut tally)?;
        copy::<Intent>(old, new, &mut tally)?;
        copy::<Shard>(old, new, &mut tally)?;
        tally.subjects = copy::<Subject>(old, new, &mut tally)?;
        tally.strata = copy::<Stratum>(old, new, &mut tally)?;
        tally.stops = copy::<Stop>(old, new, &mut tally)?;
        tally.experiments = copy::<Experiment>(old, new, &mut tally)?;
        match tally == told {
            true => tally.save(new),
            false => Err(old.damaged("rows were lost while it was in use")),
        }
    })
}

fn copy<T: Stored>(old: &Db, new: &Db, tally: &mut Tally) -> Result<u64, StoreError> {
    let (mut rows, inserts) = (0, Inserts::new(new));
    T::each(old, |row| {
        rows += 1;
        tally.add(row.checksum);
        inserts.insert_with(&row.item, row.checksum).map(drop)
    })?;
    Ok(rows)
}

/// Builds a file beside the store, checks it, makes it durable and renames it.
pub fn replace(
    path: &Path,
    fill: impl FnOnce(&Db) -> Result<(), StoreError>,
) -> Result<Checked, StoreError> {
    let new = paths::fresh(path);
    paths::remove(&new)?;
    let done = build(&new, path, fill).and_then(|checked| {
        swap(&new, path)?;
        Ok(checked)
    });
    if done.is_err() {
        let _ = paths::remove(&new);
    }
    done
}

fn build(
    new: &Path,
    path: &Path,
    fill: impl FnOnce(&Db) -> Result<(), StoreError>,
) -> Result<Checked, StoreError> {
    let mut db = Db::connect(new, path, Purpose::Build)?;
    db.writing(|db| {
        schema::create(&db.conn).map_err(|e| db.explain(e))?;
        fill(db)
    })?;
    drop(db);
    let db = Db::connect(new, path, Purpose::Read)?;
    db.reading(|| check::version(&db).and_then(|_| check::everything(&db, new)))
}

fn swap(new: &Path, path: &Path) -> Result<(), StoreError> {
    let run = || {
        if let Ok(old) = fs::metadata(path) {
            fs::set_permissions(new, old.permissions())?;
        }
        OpenOptions::new().write(true).open(new)?.sync_all()?;
        fs::rename(new, path)?;
        paths::sync_folder(path)
    };
    run().map_err(|e| paths::explain(path, "write", e))
}
