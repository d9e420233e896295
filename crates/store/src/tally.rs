//! What a store must hold, by its own account.
//!
//! One row, rewritten in every transaction: how many rows each table has and
//! the sum of all their checksums. A row that is lost, doubled, or from another
//! moment than the rest changes the sum.

use rusqlite::{Row, params};
use xxhash_rust::xxh3::xxh3_128;

use crate::StoreError;
use crate::db::Db;

/// The account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Whether the campaign came to its end.
    pub complete: bool,
    /// Rows of `subject`.
    pub subjects: u64,
    /// Rows of `stratum`.
    pub strata: u64,
    /// Rows of `stop`.
    pub stops: u64,
    /// Rows of `experiment`.
    pub experiments: u64,
    /// Sum of the checksums of these and of the header, modulo 2^128.
    pub sum: u128,
}

impl Tally {
    /// Adds a row's checksum.
    pub fn add(&mut self, checksum: u128) {
        self.sum = self.sum.wrapping_add(checksum);
    }

    /// Takes a row's checksum away.
    pub fn subtract(&mut self, checksum: u128) {
        self.sum = self.sum.wrapping_sub(checksum);
    }

    fn checksum(&self) -> u128 {
        let Tally { complete, subjects, strata, stops, experiments, sum } = self;
        let complete = u8::from(*complete);
        let line =
            format!("tally {complete} {subjects} {strata} {stops} {experiments} {sum:032x}\n");
        xxh3_128(line.as_bytes())
    }

    /// Reads and checks it.
    pub fn load(db: &Db) -> Result<Tally, StoreError> {
        let sql = "SELECT complete, subjects, strata, stops, experiments, sum, checksum FROM tally";
        let (tally, stored) =
            db.conn.prepare_cached(sql).and_then(|mut s| s.query_row([], from_row)).map_err(
                |e| match e {
                    rusqlite::Error::SqliteFailure(..) => db.explain(e),
                    e => db.damaged(format!("its tally: {e}")),
                },
            )?;
        match stored == tally.checksum() {
            true => Ok(tally),
            false => Err(db.damaged("its tally does not fit its checksum")),
        }
    }

    /// Writes it in place of the last one.
    pub fn save(&self, db: &Db) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO tally VALUES (0, ?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let run = || {
            db.conn.prepare_cached(sql)?.execute(params![
                self.complete,
                self.subjects as i64,
                self.strata as i64,
                self.stops as i64,
                self.experiments as i64,
                self.sum.to_be_bytes(),
                self.checksum().to_be_bytes(),
            ])
        };
        run().map(|_| ()).map_err(|e| db.explain(e))
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<(Tally, u128)> {
    let count = |column| {
        let n: i64 = row.get(column)?;
        u64::try_from(n).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, n))
    };
    let tally = Tally {
        complete: row.get(0)?,
        subjects: count(1)?,
        strata: count(2)?,
        stops: count(3)?,
        experiments: count(4)?,
        sum: u128::from_be_bytes(row.get(5)?),
    };
    Ok((tally, u128::from_be_bytes(row.get(6)?)))
}
