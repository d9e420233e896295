//! The schema and its versions. docs/store.md tells what the columns mean.

use rusqlite::Connection;

/// SQLite's application id of a store: "Upst".
pub const APPLICATION_ID: u32 = 0x5570_7374;

/// Schema version of the stores that this program writes.
pub const VERSION: u32 = 5;

/// The oldest that it reads.
pub const OLDEST: u32 = 2;

/// A column that came later, the version that brought it, and its table.
const LATER: &[(&str, u32, &str)] = &[
    ("noticed", 3, "experiment"),
    ("stop_at_margin", 5, "stratum"),
    ("stop_at_margin", 5, "plan"),
];

/// A table that came later, and the version that brought it.
const LATER_TABLES: &[(&str, u32)] = &[("shard", 4)];

/// Whether a store of some version has a table.
pub fn has_table(table: &str, version: u32) -> bool {
    LATER_TABLES.iter().all(|(name, since)| *name != table || version >= *since)
}

/// Whether a table of some version has a column.
pub fn has_column(table: &str, column: &str, version: u32) -> bool {
    let came = LATER.iter().find(|(name, _, of)| (*name, *of) == (column, table));
    came.is_none_or(|(_, since, _)| version >= *since)
}

/// Tables, in the order they are made.
const TABLES: &[(&str, &str)] = &[
    (
        // The same in all versions to come: it says which one this is.
        "upset_store",
        "CREATE TABLE upset_store (
    version INTEGER NOT NULL PRIMARY KEY
) STRICT",
    ),
    (
        "header",
        "CREATE TABLE header (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 0),
    tool TEXT NOT NULL,
    spec TEXT NOT NULL,
    seed TEXT NOT NULL,
    confidence REAL NOT NULL,
    checksum BLOB NOT NULL
) STRICT",
    ),
    (
        "subject",
        "CREATE TABLE subject (
    id INTEGER NOT NULL PRIMARY KEY,
    app TEXT NOT NULL,
    scale TEXT NOT NULL,
    command TEXT NOT NULL,
    chip TEXT NOT NULL,
    chip_toml TEXT NOT NULL,
    binaries TEXT NOT NULL,
    profile TEXT NOT NULL,
    checksum BLOB NOT NULL
) STRICT",
    ),
    (
        "stratum",
        "CREATE TABLE stratum (
    id INTEGER NOT NULL PRIMARY KEY,
    subject INTEGER NOT NULL REFERENCES subject (id),
    kernel TEXT,
    window TEXT NOT NULL,
    structure TEXT NOT NULL,
    bits INTEGER NOT NULL,
    model TEXT NOT NULL,
    spread TEXT NOT NULL,
    sampling TEXT NOT NULL,
    cycles INTEGER NOT NULL,
    structure_bits INTEGER NOT NULL,
    derating REAL NOT NULL,
    occupancy REAL,
    planned INTEGER NOT NULL,
    stop_at_failures INTEGER NOT NULL,
    stop_at_margin REAL,
    checksum BLOB NOT NULL
) STRICT",
    ),
    (
        "stop",
        "CREATE TABLE stop (
    stratum INTEGER NOT NULL PRIMARY KEY REFERENCES stratum (id),
    runs INTEGER NOT NULL,
    checksum BLOB NOT NULL
) STRICT",
    ),
    (
        "experiment",
        "CREATE TABLE experiment (
    stratum INTEGER NOT NULL REFERENCES stratum (id),
    number INTEGER NOT NULL,
    fault TEXT NOT NULL,
    hit_structure TEXT NOT NULL,
    hit_part TEXT NOT NULL,
    hit_sm INTEGER,
    hit_subcore INTEGER,
    hit_slice INTEGER,
    hit_warp INTEGER,
    hit_row INTEGER,
    hit_set INTEGER,
    hit_way INTEGER,
    hit_lane INTEGER,
    hit_bit INTEGER,
    hit_bits INTEGER NOT NULL,
    hit_cycle INTEGER NOT NULL,
    hit_allocated INTEGER,
    hit_kernel TEXT NOT NULL,
    hit_launch INTEGER,
    hit_function TEXT NOT NULL,
    hit_instruction INTEGER,
    hit_register TEXT NOT NULL,
    class TEXT NOT NULL,
    cause TEXT NOT NULL,
    cause_kind TEXT NOT NULL,
    cycles INTEGER NOT NULL,
    reached INTEGER,
    how TEXT NOT NULL,
    output_digest TEXT NOT NULL,
    sdc TEXT,
    attempts INTEGER NOT NULL,
    noticed TEXT,
    checksum BLOB NOT NULL,
    PRIMARY KEY (stratum, number)
) STRICT, WITHOUT ROWID",
    ),
    (
        "tally",
        "CREATE TABLE tally (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 0),
    complete INTEGER NOT NULL,
    subjects INTEGER NOT NULL,
    strata INTEGER NOT NULL,
    stops INTEGER NOT NULL,
    experiments INTEGER NOT NULL,
    sum BLOB NOT NULL,
    checksum BLOB NOT NULL
) STRICT",
    ),
    (
        "plan",
        "CREATE TABLE plan (
    id INTEGER NOT NULL PRIMARY KEY,
    subject INTEGER NOT NULL,
    app TEXT NOT NULL,
    scale TEXT NOT NULL,
    chip TEXT NOT NULL,
    kernel TEXT NOT NULL,
    window TEXT NOT NULL,
    structure TEXT NOT NULL,
    bits INTEGER NOT NULL,
    model TEXT NOT NULL,
    sampling TEXT NOT NULL,
    planned INTEGER NOT NULL,
    stop_at_failures INTEGER NOT NULL,
    stop_at_margin REAL,
    checksum BLOB NOT NULL
) STRICT",
    ),
    (
        "shard",
        "CREATE TABLE shard (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 0),
    number INTEGER NOT NULL,
    count INTEGER NOT NULL,
    parts TEXT NOT NULL,
    checksum BLOB NOT NULL
) STRICT",
    ),
];

/// Makes the tables in an empty database.
pub fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    conn.pragma_update(None, "user_version", VERSION)?;
    for (_, sql) in TABLES {
        conn.execute_batch(sql)?;
    }
    conn.execute("INSERT INTO upset_store (version) VALUES (?1)", [VERSION])?;
    Ok(())
}

/// How a table of some version was made.
fn made(table: &str, sql: &str, version: u32) -> String {
    let is_later = |line: &&str| {
        let column = line.trim_start().split(' ').next().unwrap_or_default();
        has_column(table, column, version)
    };
    sql.lines().filter(is_later).collect::<Vec<_>>().join("\n")
}

/// Whether the database has our tables as a version of ours makes them, and
/// nothing else.
pub fn is_ours(conn: &Connection, version: u32) -> rusqlite::Result<bool> {
    let mut select = conn.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
    )?;
    let mut rows = select.query([])?;
    for (name, sql) in TABLES.iter().filter(|(name, _)| has_table(name, version)) {
        let Some(row) = rows.next()? else { return Ok(false) };
        let same = row.get_ref(0)?.as_str()? == "table"
            && row.get_ref(1)?.as_str()? == *name
            && row.get_ref(2)?.as_str()? == *name
            && row.get_ref(3)?.as_str()? == made(name, sql, version);
        if !same {
            return Ok(false);
        }
    }
    Ok(rows.next()?.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_database_is_ours_and_a_changed_one_is_not() {
        let conn = Connection::open_in_memory().unwrap();
        create(&conn).unwrap();
        assert!(is_ours(&conn, VERSION).unwrap());
        // One of the version before had a column less.
        assert!(!is_ours(&conn, 2).unwrap());
        // The one before knew no margin, and the one before that no shards.
        for table in ["stratum", "plan"] {
            let sql = format!("ALTER TABLE {table} DROP COLUMN stop_at_margin");
            conn.execute_batch(&sql).unwrap();
        }
        assert!(is_ours(&conn, 4).unwrap() && !is_ours(&conn, VERSION).unwrap());
        conn.execute_batch("DROP TABLE shard").unwrap();
        assert!(is_ours(&conn, 3).unwrap() && !is_ours(&conn, VERSION).unwrap());
        conn.execute_batch("ALTER TABLE experiment DROP COLUMN noticed").unwrap();
        assert!(is_ours(&conn, 2).unwrap() && !is_ours(&conn, VERSION).unwrap());
        conn.execute_batch("CREATE VIEW v AS SELECT * FROM header").unwrap();
        assert!(!is_ours(&conn, 2).unwrap());
    }

    #[test]
    fn columns_came_with_versions() {
        assert!(!has_column("experiment", "noticed", 2));
        assert!(has_column("experiment", "noticed", 3));
        assert!(has_column("experiment", "attempts", 2));
        let sql = TABLES.iter().find(|(name, _)| *name == "experiment").unwrap().1;
        assert_eq!(made("experiment", sql, 3), sql);
        assert_eq!(made("experiment", sql, 2), sql.replace("    noticed TEXT,\n", ""));
    }

    #[test]
    fn the_application_id_is_readable() {
        assert_eq!(&APPLICATION_ID.to_be_bytes(), b"Upst");
    }
}
