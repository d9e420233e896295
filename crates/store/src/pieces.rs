//! Many experiments, read and checked in several threads, and handed on in the
//! order of their keys: whoever reads them cannot tell it from one thread.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use rusqlite::OptionalExtension;

use crate::db::{Db, Purpose};
use crate::table::{Found, select};
use crate::{Experiment, StoreError};

/// Experiments of a piece.
const PIECE: u64 = 1024;
/// So many are more experiments than anybody has; a damaged number can say so.
const MOST_PIECES: u64 = 1 << 16;
/// With fewer pieces, a connection for each thread costs more than it saves.
const WORTH: usize = 8;
/// More threads than this wait for the one that takes what they have read.
const MOST: usize = 16;

/// Some experiments: of a stratum, with numbers from, to.
type Piece = (u32, u64, u64);

/// Hands every experiment to `each`, by stratum and number, as [`select`] does. What
/// others write meanwhile must not be seen: to be called inside of a transaction, or by
/// the only writer.
pub fn every_experiment(
    db: &Db,
    mut each: impl FnMut(Found<Experiment>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST);
    let pieces = pieces(db)?;
    let file = db.conn.path().filter(|path| !path.is_empty()).map(PathBuf::from);
    match file {
        Some(file) if threads > 1 && pieces.len() >= WORTH => {
            in_threads(db, file, &pieces, threads, &mut each)
        }
        _ => select(db, "", [], each),
    }
}

/// The pieces that hold all experiments of strata that the store has; none if there are
/// too many. (Experiments of other strata are found to be missing by the tally.)
fn pieces(db: &Db) -> Result<Vec<Piece>, StoreError> {
    let explain = |e| db.explain(e);
    let mut strata = db.conn.prepare("SELECT id FROM stratum ORDER BY id").map_err(explain)?;
    let ids = strata.query_map([], |row| row.get::<_, u32>(0)).map_err(explain)?;
    let mut last = db
        .conn
        .prepare("SELECT number FROM experiment WHERE stratum = ?1 ORDER BY number DESC LIMIT 1")
        .map_err(explain)?;
    let mut pieces = Vec::new();
    for id in ids {
        let id = id.map_err(explain)?;
        let last = last.query_row([id], |row| row.get::<_, i64>(0)).optional().map_err(explain)?;
        let end = last.and_then(|n| u64::try_from(n).ok()).map_or(0, |n| n.saturating_add(1));
        let count = end.div_ceil(PIECE);
        if count.saturating_add(pieces.len() as u64) > MOST_PIECES {
            return Ok(Vec::new());
        }
        pieces.extend((0..count).map(|i| (id, i * PIECE, ((i + 1) * PIECE).min(end))));
    }
    Ok(pieces)
}

type Read = (usize, Result<Vec<Found<Experiment>>, StoreError>);

fn in_threads(
    db: &Db,
    file: PathBuf,
    pieces: &[Piece],
    threads: usize,
    each: &mut dyn FnMut(Found<Experiment>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (tell, hear) = sync_channel::<Read>(threads);
        for _ in 0..threads.min(pieces.len()) {
            let (tell, next, file, path) = (tell.clone(), &next, &file, db.path.clone());
            let (version, trusted) = (db.version, db.trusted);
            scope.spawn(move || {
                let take = || next.fetch_add(1, Ordering::Relaxed);
                let own = match Db::connect(file, &path, Purpose::Read) {
                    Ok(own) => Db { version, trusted, ..own },
                    // It says so of the piece that it would have read first.
                    Err(e) => return drop(tell.send((take(), Err(e)))),
                };
                loop {
                    let at = take();
                    let Some(piece) = pieces.get(at) else { break };
                    let read = own.reading(|| piece_of(&own, *piece));
                    if tell.send((at, read)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        in_order(&hear, pieces.len(), each)
    })
}

fn piece_of(db: &Db, (stratum, from, to): Piece) -> Result<Vec<Found<Experiment>>, StoreError> {
    let mut found = Vec::with_capacity((to - from) as usize);
    let key = [i64::from(stratum), from as i64, to as i64];
    select(db, "WHERE stratum = ?1 AND number >= ?2 AND number < ?3", key, |row| {
        found.push(row);
        Ok(())
    })?;
    Ok(found)
}

/// Hands on what is heard, by number of its piece.
fn in_order(
    hear: &Receiver<Read>,
    count: usize,
    each: &mut dyn FnMut(Found<Experiment>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut early = BTreeMap::new();
    for at in 0..count {
        while !early.contains_key(&at) {
            // Everybody is gone only where a thread panicked: then this one does, too.
            let Ok((at, read)) = hear.recv() else { return Ok(()) };
            early.insert(at, read);
        }
        if let Some(read) = early.remove(&at) {
            read?.into_iter().try_for_each(&mut *each)?;
        }
    }
    Ok(())
}
