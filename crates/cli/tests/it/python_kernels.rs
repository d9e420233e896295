//! Python frameworks over the driver API, unchanged: `UPSET_PYTHON` names an
//! interpreter that has them (docs/driver-api.md). Without it, or where it lacks
//! one, these tests skip themselves.

use std::path::Path;
use std::process::Command;

use crate::{code, stderr, stdout, upset};

fn check(script: &str, module: &str, agreeing: usize) {
    let Some(python) = std::env::var_os("UPSET_PYTHON") else {
        eprintln!("skipped: UPSET_PYTHON names no interpreter with {module}");
        return;
    };
    let find = format!("import importlib.util as u; exit(u.find_spec('{module}') is None)");
    if !Command::new(&python).args(["-c", &find]).status().is_ok_and(|s| s.success()) {
        eprintln!("skipped: {} has no {module}", Path::new(&python).display());
        return;
    }
    let (python, script) = (python.to_string_lossy(), format!("programs/python/{script}"));
    for mode in [&["--functional"][..], &[]] {
        let args = [&["run", "--chip", "rtx2060"], mode, &["--", &python, &script]].concat();
        let o = upset(&args);
        assert_eq!(code(&o), 0, "{}\n{}", stdout(&o), stderr(&o));
        assert_eq!(stdout(&o).matches(" agrees\n").count(), agreeing, "{}", stdout(&o));
    }
}

#[test]
fn numba() {
    check("numba_kernels.py", "numba_cuda", 11);
}

#[test]
fn tinygrad() {
    check("tinygrad_operations.py", "tinygrad", 11);
}

#[test]
fn triton() {
    check("triton_kernels.py", "triton", 10);
}
