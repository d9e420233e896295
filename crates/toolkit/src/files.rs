//! Finding and copying files, with errors that name them.

use crate::Outcome;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a folder whose names end so, in order.
pub(crate) fn files_ending(folder: &Path, ending: &str) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|e| trouble(folder, &e))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    Ok(files)
}

/// The one file of a folder whose name ends so.
pub(crate) fn only_file(folder: &Path, ending: &str) -> Outcome<PathBuf> {
    let mut files = files_ending(folder, ending)?;
    match (files.pop(), files.is_empty()) {
        (Some(file), true) => Ok(file),
        _ => Err(format!("expected one *{ending} in {}", folder.display())),
    }
}

/// Copies a file, or a folder's contents into a folder.
pub(crate) fn copy(from: &Path, to: &Path) -> Outcome<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(|_| ()).map_err(|e| trouble(from, &e));
    }
    make(to)?;
    for entry in fs::read_dir(from).map_err(|e| trouble(from, &e))? {
        let entry = entry.map_err(|e| trouble(from, &e))?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Makes a folder and those it is in.
pub(crate) fn make(folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder).map_err(|e| trouble(folder, &e))
}

/// What went wrong with a file.
pub(crate) fn trouble(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
