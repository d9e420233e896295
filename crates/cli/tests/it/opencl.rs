//! `upset burn --opencl` on pocl, which compiles OpenCL for this machine's own
//! processor. `crates/cli/tests/pocl.sh target/pocl` fetches it, as `./test.sh`
//! does; without it these tests skip themselves, unless `UPSET_REQUIRE_POCL=1`
//! is set.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::c::Programs;
use crate::{code, stderr, stdout};

/// The folder with pocl.
fn pocl() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("target/pocl").canonicalize().unwrap_or_default();
    if folder.join("etc/OpenCL/vendors/pocl.icd").is_file() {
        return Some(folder);
    }
    let why = "there is no target/pocl: crates/cli/tests/pocl.sh target/pocl fetches it";
    assert!(std::env::var_os("UPSET_REQUIRE_POCL").is_none_or(|set| set != "1"), "{why}");
    eprintln!("skipped: {why}");
    None
}

/// A program with pocl, after other libraries.
fn with_pocl(pocl: &Path, first: Option<&Path>, cache: &Path) -> Command {
    let lib = pocl.join("usr/lib");
    let mut places: Vec<PathBuf> = first.into_iter().map(Path::to_path_buf).collect();
    places.extend([lib.join("x86_64-linux-gnu"), lib.join("llvm-15/lib")]);
    let places = std::env::join_paths(places).expect("no colons");
    let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
    command.env("LD_LIBRARY_PATH", places).env("POCL_CACHE_DIR", cache);
    command.env("OCL_ICD_VENDORS", pocl.join("etc/OpenCL/vendors"));
    command
}

fn record(o: &Output) -> Value {
    serde_json::from_str(&stdout(o)).unwrap_or_else(|e| panic!("{e}: {}", stderr(o)))
}

fn states(record: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let tests = record["tests"].as_array().cloned().unwrap_or_default();
    tests.iter().map(|t| (text(&t["name"]), text(&t["state"]))).collect()
}

#[test]
fn the_portable_tests_pass_on_a_good_device() {
    let Some(pocl) = pocl() else { return };
    let cache = tempfile::tempdir().expect("a folder");
    let o = with_pocl(&pocl, None, cache.path()).args(["burn", "--opencl", "--json", "-"]).output();
    let o = o.expect("upset starts");
    let record = record(&o);
    assert_eq!(code(&o), 0, "{:#}", record["tests"]);
    assert_eq!(record["board"]["kind"], "opencl");
    let tests = states(&record);
    let names: Vec<&str> = tests.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["opencl-registers", "opencl-local", "opencl-mad", "opencl-memory"]);
    assert!(tests.iter().all(|(_, state)| state == "passed"), "{tests:?}");
    // Others are named, with the reason.
    let left_out = record["left_out"].as_array().expect("a list");
    assert!(left_out.iter().any(|t| t["name"] == "fma"), "{left_out:?}");
}

#[test]
fn a_wrong_bit_from_the_device_is_found() {
    let Some(pocl) = pocl() else { return };
    let Some(programs) = Programs::new() else { return };
    let shim = ["-shared", "-fPIC", "-w", "-ldl"];
    let made = programs.compile("in_between", include_str!("opencl_in_between.c"), &shim);
    let library = programs.path("libOpenCL.so.1");
    std::fs::rename(made, &library).expect("renamed");
    let loader = pocl.join("usr/lib/x86_64-linux-gnu/libOpenCL.so.1");
    let burn = |test: &str, wrong: &str| {
        let mut command = with_pocl(&pocl, Some(programs.dir.path()), programs.dir.path());
        command.env("OPENCL_LOADER", &loader).env("WRONG_READ", wrong);
        command.args(["burn", test, "--opencl", "--json", "-"]).output().expect("upset starts")
    };
    for test in ["opencl-registers", "opencl-local", "opencl-mad", "opencl-memory"] {
        let o = burn(test, "0");
        assert_eq!(code(&o), 0, "{test}: {}", stderr(&o));
        let o = burn(test, "1");
        let record = record(&o);
        assert_eq!((code(&o), states(&record)[0].1.as_str()), (1, "failed"), "{test}");
        assert_eq!(record["tests"][0]["errors"], 1, "{test}: {:#}", record["tests"][0]["findings"]);
    }
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let Some(pocl) = pocl() else { return };
    let cache = tempfile::tempdir().expect("a folder");
    for (choice, told) in [("7:0", "no OpenCL platform 7"), ("0:9", "platform 0 has no device 9")] {
        let mut command = with_pocl(&pocl, None, cache.path());
        let o = command.args(["burn", &format!("--opencl={choice}")]).output().expect("starts");
        assert_eq!(code(&o), 3);
        assert!(stderr(&o).contains(told), "{}", stderr(&o));
    }
}
