//! Where converters are looked for.

use std::env;
use std::path::{Path, PathBuf};

use crate::converter::{DRIVERS, LIBRARY, helper};
use crate::error::LEAST;
use crate::variables::{CONVERTER, DRIVER};

/// Where packages of the driver put its libraries: Debian, Ubuntu, Fedora and others,
/// containers, Windows' Linux.
const DRIVER_FOLDERS: [&str; 7] = [
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
];

/// The converter for a compute capability: what `UPSET_PTXAS` names, else nvJitLink
/// 12, else ptxas, else the driver's own. The library is looked for in the folders given
/// (toolkits) and in wheels of the Python in use, the program there and on `PATH`. Only
/// its path: it is started when it is needed.
pub fn find(toolkits: &[PathBuf], sm: u32) -> Option<PathBuf> {
    if let Some(named) = env::var_os(CONVERTER).filter(|v| !v.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let python = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let packages = python.as_deref().map(packages).unwrap_or_default();
    let library = format!("{LIBRARY}.12");
    let mut libraries = in_all(toolkits, &format!("lib64/{library}"));
    libraries.extend(in_all(&packages, &format!("lib/{library}")));
    let can_open = sm >= LEAST && helper().is_some();
    let found = libraries.into_iter().find(|file| can_open && file.is_file());
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = env::split_paths(&path).map(|f| f.join("ptxas")).collect();
    let programs = [in_all(toolkits, "bin/ptxas"), in_all(&packages, "bin/ptxas"), on_path];
    let program = || programs.into_iter().flatten().find(|file| file.is_file());
    found.or_else(program).or_else(|| drivers().filter(|_| can_open))
}

/// The driver's own compiler.
fn drivers() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = match env::var_os(DRIVER) {
        Some(named) => env::split_paths(&named).collect(),
        None => DRIVER_FOLDERS.iter().map(PathBuf::from).collect(),
    };
    in_all(&folders, &format!("{DRIVERS}.1")).into_iter().find(|file| file.is_file())
}

fn in_all(folders: &[PathBuf], file: &str) -> Vec<PathBuf> {
    folders.iter().map(|folder| folder.join(file)).collect()
}

/// Packages of NVIDIA's that were brought into a Python. The newest first: cu13
/// before those with a name for each tool, which are of 12 and 11.
fn packages(root: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let mut all: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        all.sort();
        all
    };
    let pythons = list(&root.join("lib"));
    let found = pythons.iter().flat_map(|p| list(&p.join("site-packages/nvidia")));
    let mut found: Vec<PathBuf> = found.collect();
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
        let nvidia = root.path().join("lib/python3.11/site-packages/nvidia");
        for package in ["nvjitlink", "cu13", "cuda_nvcc"] {
            fs::create_dir_all(nvidia.join(package)).expect("made");
        }
        let expected = ["cu13", "cuda_nvcc", "nvjitlink"].map(|name| nvidia.join(name));
        assert_eq!(packages(root.path()), expected);
        assert_eq!(packages(&nvidia), [] as [PathBuf; 0]);
    }
}
