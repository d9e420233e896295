//! Programs that reach a driver in every way, against a fake one.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use upset_quarantine_preload::{LIBRARY, ORDERS, REPORT};

/// The fake's only GPU.
const UUID: &str = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";
/// Its SMs without those of the pair 6 and 7.
const WITHOUT_6_AND_7: &str = "0 1 2 3 4 5 8 9 10 11 \n";
const ALL: &str = "0 1 2 3 4 5 6 7 8 9 10 11 \n";

thread_local! {
    /// A folder with the programs and two drivers. Its thread's, so that it goes with it.
    static BUILT: TempDir = build();
}

/// A file in it.
fn built(name: &str) -> PathBuf {
    BUILT.with(|dir| dir.path().join(name))
}

fn build() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let source = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(name);
    let versions = dir.path().join("versions");
    fs::write(&versions, "FAKE_1 { global: *; };\n").expect("written");
    for (folder, old) in [("driver", &[][..]), ("old", &["-DOLD"][..])] {
        let folder = dir.path().join(folder);
        fs::create_dir(&folder).expect("a folder");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-w", "-Wl,-soname,libcuda.so.1"]).args(old);
        cc.arg(format!("-Wl,--version-script={}", versions.display()));
        cc.arg("-o").arg(folder.join("libcuda.so.1")).arg(source("fake_driver.c")).arg("-ldl");
        assert!(cc.status().expect("cc runs").success());
    }
    for (name, arguments) in [("opens", &[][..]), ("linked", &["-DLINKED"][..])] {
        let mut cc = Command::new("cc");
        cc.args(["-w"]).args(arguments).arg("-o").arg(dir.path().join(name));
        cc.arg(source("program.c")).arg("-ldl");
        if name == "linked" {
            cc.arg(dir.path().join("driver/libcuda.so.1"));
        }
        assert!(cc.status().expect("cc runs").success());
    }
    dir
}

/// The library under test, beside this test or above it.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let folders = test.ancestors().skip(1).take(2);
    let mut found = folders.map(|folder| folder.join(LIBRARY)).filter(|file| file.is_file());
    found.next().expect("the library is built with its tests")
}

struct Run {
    program: &'static str,
    driver: &'static str,
    orders: String,
    variables: Vec<(&'static str, &'static str)>,
}

impl Run {
    fn of(program: &'static str) -> Run {
        let orders = format!("{UUID}:6");
        Run { program, driver: "driver", orders, variables: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Run {
        self.variables.push((name, value));
        self
    }

    /// Output, what was reported, and the calls that the driver saw.
    fn run(self, way: &str, context: &str) -> (Output, String, String) {
        let own = tempfile::tempdir().expect("a folder");
        let (report, calls) = (own.path().join("report"), own.path().join("calls"));
        let mut program = Command::new(built(self.program));
        program.args([way, context]);
        program.env("LD_LIBRARY_PATH", built(self.driver));
        program.env("LD_PRELOAD", library());
        program.env(ORDERS, self.orders).env(REPORT, &report).env("FAKE_CALLS", &calls);
        program.envs(self.variables);
        let output = program.output().expect("it runs");
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        (output, read(&report), read(&calls))
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

/// Work never comes to the bad SM's pair, by whatever way.
fn kept_off(program: &'static str, way: &str) {
    for context in ["primary", "runtime", "push", "create"] {
        let (output, report, _) = Run::of(program).run(way, context);
        assert_eq!(stderr(&output), "", "{way} {context}");
        assert_eq!(stdout(&output), WITHOUT_6_AND_7, "{way} {context}");
        assert_eq!(output.status.code(), Some(7), "{way} {context}");
        assert_eq!(
            report,
            format!("{UUID} runs on 5 of 6 groups, SMs {}\n", WITHOUT_6_AND_7.trim())
        );
    }
}

#[test]
fn linked_with_the_driver() {
    kept_off("linked", "-");
}

#[test]
fn opened_and_asked_by_name() {
    kept_off("opens", "dlsym");
}

#[test]
fn through_the_first_form_of_get_proc_address() {
    kept_off("opens", "first");
}

#[test]
fn through_the_second_form_of_get_proc_address() {
    kept_off("opens", "second");
    kept_off("opens", "again");
}

#[test]
fn every_form_of_creating_a_context() {
    for version in ["create4000", "create11040", "create12050"] {
        let (output, _, calls) = Run::of("opens").run("second", version);
        assert_eq!(
            (stdout(&output), output.status.code()),
            (WITHOUT_6_AND_7, Some(7)),
            "{version}"
        );
        assert!(!calls.lines().any(|call| call == "cuCtxCreate"), "{calls}");
    }
}

#[test]
fn after_a_reset_the_context_is_green_again() {
    let (output, report, _) = Run::of("linked").run("-", "reset");
    assert_eq!(stdout(&output), WITHOUT_6_AND_7.repeat(2));
    assert_eq!(report.lines().count(), 2);
}

#[test]
fn another_gpu_is_left_alone() {
    for orders in ["", "GPU-ffffffff-0405-0607-0809-0a0b0c0d0e0f:6"] {
        let run = Run { orders: orders.into(), ..Run::of("opens") };
        let (output, report, calls) = run.run("second", "primary");
        assert_eq!((stdout(&output), report.as_str()), (ALL, ""), "{orders}");
        assert!(!calls.contains("cuGreenCtxCreate"), "{calls}");
    }
}

#[test]
fn several_bad_sms_cost_their_groups() {
    let run = Run { orders: format!("{UUID}:0,7,11"), ..Run::of("linked") };
    let (output, report, _) = run.run("-", "primary");
    assert_eq!(stdout(&output), "2 3 4 5 8 9 \n");
    assert_eq!(report, format!("{UUID} runs on 3 of 6 groups, SMs 2 3 4 5 8 9\n"));
}

#[test]
fn a_driver_without_small_groups_costs_more() {
    let (output, _, _) = Run::of("linked").with("FAKE_NO_FLAGS", "1").run("-", "primary");
    // 6 and 7 are in a group with 2 and 3, and what is left over counts as a group.
    assert_eq!(stderr(&output), "");
    assert_eq!(stdout(&output).split_whitespace().filter(|sm| ["6", "7"].contains(sm)).count(), 0);
    assert!(stdout(&output).split_whitespace().count() >= 8, "{}", stdout(&output));
}

#[test]
fn a_driver_that_refuses_is_quoted_and_nothing_runs() {
    let (output, _, _) =
        Run::of("opens").with("FAKE_REFUSES", "cuGreenCtxCreate").run("second", "primary");
    assert_eq!(
        stderr(&output),
        "upset: quarantine: the CUDA driver refuses cuGreenCtxCreate: \
         CUDA_ERROR_NOT_SUPPORTED, operation not supported\n"
    );
    assert_eq!((stdout(&output), output.status.code()), ("", Some(3)));
}

#[test]
fn an_old_driver_is_named_and_nothing_runs() {
    let run = Run { driver: "old", ..Run::of("opens") };
    let (output, _, _) = run.run("dlsym", "primary");
    assert_eq!(
        stderr(&output),
        "upset: quarantine: the CUDA driver has no cuDeviceGetDevResource: green contexts need \
         one of CUDA 12.4 or later\n"
    );
    assert_eq!((stdout(&output), output.status.code()), ("", Some(3)));
}

#[test]
fn an_sm_that_is_not_there_is_told() {
    let run = Run { orders: format!("{UUID}:12"), ..Run::of("linked") };
    let (output, _, _) = run.run("-", "primary");
    assert_eq!(
        stderr(&output),
        "upset: quarantine: no group of SMs holds SM 12: is the record another GPU's?\n"
    );
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_context_that_does_not_keep_to_its_sms_is_noticed() {
    // The fake swaps SM 0 for the bad SM 6 in the final context.
    let (output, _, _) = Run::of("linked").with("FAKE_LEAKS", "1").run("-", "primary");
    assert_eq!(stderr(&output), "upset: quarantine: SM 6 was reached from a context without it\n");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_program_with_green_contexts_of_its_own_is_refused() {
    let (output, _, _) = Run::of("linked").run("-", "green");
    assert!(stderr(&output).contains("makes green contexts itself"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn orders_that_cannot_be_read_end_the_program() {
    let run = Run { orders: "nonsense".into(), ..Run::of("linked") };
    let (output, _, _) = run.run("-", "primary");
    let told = "upset: quarantine: UPSET_QUARANTINE_SMS: \"nonsense\" is not like GPU-…:6,7 or \
                GPU-…:groups=0,2\n";
    assert_eq!(stderr(&output), told);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_program_keeps_to_groups_of_any_gpu() {
    // The fake's groups in its order are the pairs 4 0 5 2 1 3.
    let run = Run { orders: "*:groups=0,2".into(), ..Run::of("linked") };
    let (output, report, _) = run.run("-", "primary");
    assert_eq!((stdout(&output), stderr(&output)), ("8 9 10 11 \n", ""));
    assert_eq!(report, format!("{UUID} runs on 2 of 6 groups, SMs 8 9 10 11\n"));
    let run = Run { orders: format!("{UUID}:groups=all"), ..Run::of("linked") };
    let (output, report, _) = run.run("-", "primary");
    assert_eq!(stdout(&output), ALL);
    assert!(report.starts_with(&format!("{UUID} runs on 6 of 6 groups, ")), "{report}");
    let run = Run { orders: "*:groups=6".into(), ..Run::of("linked") };
    let (output, report, _) = run.run("-", "primary");
    assert_eq!(report, "refused: there is no group 6 of SMs: there are 6\n");
    assert_eq!((stdout(&output), output.status.code()), ("", Some(3)));
}
