//! Paths: whole ones, lists of them, and where what can be made anew is kept.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::LaunchError;

/// From the root.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Paths in front of what a variable says now, separated by colons.
pub(crate) fn joined(paths: &[PathBuf], variable: &str) -> OsString {
    let rest = env::var_os(variable).filter(|v| !v.is_empty());
    let mut all: Vec<OsString> = paths.iter().map(|p| p.clone().into_os_string()).collect();
    all.extend(rest);
    all.join(OsStr::new(":"))
}

/// The folder for what can be made anew.
pub(crate) fn caches() -> Result<PathBuf, LaunchError> {
    let base = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|p| p.is_absolute())
        .or_else(|| Some(env::home_dir()?.join(".cache")));
    base.map(|base| base.join("upset")).ok_or_else(|| {
        LaunchError::input(
            "there is no folder for the libraries that programs load: neither XDG_CACHE_HOME nor \
             HOME is set",
        )
    })
}
