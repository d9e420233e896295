//! A working folder for a run: it looks like the user's, but what the program
//! writes stays in it.
//!
//! The folder lies at the same path below a new root. It and every folder above
//! it exist anew, filled with links to what the originals hold. So every
//! relative path leads where it did (`../data/input` too), new files are the
//! run's own, and files that the program is known to write are left out: no run
//! writes through a link into another's or the user's file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// Folders that are looked through for files that the program wrote; those
/// with more are not what a program works in.
const LOOKED_AT: usize = 20_000;

/// Makes the folder `like` anew below `root`, without the files `private`
/// (absolute paths), and says where it is.
pub fn mirror(root: &Path, like: &Path, private: &[PathBuf]) -> io::Result<PathBuf> {
    let mut real: Vec<&Path> = like.ancestors().collect();
    for file in private {
        real.extend(file.ancestors().skip(1).filter(|folder| folder.is_dir()));
    }
    real.sort();
    real.dedup();
    // In this order a folder comes before what it holds.
    for folder in &real {
        let new = below(root, folder);
        fs::create_dir_all(&new)?;
        // A folder that may be passed but not listed has nothing to show.
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let kept = real.binary_search(&path.as_path()).is_ok() || private.contains(&path);
            if !kept {
                symlink(&path, new.join(entry.file_name()))?;
            }
        }
    }
    Ok(below(root, like))
}

/// Where a path lies below another root.
pub fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// A path from a folder, without `.` and `..`; none when it leads nowhere.
pub fn absolute(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut whole = folder.to_path_buf();
    for part in path.components() {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !whole.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(whole)
}

/// The files of a folder and when they were written.
#[derive(Debug, Default, PartialEq)]
pub struct Snapshot(BTreeMap<PathBuf, (Option<SystemTime>, u64, u64)>);

impl Snapshot {
    /// Looks at a folder and those in it.
    pub fn of(folder: &Path) -> Snapshot {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let Ok(meta) = entry.metadata() else { continue };
                if files.len() + folders.len() >= LOOKED_AT {
                    return Snapshot(files);
                }
                if meta.is_dir() {
                    folders.push(entry.path());
                } else if meta.is_file() {
                    files.insert(entry.path(), (meta.modified().ok(), meta.len(), meta.ino()));
                }
            }
        }
        Snapshot(files)
    }

    /// Files that are new or were written since an earlier look.
    pub fn written_since(&self, earlier: &Snapshot) -> Vec<PathBuf> {
        let new = self.0.iter().filter(|(path, state)| earlier.0.get(*path) != Some(state));
        new.map(|(path, _)| path.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_reads_the_originals_and_writes_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let (home, root) = (dir.path().join("a/work"), dir.path().join("root"));
        fs::create_dir_all(home.join("results")).unwrap();
        fs::create_dir_all(dir.path().join("a/data")).unwrap();
        for file in ["a/data/in", "a/work/in", "a/work/out", "a/work/results/r", "a/work/results/s"]
        {
            fs::write(dir.path().join(file), file).unwrap();
        }
        let private = [home.join("out"), home.join("results/r")];
        let new = mirror(&root, &home, &private).unwrap();
        let read = |p: &str| fs::read_to_string(new.join(p)).ok();
        assert_eq!(read("in").as_deref(), Some("a/work/in"));
        assert_eq!(read("../data/in").as_deref(), Some("a/data/in"));
        assert_eq!(read("results/s").as_deref(), Some("a/work/results/s"));
        assert_eq!((read("out"), read("results/r")), (None, None));
        fs::write(new.join("out"), "mine").unwrap();
        fs::write(new.join("results/r"), "mine").unwrap();
        assert_eq!(fs::read_to_string(home.join("out")).unwrap(), "a/work/out");
        fs::remove_dir_all(&root).unwrap();
        assert!(home.join("in").exists());
    }

    #[test]
    fn files_that_were_written_are_found() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("a"), "1").unwrap();
        let before = Snapshot::of(dir.path());
        assert!(Snapshot::of(dir.path()).written_since(&before).is_empty());
        fs::write(dir.path().join("a"), "22").unwrap();
        fs::write(dir.path().join("sub/b"), "").unwrap();
        let written = Snapshot::of(dir.path()).written_since(&before);
        assert_eq!(written, [dir.path().join("a"), dir.path().join("sub/b")]);
    }

    #[test]
    fn paths_lose_their_dots() {
        let at = |p: &str| absolute(Path::new("/a/b"), Path::new(p));
        assert_eq!(at("./x/../y"), Some(PathBuf::from("/a/b/y")));
        assert_eq!(at("../../../x"), None);
        assert_eq!(at("/x"), None);
    }
}
