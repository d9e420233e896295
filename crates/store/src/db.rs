//! A connection to a store's file, and what SQLite's answers mean for it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Error, ErrorCode, OpenFlags, ffi};

use crate::StoreError;
use crate::schema::VERSION;

/// How long to wait for somebody else's transaction.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To read, even where nothing can be written.
    Read,
    /// To write durably.
    Write,
    /// To write to a copy that is thrown away.
    Copy,
    /// To fill a new file that nobody knows of yet: without a journal, made
    /// durable as a whole afterwards.
    Build,
}

/// A connection.
#[derive(Debug)]
pub struct Db {
    /// The connection.
    pub conn: Connection,
    /// The store that messages name.
    pub path: PathBuf,
    /// Whether all content has been checked. Before that, what SQLite does not
    /// understand is damage; after that, it is a mistake of ours.
    pub trusted: bool,
    /// Schema version, once it is known.
    pub version: u32,
}

impl Db {
    /// Connects to `file`; messages are about `path`.
    pub fn connect(file: &Path, path: &Path, purpose: Purpose) -> Result<Db, StoreError> {
        // Without URI: a name such as `file:x` is a name.
        let flags = match purpose {
            Purpose::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Purpose::Write | Purpose::Copy => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Purpose::Build => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(file, flags).map_err(|e| explain(path, false, e))?;
        let db =
            Db { conn, path: path.into(), trusted: purpose == Purpose::Build, version: VERSION };
        db.configure(purpose).map_err(|e| db.explain(e))?;
        Ok(db)
    }

    fn configure(&self, purpose: Purpose) -> rusqlite::Result<()> {
        let conn = &self.conn;
        conn.busy_timeout(PATIENCE)?;
        // The file may be garbled: believe nothing in it.
        conn.pragma_update(None, "trusted_schema", false)?;
        conn.pragma_update(None, "cell_size_check", true)?;
        conn.pragma_update(None, "mmap_size", 0)?;
        match purpose {
            Purpose::Read => Ok(()),
            // A rollback journal, not a write-ahead log: between transactions
            // the file is whole by itself, it works on network file systems
            // and read-only media, and a lost or cut journal leaves a file
            // whose checksums tell. EXTRA also syncs the folder when the
            // journal goes, without which a power cut may undo a commit.
            Purpose::Write => {
                set_journal(conn, "DELETE")?;
                conn.pragma_update(None, "synchronous", "EXTRA")
            }
            Purpose::Copy => {
                set_journal(conn, "DELETE")?;
                conn.pragma_update(None, "synchronous", "OFF")
            }
            Purpose::Build => {
                conn.pragma_update(None, "page_size", 4096)?;
                set_journal(conn, "OFF")?;
                conn.pragma_update(None, "synchronous", "OFF")
            }
        }
    }

    /// What an answer of SQLite means here.
    pub fn explain(&self, e: Error) -> StoreError {
        explain(&self.path, self.trusted, e)
    }

    /// Says that the content is wrong.
    pub fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }

    /// Says that something else is there.
    pub fn conflict(&self, what: impl Into<String>) -> StoreError {
        StoreError::Conflict { path: self.path.clone(), what: what.into() }
    }

    /// Runs `work` in a transaction that sees one state of the file.
    pub fn reading<T>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let tx = self.conn.unchecked_transaction().map_err(|e| self.explain(e))?;
        let found = work()?;
        tx.finish().map_err(|e| self.explain(e))?;
        Ok(found)
    }

    /// Runs `work` in a transaction that either becomes durable as a whole or
    /// changes nothing.
    pub fn writing<T>(
        &mut self,
        work: impl FnOnce(&Db) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.conn.execute_batch("BEGIN IMMEDIATE").map_err(|e| self.explain(e))?;
        let done = work(self);
        let ended = match done {
            Ok(_) => self.conn.execute_batch("COMMIT").map_err(|e| self.explain(e)),
            Err(_) => Ok(()),
        };
        // After most failures SQLite has rolled back already; a commit that
        // found the file busy has not.
        if !self.conn.is_autocommit() {
            let _ = self.conn.execute_batch("ROLLBACK");
        }
        ended.and(done)
    }
}

/// The mode is answered, so a plain update is not enough.
fn set_journal(conn: &Connection, mode: &str) -> rusqlite::Result<()> {
    conn.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))
}

/// Whether the answer means that a killed campaign left a journal, which only
/// a writer can roll back.
pub fn needs_recovery(e: &StoreError) -> bool {
    matches!(e, StoreError::Database { source: Error::SqliteFailure(e, _), .. } if is_recovery(e))
}

fn is_recovery(e: &ffi::Error) -> bool {
    matches!(
        e.extended_code,
        ffi::SQLITE_READONLY_ROLLBACK
            | ffi::SQLITE_READONLY_RECOVERY
            | ffi::SQLITE_READONLY_CANTLOCK
    )
}

fn explain(path: &Path, trusted: bool, source: Error) -> StoreError {
    let path = path.to_path_buf();
    let Error::SqliteFailure(e, ref text) = source else {
        // A value of another type than the column has, text that is no text, …
        return match trusted {
            true => StoreError::Database { path, source },
            false => StoreError::Damaged { path, what: source.to_string() },
        };
    };
    let what = text.clone().unwrap_or_else(|| e.to_string());
    match (e.code, e.extended_code) {
        (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _)
        | (_, ffi::SQLITE_IOERR_SHORT_READ) => StoreError::Damaged { path, what },
        (ErrorCode::DiskFull, _) => StoreError::NoSpace { path },
        (_, ffi::SQLITE_READONLY_DBMOVED) => StoreError::Gone { path },
        _ if is_recovery(&e) => StoreError::Database { path, source },
        (ErrorCode::ReadOnly | ErrorCode::PermissionDenied, _) => StoreError::ReadOnly { path },
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => StoreError::Busy { path },
        (ErrorCode::SystemIoFailure, ffi::SQLITE_IOERR_READ) => {
            StoreError::Io { path, doing: "read", source: io::Error::other(what) }
        }
        (ErrorCode::SystemIoFailure, _) => StoreError::Write { path, what },
        (ErrorCode::CannotOpen, _) if !trusted => match File::open(&path) {
            Err(source) => StoreError::Io { path, doing: "open", source },
            Ok(_) => StoreError::Damaged { path, what },
        },
        (ErrorCode::CannotOpen, _) => StoreError::Write { path, what },
        _ if trusted => StoreError::Database { path, source },
        _ => StoreError::Damaged { path, what },
    }
}
