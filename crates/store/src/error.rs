//! What can go wrong with a store, and what to do about it.

use std::io;
use std::path::PathBuf;

/// Why a store could not be made, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is a file where a new store should be.
    #[error("{} is already there: go on with it by --resume, or choose another --out", path.display())]
    Exists {
        /// The store.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("{}: there is no such store", path.display())]
    Missing {
        /// The store.
        path: PathBuf,
    },
    /// A file that is something else.
    #[error("{} is not a store of Upset ({what}): check the name", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it seems to be.
        what: String,
    },
    /// A store that a newer program made.
    #[error(
        "{} has schema version {found}, this program knows versions up to {known}: \
         use a newer upset", path.display()
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A store that an older program made.
    #[error(
        "{} has schema version {found}, this program reads version {known}: its experiments lack \
         what this version tells. Run the campaign again (the specification is in the table \
         `header`), or read it with the upset that made it", path.display()
    )]
    Older {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Some bytes are not what was written.
    #[error(
        "{} is damaged ({what}): restore it from a copy, or move it away and run the campaign \
         again, which gives the same results", path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Another campaign writes it.
    #[error(
        "{} is in use by another campaign: wait until it ends, stop it, or choose another --out",
        path.display()
    )]
    Locked {
        /// The store.
        path: PathBuf,
    },
    /// Another program has kept it locked for too long.
    #[error(
        "{} has been kept locked by another program for a minute: end that program and try again",
        path.display()
    )]
    Busy {
        /// The store.
        path: PathBuf,
    },
    /// The disk is full.
    #[error(
        "no room to write {}: everything before this is kept; make room and go on by --resume",
        path.display()
    )]
    NoSpace {
        /// The store.
        path: PathBuf,
    },
    /// The disk is full, or does not take it, before there is a store.
    #[error(
        "cannot begin {} ({what}): nothing is kept yet; make room, or choose another --out, and \
         start again", path.display()
    )]
    Begin {
        /// The store.
        path: PathBuf,
        /// What failed.
        what: String,
    },
    /// The disk does not take it: a quota, a limit on file sizes, a failing disk.
    #[error(
        "cannot write {} ({what}): everything before this is kept; look for a quota, a limit or a \
         failing disk, then go on by --resume", path.display()
    )]
    Write {
        /// The store.
        path: PathBuf,
        /// What failed.
        what: String,
    },
    /// No permission to write.
    #[error("{} or its folder cannot be written to: change its permissions or copy it", path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
    },
    /// The file was taken away while it was open.
    #[error(
        "{} was moved, replaced or deleted while the campaign ran: put it back and go on by \
         --resume", path.display()
    )]
    Gone {
        /// The store.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// Something is there already and says something else.
    #[error("{} already holds other results: {what}", path.display())]
    Conflict {
        /// The store.
        path: PathBuf,
        /// What is there and what came.
        what: String,
    },
    /// Something that a store cannot hold.
    #[error("cannot be kept in a store: {what}")]
    Invalid {
        /// What and why.
        what: String,
    },
    /// Stores to merge are not of one campaign.
    #[error("{what}")]
    OtherPlan {
        /// Which, and where they differ.
        what: String,
    },
    /// Stores to merge are not all of their campaign.
    #[error("nothing was written: {what}")]
    Incomplete {
        /// What is missing, and whose that is, as far as they tell.
        what: String,
    },
    /// An export could not be written.
    #[error("cannot write the export: {0}")]
    Export(#[source] io::Error),
    /// SQLite said something unexpected.
    #[error("{}: unexpected answer of SQLite: {source}", path.display())]
    Database {
        /// The store.
        path: PathBuf,
        /// The answer.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// What a failure to write means while there is no store.
    pub(crate) fn while_beginning(self) -> StoreError {
        match self {
            StoreError::NoSpace { path } => StoreError::Begin { path, what: "no room".into() },
            StoreError::Write { path, what } => StoreError::Begin { path, what },
            other => other,
        }
    }

    /// Whether the cause lies outside of the program: a wrong or damaged file,
    /// a full disk, a lock. Else it is a failure of our own.
    pub fn is_input(&self) -> bool {
        match self {
            StoreError::Exists { .. }
            | StoreError::Missing { .. }
            | StoreError::Foreign { .. }
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::Damaged { .. }
            | StoreError::Locked { .. }
            | StoreError::Busy { .. }
            | StoreError::NoSpace { .. }
            | StoreError::Begin { .. }
            | StoreError::Write { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::Gone { .. }
            | StoreError::Io { .. }
            | StoreError::OtherPlan { .. }
            | StoreError::Incomplete { .. }
            | StoreError::Export(_) => true,
            StoreError::Conflict { .. }
            | StoreError::Invalid { .. }
            | StoreError::Database { .. } => false,
        }
    }

    /// Whether a reader of the export has gone away, which is no error.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, StoreError::Export(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }
}
