//! One campaign per store.
//!
//! SQLite's own locks last for a transaction; a campaign needs one for its
//! whole life that still lets others read. It lies on a file of its own, since
//! opening the store itself a second time would undo SQLite's locks (closing
//! any handle of a file ends the process's POSIX locks on it). The system
//! releases it when the process dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{StoreError, paths};

/// How long a lock may outlive its owner: a process that a killed campaign was
/// just about to start has all its files until it is a program of its own.
const PATIENCE: Duration = Duration::from_secs(1);

/// The right to write a store, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    /// Keeps the lock. `None` once it is given back.
    file: Option<File>,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of a store.
    pub fn take(store: &Path) -> Result<Lock, StoreError> {
        let path = paths::lock(store);
        let started = Instant::now();
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
                .map_err(|e| paths::explain(store, "lock", e))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    sleep(Duration::from_millis(10));
                    continue;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Locked { path: store.into() });
                }
                Err(TryLockError::Error(e)) => return Err(paths::explain(store, "lock", e)),
            }
            // Whoever had it before may have deleted the file after we opened
            // it: then we hold a lock that nobody else will see.
            if is_file_at(&file, &path) {
                return Ok(Lock { file: Some(file), path });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Deleted while it is held, so that nobody takes a lock on a name that
        // is about to vanish without noticing.
        let _ = fs::remove_file(&self.path);
        self.file = None;
    }
}

/// Whether somebody writes a store now. To find out, a lock that others may share
/// is held for a moment; whoever begins just then tries again ([`PATIENCE`]).
pub fn is_held(store: &Path) -> bool {
    let Ok(file) = File::open(paths::lock(store)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

#[cfg(unix)]
fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_file_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_exclusive_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("a.db");
        let held = Lock::take(&store).unwrap();
        assert!(matches!(Lock::take(&store), Err(StoreError::Locked { .. })));
        assert!(is_held(&store));
        drop(held);
        assert!(!is_held(&store));
        assert!(!paths::lock(&store).exists());
        Lock::take(&store).unwrap();
    }

    #[test]
    fn a_lock_that_is_about_to_go_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("a.db");
        let held = Lock::take(&store).unwrap();
        let other = std::thread::spawn(move || {
            sleep(PATIENCE / 10);
            drop(held);
        });
        Lock::take(&store).unwrap();
        other.join().unwrap();
    }

    #[test]
    fn a_lock_file_of_a_dead_process_does_not_matter() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("a.db");
        fs::write(paths::lock(&store), "").unwrap();
        assert!(!is_held(&store));
        Lock::take(&store).unwrap();
    }
}
