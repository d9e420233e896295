//! Where converters are looked for.

use std::env;
use std::path::{Path, PathBuf};

use crate::variables::CONVERTER;

/// The converter that `UPSET_PTXAS` names, else the first of: the folders given
/// (toolkits), wheels of the Python in use, what is on `PATH`. Only its path: it is
/// started when it is needed.
pub fn find(toolkits: &[PathBuf]) -> Option<PathBuf> {
    if let Some(named) = env::var_os(CONVERTER).filter(|v| !v.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let toolkits = toolkits.iter().map(|folder| folder.join("bin/ptxas"));
    let wheels = env::var_os("VIRTUAL_ENV").map(|root| in_wheels(Path::new(&root)));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = env::split_paths(&path).map(|f| f.join("ptxas")).collect();
    toolkits.chain(wheels.unwrap_or_default()).chain(on_path).find(|file| file.is_file())
}

/// Those that packages of NVIDIA's brought into a Python.
fn in_wheels(root: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let mut all: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        all.sort();
        all
    };
    let pythons = list(&root.join("lib"));
    let packages = pythons.iter().flat_map(|p| list(&p.join("site-packages/nvidia")));
    // The newest first: cu13 before cu12 before cuda_nvcc, which is of 12 and 11.
    let mut found: Vec<PathBuf> = packages.map(|p| p.join("bin/ptxas")).collect();
    found.sort_by_key(|path| std::cmp::Reverse(path.to_string_lossy().contains("/cu1")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn wheels_of_a_python_are_found() {
        let root = tempfile::tempdir().expect("a folder");
        let bin = root.path().join("lib/python3.11/site-packages/nvidia/cuda_nvcc/bin");
        fs::create_dir_all(&bin).expect("made");
        assert_eq!(in_wheels(root.path()), [bin.join("ptxas")]);
        assert_eq!(in_wheels(&bin), [] as [PathBuf; 0]);
    }
}
