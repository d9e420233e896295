//! Runs the package's own tests (`tests/test_*.py`) with the module as cargo built
//! it, beside the program `upset` of the same build.
//!
//! They take the Python that `tests/venv.sh` made, or else the system's. Tests that
//! need a library which that one lacks skip themselves, loudly; with
//! `UPSET_REQUIRE_PYTHON=1` that is a failure.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each file of tests is a test here, so that they run side by side.
macro_rules! files {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*
    };
}

files! { test_commands test_docs test_figures test_interrupt test_notebook test_numbers test_store }

#[test]
fn every_file_of_tests_is_run() {
    let all = fs::read_to_string(here().join("tests/it.rs")).expect("this file");
    for entry in fs::read_dir(here().join("tests")).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if let Some(name) = name.strip_suffix(".py").filter(|n| n.starts_with("test_")) {
            assert!(all.contains(name), "{name}.py is not run");
        }
    }
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What this build made: the folder of `upset`, above that of this test.
fn built() -> PathBuf {
    let me = std::env::current_exe().expect("this program");
    me.parent().and_then(Path::parent).expect("a folder").to_path_buf()
}

fn python() -> PathBuf {
    let made = here().join("../../target/python/bin/python");
    if made.exists() { made } else { PathBuf::from("python3") }
}

fn check(file: &str) {
    let required = std::env::var_os("UPSET_REQUIRE_PYTHON").is_some_and(|set| set == "1");
    let python = python();
    if !Command::new(&python).arg("--version").output().is_ok_and(|o| o.status.success()) {
        assert!(!required, "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    }
    let package = tempfile::tempdir().expect("a folder");
    place(&here().join("upset"), &package.path().join("upset"));
    let library = "libupset_python.so";
    let library = [built().join(library), built().join("deps").join(library)]
        .into_iter()
        .filter(|f| f.exists())
        .max_by_key(|f| fs::metadata(f).and_then(|m| m.modified()).ok())
        .expect("cargo builds the module");
    symlink(library, package.path().join("upset/_upset.abi3.so")).expect("a link");
    let upset = built().join("upset");
    assert!(upset.exists(), "build the program first: cargo build -p upset-cli");
    let ran = Command::new(&python)
        // Nothing is written beside the tests.
        .args(["-B", "-W", "error::ResourceWarning", "-m", "unittest", "-v", file])
        .current_dir(here().join("tests"))
        .env("PYTHONPATH", package.path())
        .env("UPSET", &upset)
        .env("MPLBACKEND", "agg")
        .output()
        .expect("python starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    eprintln!("{said}{}", String::from_utf8_lossy(&ran.stdout));
    assert!(ran.status.success(), "{file}.py failed");
    assert!(!required || !said.contains("skipped"), "{file}.py skipped something");
}

/// The package's files, each as a link.
fn place(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            symlink(&path, to.join(path.file_name().expect("a name"))).expect("a link");
        }
    }
}
