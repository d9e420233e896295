//! The Python package, as it is published.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::{Commit, Place};
use super::glibc;
use super::tools::{self, Tools};
use crate::Outcome;

/// What is downloaded stays below this.
const LIMIT: u64 = 10_000_000;

/// Builds it into a folder; its file.
pub fn built(
    tools: Option<&Tools>,
    place: &Place,
    out: &Path,
    commit: &Commit,
) -> Outcome<PathBuf> {
    for old in wheels(out)? {
        fs::remove_file(&old).map_err(|e| format!("{}: {e}", old.display()))?;
    }
    let maturin = tools.map_or_else(|| PathBuf::from("maturin"), Tools::maturin);
    let mut maturin = Command::new(maturin);
    maturin.args(["build", "--locked", "--out"]).arg(out).arg("--manifest-path");
    maturin.arg(place.source.join("crates/python/Cargo.toml")).args(["--target", tools::SYSTEM]);
    if let Some(tools) = tools {
        let (major, minor) = glibc::OLDEST;
        maturin.args(["--zig", "--compatibility", &format!("manylinux_{major}_{minor}")]);
        tools.lent(&mut maturin, &place.folder);
    }
    place.traceless(&mut maturin, commit);
    tools::ran(&mut maturin)?;
    match wheels(out)?.as_slice() {
        [wheel] => small(wheel.clone()),
        found => Err(format!("maturin made {} wheels in {}", found.len(), out.display())),
    }
}

fn wheels(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let listed = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = listed.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.extension().is_some_and(|e| e == "whl")).collect())
}

/// The wheel, where it is small enough.
fn small(wheel: PathBuf) -> Outcome<PathBuf> {
    let size = fs::metadata(&wheel).map_err(|e| format!("{}: {e}", wheel.display()))?.len();
    match size < LIMIT {
        true => Ok(wheel),
        false => Err(format!(
            "{} has {:.1} MB, and 10 MB is too much: see [profile.wheel] in Cargo.toml",
            wheel.display(),
            size as f64 / 1e6
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_of_ten_megabytes_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |size: u64| {
            let path = folder.path().join("upset.whl");
            fs::File::create(&path).and_then(|f| f.set_len(size)).expect("a file");
            small(path)
        };
        assert!(of(LIMIT - 1).is_ok());
        assert!(of(LIMIT).is_err_and(|e| e.contains("10.0 MB")));
    }
}
