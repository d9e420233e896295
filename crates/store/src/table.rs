//! Rows in general: every table of results is written, read and checked the
//! same way.

use std::marker::PhantomData;

use rusqlite::types::Value;
use rusqlite::{Params, Row, params_from_iter};
use xxhash_rust::xxh3::xxh3_128;

use crate::StoreError;
use crate::db::Db;
use crate::record::Record;
use crate::schema::{has_column, has_table};

/// A kind of thing that has a table.
pub trait Stored: Sized + PartialEq {
    /// The table.
    const TABLE: &'static str;
    /// Its columns, without the checksum.
    const COLUMNS: &'static [&'static str];
    /// The columns that are its key.
    const KEY: &'static str;

    /// The canonical form.
    fn record(&self) -> Record<'_>;
    /// Values of the columns.
    fn values(&self) -> Result<Vec<Value>, StoreError>;
    /// From the columns.
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self>;
    /// What it is called in messages.
    fn title(&self) -> String;

    /// Hands all rows to `each`, in the order of their keys, inside of a transaction.
    fn each(
        db: &Db,
        each: impl FnMut(Found<Self>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        select(db, "", [], each)
    }
}

/// A row that was found to be as it was written.
pub struct Found<T> {
    /// What it holds.
    pub item: T,
    /// Its canonical form.
    pub line: Vec<u8>,
    /// Checksum of the line.
    pub checksum: u128,
}

/// The columns that the table of a store has, with `instead` of those that its
/// version lacks.
fn columns<T: Stored>(db: &Db, instead: Option<&'static str>) -> String {
    let column = |c: &&'static str| match has_column(T::TABLE, c, db.version) {
        true => Some(*c),
        false => instead,
    };
    T::COLUMNS.iter().filter_map(column).collect::<Vec<_>>().join(", ")
}

/// Inserts a row that is not there; returns its checksum.
pub fn insert<T: Stored>(db: &Db, item: &T) -> Result<u128, StoreError> {
    Inserts::new(db).insert_new(item)
}

/// Inserts rows of a kind, whose statement is put together once.
pub struct Inserts<'d, T> {
    db: &'d Db,
    sql: String,
    /// Which of its columns the store has.
    kept: Vec<bool>,
    of: PhantomData<T>,
}

impl<'d, T: Stored> Inserts<'d, T> {
    /// Into the table of `T`.
    pub fn new(db: &'d Db) -> Inserts<'d, T> {
        let kept: Vec<bool> =
            T::COLUMNS.iter().map(|c| has_column(T::TABLE, c, db.version)).collect();
        let count = kept.iter().filter(|k| **k).count() + 1;
        let places = (1..=count).map(|i| format!("?{i}")).collect::<Vec<_>>().join(", ");
        let sql = format!(
            "INSERT INTO {} ({}, checksum) VALUES ({places}) ON CONFLICT ({}) DO NOTHING",
            T::TABLE,
            columns::<T>(db, None),
            T::KEY
        );
        Inserts { db, sql, kept, of: PhantomData }
    }

    /// Where they go.
    pub fn db(&self) -> &'d Db {
        self.db
    }

    /// Inserts a row that is not there; returns its checksum.
    pub fn insert_new(&self, item: &T) -> Result<u128, StoreError> {
        let twice = || self.db.damaged(format!("{} is there twice", item.title()));
        self.insert(item)?.ok_or_else(twice)
    }

    /// Inserts a row and returns its checksum, unless there is one with its key.
    pub fn insert(&self, item: &T) -> Result<Option<u128>, StoreError> {
        let checksum = xxh3_128(&item.record().line()?);
        Ok(self.insert_with(item, checksum)?.then_some(checksum))
    }

    /// Inserts a row whose checksum is known; false: there is one with its key.
    pub fn insert_with(&self, item: &T, checksum: u128) -> Result<bool, StoreError> {
        let Inserts { db, sql, kept, .. } = self;
        let mut values = item.values()?;
        if values.iter().zip(kept).any(|(value, kept)| !kept && *value != Value::Null) {
            let what = format!(
                "{} has what stores of version {} cannot keep (watched counters, a margin that \
                 ends a plan): begin a new store",
                item.title(),
                db.version
            );
            return Err(StoreError::Invalid { what });
        }
        let mut kept = kept.iter();
        values.retain(|_| kept.next().is_none_or(|kept| *kept));
        values.push(Value::Blob(checksum.to_be_bytes().to_vec()));
        let run = || db.conn.prepare_cached(sql)?.execute(params_from_iter(values));
        run().map(|rows| rows > 0).map_err(|e| db.explain(e))
    }
}

/// Hands the rows that `filter` selects to `each`, in the order of their keys;
/// a row that does not fit its checksum is an error.
pub fn select<T: Stored>(
    db: &Db,
    filter: &str,
    params: impl Params,
    mut each: impl FnMut(Found<T>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT {}, checksum FROM {} {filter} ORDER BY {}",
        columns::<T>(db, Some("NULL")),
        T::TABLE,
        T::KEY
    );
    select_sql(db, &sql, params, &mut each)
}

/// Like [`select`], at most `limit` rows.
pub fn select_some<T: Stored>(
    db: &Db,
    filter: &str,
    limit: usize,
    params: impl Params,
    mut each: impl FnMut(Found<T>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT {}, checksum FROM {} {filter} ORDER BY {} LIMIT {limit}",
        columns::<T>(db, Some("NULL")),
        T::TABLE,
        T::KEY
    );
    select_sql(db, &sql, params, &mut each)
}

fn select_sql<T: Stored>(
    db: &Db,
    sql: &str,
    params: impl Params,
    each: &mut dyn FnMut(Found<T>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    if !has_table(T::TABLE, db.version) {
        return Ok(());
    }
    let explain = |e| db.explain(e);
    let mut statement = db.conn.prepare_cached(sql).map_err(explain)?;
    let mut rows = statement.query(params).map_err(explain)?;
    while let Some(row) = rows.next().map_err(explain)? {
        // Whatever its columns hold that they cannot hold, it was not us.
        let item = T::from_row(row)
            .map_err(|e| db.damaged(format!("a row of table {}: {e}", T::TABLE)))?;
        let line = item.record().line()?;
        let checksum = xxh3_128(&line);
        let stored = row.get_ref(T::COLUMNS.len()).map_err(explain)?;
        if stored.as_blob().ok() != Some(&checksum.to_be_bytes()) {
            return Err(db.damaged(format!("{} does not fit its checksum", item.title())));
        }
        each(Found { item, line, checksum })?;
    }
    Ok(())
}

/// All rows of a table that `filter` selects.
pub fn all<T: Stored>(db: &Db, filter: &str, params: impl Params) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    select(db, filter, params, |row| {
        found.push(row.item);
        Ok(())
    })?;
    Ok(found)
}
