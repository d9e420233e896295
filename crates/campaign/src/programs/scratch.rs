//! A folder for the files of runs, which nobody has to clean up after.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// How the folders' names begin.
const PREFIX: &str = "upset-runs-";
/// Locked as long as the folder's owner lives.
const LOCK: &str = "lock";

/// A temporary folder. It goes away with its owner; if that is killed, with the
/// next one that is made.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes one where temporary files go.
    pub fn new() -> io::Result<Scratch> {
        Scratch::within(&std::env::temp_dir())
    }

    fn within(base: &Path) -> io::Result<Scratch> {
        sweep(base);
        let folder = TempDir::with_prefix_in(PREFIX, base)?;
        // Locked before it has its name: whoever finds it finds it locked.
        let new = folder.path().join("lock.new");
        let lock = File::create(&new)?;
        lock.lock()?;
        fs::rename(new, folder.path().join(LOCK))?;
        Ok(Scratch { folder, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes folders whose owners were killed.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    let ours = |p: &PathBuf| {
        p.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
    };
    for folder in entries.filter_map(|e| Some(e.ok()?.path())).filter(ours) {
        let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lives_as_long_as_its_owner() {
        let base = tempfile::tempdir().unwrap();
        let one = Scratch::within(base.path()).unwrap();
        let path = one.path().to_path_buf();
        let two = Scratch::within(base.path()).unwrap();
        assert!(path.is_dir());
        drop(one);
        assert!(!path.exists());
        // As if its owner were killed: the lock goes, the folder stays.
        let Scratch { folder, _lock } = two;
        let left = folder.keep();
        drop(_lock);
        let _three = Scratch::within(base.path()).unwrap();
        assert!(!left.exists());
    }
}
