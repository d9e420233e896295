//! Rows in general: every table of results is written, read and checked the
//! same way.

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

/// Inserts a row; returns its checksum.
pub fn insert<T: Stored>(db: &Db, item: &T) -> Result<u128, StoreError> {
    let checksum = xxh3_128(&item.record().line()?);
    insert_with(db, item, checksum)?;
    Ok(checksum)
}

/// Inserts a row whose checksum is known.
pub fn insert_with<T: Stored>(db: &Db, item: &T, checksum: u128) -> Result<(), StoreError> {
    let kept = T::COLUMNS.iter().map(|c| has_column(T::TABLE, c, db.version));
    let mut values = item.values()?;
    if values.iter().zip(kept.clone()).any(|(value, kept)| !kept && *value != Value::Null) {
        let what = format!(
            "{} has what stores of version {} cannot keep (watched counters, a margin that ends \
             a plan): begin a new store",
            item.title(),
            db.version
        );
        return Err(StoreError::Invalid { what });
    }
    let mut kept = kept;
    values.retain(|_| kept.next().unwrap_or(true));
    values.push(Value::Blob(checksum.to_be_bytes().to_vec()));
    let places = (1..=values.len()).map(|i| format!("?{i}")).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "INSERT INTO {} ({}, checksum) VALUES ({places})",
        T::TABLE,
        columns::<T>(db, None)
    );
    let run = || db.conn.prepare_cached(&sql)?.execute(params_from_iter(values));
    run().map(|_| ()).map_err(|e| db.explain(e))
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
