//! Which files are stores.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Stores that a folder may have: more are a mistake.
const MOST: usize = 4096;

/// The stores that paths name: files as they are, of folders the stores in them.
pub fn stores(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => found.extend(in_folder(path)),
            false => found.push(path.clone()),
        }
    }
    found.sort();
    found.dedup();
    found
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().map(|e| e.path()).filter(|p| is_store(p));
    files.take(MOST).collect()
}

/// A store that is just being made is called otherwise until it is one.
fn is_store(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if ["-new", "-journal", "-lock"].iter().any(|end| name.ends_with(end)) || !path.is_file() {
        return false;
    }
    let mut start = [0; 72];
    let read = File::open(path).and_then(|mut f| f.read_exact(&mut start));
    read.is_ok()
        && start.starts_with(b"SQLite format 3\0")
        && start[68..] == upset_store::APPLICATION_ID.to_be_bytes()
}
