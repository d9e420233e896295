//! Python frameworks, unchanged: `UPSET_PYTHON` names an interpreter that has them
//! (docs/python-kernels.md). Without it, or where it lacks one, these tests skip
//! themselves and say so.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program_campaigns::{Place, arguments, last_line, told};
use crate::{code, stderr, stdout};

/// An interpreter with a module in it.
struct Python(String);

impl Python {
    fn with(module: &str) -> Option<Python> {
        let Some(python) = std::env::var_os("UPSET_PYTHON") else {
            eprintln!("skipped: UPSET_PYTHON names no interpreter with {module}");
            return None;
        };
        let find = format!("import importlib.util as u; exit(u.find_spec('{module}') is None)");
        if !Command::new(&python).args(["-c", &find]).status().is_ok_and(|s| s.success()) {
            eprintln!("skipped: {} has no {module}", Path::new(&python).display());
            return None;
        }
        Some(Python(python.to_string_lossy().into_owned()))
    }

    /// A file of NVIDIA's among its packages.
    fn package(&self, file: &str) -> Option<PathBuf> {
        let find = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let said = Command::new(&self.0).args(["-c", find]).output().ok()?;
        let found = Path::new(stdout(&said).trim()).join("nvidia").join(file);
        found.exists().then_some(found)
    }

    fn upset(&self, args: &[&str], script: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
        command.args(args).arg("--").arg(&self.0).args(script).current_dir(root());
        // What tinygrad loads, and a converter that is as new.
        let nvrtc = self.package("cuda_nvrtc/lib");
        command.envs(nvrtc.map(|path| ("LD_LIBRARY_PATH", path)));
        let ptxas = self.package("cuda_nvcc/bin/ptxas");
        command.envs(ptxas.map(|path| ("UPSET_PTXAS", path)));
        command.output().expect("upset starts")
    }
}

fn root() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../..")
}

fn script(name: &str) -> String {
    format!("{}/programs/python/{name}", root())
}

/// Every result is NumPy's, or the CPU's, with and without timing.
fn agrees(name: &str, module: &str, chip: &str, results: usize) {
    let Some(python) = Python::with(module) else { return };
    for mode in [&["--functional"][..], &[]] {
        let o = python.upset(&[&["run", "--chip", chip], mode].concat(), &[&script(name)]);
        assert_eq!(code(&o), 0, "{}\n{}", stdout(&o), stderr(&o));
        assert_eq!(stdout(&o).matches(" agrees\n").count(), results, "{}", stdout(&o));
    }
}

#[test]
fn numba() {
    agrees("numba_kernels.py", "numba_cuda", "rtx2060", 11);
}

#[test]
fn tinygrad() {
    agrees("tinygrad_operations.py", "tinygrad", "rtx2060", 11);
}

#[test]
fn triton() {
    agrees("triton_kernels.py", "triton", "rtx2060", 10);
}

#[test]
fn pytorch_on_turing() {
    agrees("torch_forward.py", "torch", "rtx2060", 12);
}

#[test]
fn pytorch_on_hopper() {
    agrees("torch_forward.py", "torch", "h200", 12);
}

/// cuBLAS has NVIDIA's runtime inside, without the names of its functions.
#[test]
fn what_asks_cublas_is_told_so() {
    let Some(python) = Python::with("torch") else { return };
    let product = "import torch; a = torch.ones(4, 4).cuda(); print(a @ a)";
    let o = python.upset(&["run", "--chip", "rtx2060", "--functional"], &["-c", product]);
    assert_eq!(code(&o), 3, "{}\n{}", stdout(&o), stderr(&o));
    let said = stderr(&o);
    assert!(said.contains("NVIDIA's runtime inside"), "{said}");
}

/// NumPy has threads, but they go before a fork: runs split from one walk, and are
/// those from the start.
#[test]
fn a_campaign_over_a_triton_kernel() {
    let Some(python) = Python::with("triton") else { return };
    let place = Place::new();
    let flags = ["--structure", "rf,pc", "--sampling", "active"];
    let script = script("triton_softmax.py");
    let run = |store: &str, more: &[&str]| {
        let args = arguments(store, &[&flags[..], more].concat(), &[&python.0, &script]);
        let o = place.upset(&args);
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        assert_eq!(last_line(&o)["counts"]["tool_error"], 0);
        stdout(&o)
    };
    let said = run("split.db", &["--runs", "100"]);
    assert!(!said.contains("starts from the beginning"), "{said}");
    let split = place.experiments("split.db");
    assert_eq!(split.len(), 200);
    run("alone.db", &["--runs", "4", "--exact", "off"]);
    for alone in place.experiments("alone.db") {
        let found = split.iter().find(|e| e["fault"] == alone["fault"]);
        assert_eq!(told(found.expect("the same experiment")), told(&alone));
    }
    place.nothing_is_left();
}
