//! The files beside a store.
//!
//! At rest there are none. While a campaign runs there are a lock and now and
//! then a journal; what a killed one leaves is cleared away by the next.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::StoreError;

/// `path` with something appended to its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    PathBuf::from(name)
}

/// What keeps a second campaign out.
pub fn lock(path: &Path) -> PathBuf {
    beside(path, "-lock")
}

/// SQLite's rollback journal.
pub fn journal(path: &Path) -> PathBuf {
    beside(path, "-journal")
}

/// A file that is built here and then takes the store's place.
pub fn fresh(path: &Path) -> PathBuf {
    beside(path, "-new")
}

/// The absolute name of a store that exists, without symbolic links: SQLite
/// and the lock must agree on what lies beside it.
pub fn existing(path: &Path) -> Result<PathBuf, StoreError> {
    let full = fs::canonicalize(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing { path: path.into() },
        _ => StoreError::Io { path: path.into(), doing: "open", source },
    })?;
    match full.is_file() {
        true => Ok(full),
        false => Err(StoreError::Foreign { path: path.into(), what: "not a plain file".into() }),
    }
}

/// The absolute name of a store that does not exist yet.
pub fn absent(path: &Path) -> Result<PathBuf, StoreError> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(StoreError::Exists { path: path.into() });
    }
    let invalid = || StoreError::Invalid { what: format!("{} names no file", path.display()) };
    let name = path.file_name().ok_or_else(invalid)?;
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let folder = fs::canonicalize(folder).map_err(|source| StoreError::Io {
        path: folder.into(),
        doing: "find the folder",
        source,
    })?;
    Ok(folder.join(name))
}

/// Something that changes when a file is written or replaced: its number,
/// length and time.
pub type Stamp = (u64, u64, SystemTime);

/// The stamp of a file, if it is there.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let id = std::os::unix::fs::MetadataExt::ino(&meta);
    #[cfg(not(unix))]
    let id = 0;
    Some((id, meta.len(), meta.modified().ok()?))
}

/// Deletes a file that may not be there.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::Io { path: path.into(), doing: "delete", source })
        }
        _ => Ok(()),
    }
}

/// Makes the entries of the file's folder durable.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// What a failed file operation on the store means.
pub fn explain(path: &Path, doing: &'static str, source: io::Error) -> StoreError {
    match source.kind() {
        io::ErrorKind::StorageFull => StoreError::NoSpace { path: path.into() },
        io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::Write { path: path.into(), what: source.to_string() }
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path: path.into() }
        }
        _ => StoreError::Io { path: path.into(), doing, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beside_a_store_keep_its_ending() {
        assert_eq!(journal(Path::new("/a/hs.db")), Path::new("/a/hs.db-journal"));
        assert_eq!(lock(Path::new("x")), Path::new("x-lock"));
    }

    #[test]
    fn a_new_store_needs_a_folder_and_a_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.db");
        assert!(absent(&file).is_ok());
        assert!(matches!(absent(&dir.path().join("no/a.db")), Err(StoreError::Io { .. })));
        assert!(matches!(absent(Path::new("..")), Err(StoreError::Exists { .. })));
        fs::write(&file, "").unwrap();
        assert!(matches!(absent(&file), Err(StoreError::Exists { .. })));
    }
}
