//! CUDA programs: whatever they print, return or die of is their own.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::c::Programs;
use crate::{code, stderr, stdout, upset};

fn run(program: &[&str]) -> Output {
    upset(&[&["run", "--chip", "rtx2060", "--"], program].concat())
}

fn json(o: &Output) -> Value {
    let text = stdout(o);
    let start = text.find("\n{\n").map_or(0, |at| at + 1);
    serde_json::from_str(&text[start..]).expect("one JSON object")
}

/// Copies bytes there and back.
const ROUND_TRIP: &str = r#"
    char out[] = "through the device", back[sizeof out] = "";
    void *p;
    if (cudaMalloc(&p, sizeof out) || cudaMemcpy(p, out, sizeof out, 1)
        || cudaMemcpy(back, p, sizeof out, 2) || cudaFree(p)) return 1;
    puts(back);
    fputs("to stderr\n", stderr);
    return argc > 1 ? atoi(argv[1]) : 0;
"#;

#[test]
fn output_arguments_and_exit_code_are_the_programs_own() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda("round_trip", ROUND_TRIP);
    for exit in [0, 1, 7, 255] {
        let o = run(&[&program, &exit.to_string()]);
        assert_eq!(code(&o), exit, "{}", stderr(&o));
        assert_eq!(stdout(&o), "through the device\n");
        let said = stderr(&o);
        assert!(said.starts_with("to stderr\n"), "{said}");
        assert!(said.contains(&format!("{program} on rtx2060, timing")), "{said}");
        assert!(said.contains(&format!("\nexit code {exit}\n")), "{said}");
        assert!(said.contains("output digest "), "{said}");
    }
    let o = upset(&["run", "--chip", "rtx2060", "--quiet", "--", &program]);
    assert_eq!(stderr(&o), "to stderr\n");
}

#[test]
fn json_comes_after_the_programs_own_output() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda("round_trip", ROUND_TRIP);
    let o = upset(&["run", "--chip", "gv100", "--json", "-", "--", &program, "5"]);
    assert_eq!(code(&o), 5);
    assert!(stdout(&o).starts_with("through the device\n{\n"), "{}", stdout(&o));
    assert_eq!(stderr(&o), "to stderr\n");
    let v = json(&o);
    assert_eq!(v["program"], program);
    assert_eq!(v["args"], serde_json::json!(["5"]));
    assert_eq!((&v["exit_code"], &v["signal"]), (&5.into(), &Value::Null));
    assert_eq!((&v["passed"], &v["mode"]), (&false.into(), &"timing".into()));
    for list in ["missing", "lacking", "traps", "unasked", "notes", "failures", "kernels"] {
        assert_eq!(v[list], serde_json::json!([]), "{list}");
    }
    assert_eq!(v["processes"].as_array().map(Vec::len), Some(1));
    assert_eq!(v["output_digest"].as_str().map(str::len), Some(32));
    let file = c.path("result.json");
    let file = file.to_string_lossy();
    let o = upset(&["run", "--chip", "gv100", "--json", &file, "--functional", "--", &program]);
    assert_eq!(code(&o), 0);
    assert!(stderr(&o).contains("exit code 0"), "the table is printed as well");
    let v: Value = serde_json::from_str(&std::fs::read_to_string(&*file).expect("a file"))
        .expect("one JSON object");
    assert_eq!((&v["passed"], &v["mode"]), (&true.into(), &"functional".into()));
}

#[test]
fn standard_input_reaches_the_program() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "shout",
        r#"int ch; void *p; cudaMalloc(&p, 4);
           while ((ch = getchar()) != EOF) putchar(ch - 32); return 0;"#,
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["run", "-q", "--chip", "rtx2060", "--", &program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("upset starts");
    use std::io::Write;
    child.stdin.take().expect("a pipe").write_all(b"abc").expect("written");
    let o = child.wait_with_output().expect("it ends");
    assert_eq!(stdout(&o), "ABC");
}

#[test]
fn a_missing_function_returns_an_error_and_is_listed() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "missing",
        r#"int e = cudaGraphicsMapResources(0, 0, 0);
           cudaGraphicsMapResources(0, 0, 0);
           printf("%d %s\n", e, cudaGetErrorString(e)); return 0;"#,
    );
    let o = run(&[&program]);
    assert_eq!(code(&o), 3);
    assert_eq!(stdout(&o), "801 operation not supported\n");
    let said = stderr(&o);
    // Once by the library when it happens, once by upset at the end.
    assert_eq!(said.matches("cudaGraphicsMapResources").count(), 2, "{said}");
    assert!(said.contains("functions of the runtime: cudaGraphicsMapResources"), "{said}");
    let v = json(&upset(&["run", "--chip", "rtx2060", "--json", "-", "--", &program]));
    assert_eq!(v["missing"], serde_json::json!(["cudaGraphicsMapResources"]));
    assert_eq!(v["passed"], false);
}

#[test]
fn a_signal_that_ends_the_program_ends_upset() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "dies",
        r#"void *p; cudaMalloc(&p, 4); puts("before"); fflush(stdout);
           switch (atoi(argv[1])) {
           case SIGABRT: abort();
           case SIGSEGV: *(volatile int *)8 = 1;
           default: raise(atoi(argv[1]));
           } return 0;"#,
    );
    for (signal, name) in
        [(6, "SIGABRT"), (11, "SIGSEGV"), (9, "SIGKILL"), (15, "SIGTERM"), (2, "SIGINT")]
    {
        let dir = tempfile::tempdir().expect("a folder");
        let o = Command::new(env!("CARGO_BIN_EXE_upset"))
            .args(["run", "--chip", "rtx2060", "--", &program, &signal.to_string()])
            .current_dir(dir.path())
            .output()
            .expect("upset starts");
        assert_eq!(o.status.signal(), Some(signal), "{}", stderr(&o));
        assert_eq!(stdout(&o), "before\n");
        assert!(stderr(&o).contains(&format!("ended by {name}")), "{}", stderr(&o));
        let left = std::fs::read_dir(dir.path()).expect("a list").count();
        assert_eq!(left, 0, "nothing is left behind");
    }
    let v = json(&upset(&["run", "--chip", "rtx2060", "--json", "-", "--", &program, "6"]));
    assert_eq!((&v["exit_code"], &v["signal"]), (&Value::Null, &"SIGABRT".into()));
}

#[test]
fn exit_in_the_middle_and_quick_exits_are_exits() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "exits",
        r#"void *p; cudaMalloc(&p, 4);
           if (argv[1][0] == '_') _exit(9);
           exit(8);"#,
    );
    assert_eq!(code(&run(&[&program, "exit"])), 8);
    assert_eq!(code(&run(&[&program, "_exit"])), 9);
}

#[test]
fn a_fork_before_or_after_the_first_call_is_like_on_hardware() {
    let Some(c) = Programs::new() else { return };
    // A child has a device of its own only if its parent had none.
    let program = c.cuda(
        "forks",
        r#"void *p; int status, early = argv[1][0] == 'e';
           if (!early) cudaMalloc(&p, 4);
           pid_t child = fork();
           if (child == 0) exit(cudaMalloc(&p, 4));
           waitpid(child, &status, 0);
           printf("%d %d\n", WEXITSTATUS(status), cudaMalloc(&p, 4)); return 0;"#,
    );
    let o = run(&[&program, "late"]);
    assert_eq!((code(&o), stdout(&o).as_str()), (0, "3 0\n"), "{}", stderr(&o));
    let o = upset(&["run", "--chip", "rtx2060", "--json", "-", "--", &program, "early"]);
    assert!(stdout(&o).starts_with("0 0\n"), "{}", stdout(&o));
    assert_eq!(json(&o)["processes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_script_may_start_the_program() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda("round_trip", ROUND_TRIP);
    let line = format!("{program} 4; {program} 5; echo $?");
    let o = upset(&["run", "--chip", "rtx2060", "--json", "-", "--", "sh", "-c", &line]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert!(stdout(&o).contains("\n5\n"), "{}", stdout(&o));
    assert_eq!(json(&o)["processes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn programs_without_cuda_run_and_are_told_so() {
    let o = run(&["sh", "-c", "echo hello; exit 6"]);
    assert_eq!((code(&o), stdout(&o).as_str()), (6, "hello\n"));
    assert!(stderr(&o).contains("no CUDA call arrived"), "{}", stderr(&o));
}

#[test]
fn a_program_runs_by_hand_as_upset_env_says() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "by_hand",
        r#"void *p; printf("%d %d\n", cudaMalloc(&p, 4), cudaGraphicsMapResources(0, 0, 0));
           return 5;"#,
    );
    let line = format!(
        "eval \"$('{}' env --chip rtx2060 --set sm.count=15 --set sm.warps=32)\" && exec {program}",
        env!("CARGO_BIN_EXE_upset")
    );
    let o = Command::new("sh").args(["-c", &line]).output().expect("sh starts");
    assert_eq!((code(&o), stdout(&o).as_str()), (5, "0 801\n"), "{}", stderr(&o));
    assert!(stderr(&o).contains("cudaGraphicsMapResources is not supported"), "{}", stderr(&o));
}

#[test]
fn what_a_program_is_told_is_what_the_flags_say() {
    let Some(c) = Programs::new() else { return };
    let program = c.compile(
        "environment",
        r#"#include <stdio.h>
           #include <stdlib.h>
           int main(void) {
               const char *names[] = {"UPSET_CHIP", "UPSET_SET", "UPSET_MODE", "UPSET_TRACE",
                                      "UPSET_KERNEL_CYCLES"};
               for (int i = 0; i < 5; i++) {
                   const char *v = getenv(names[i]);
                   printf("%s=%s\n", names[i], v ? v : "(none)");
               }
               return 0;
           }"#,
        &[],
    );
    let chip = c.path("mine.toml");
    std::fs::write(&chip, "extends = \"rtx2060\"\n").expect("written");
    let of = |args: &[&str]| {
        let o = Command::new(env!("CARGO_BIN_EXE_upset"))
            .args(args)
            .args(["--", &program])
            .env("UPSET_TRACE", "/from/outside")
            .current_dir(c.dir.path())
            .output()
            .expect("upset starts");
        stdout(&o)
    };
    let dir = c.dir.path().display();
    assert_eq!(
        of(&["run", "--chip", "mine.toml", "--set", "sm.count=2", "--set", "clock.core_mhz=1000"]),
        format!(
            "UPSET_CHIP={dir}/mine.toml\nUPSET_SET=sm.count=2\nclock.core_mhz=1000\n\
             UPSET_MODE=timing\nUPSET_TRACE=(none)\nUPSET_KERNEL_CYCLES=(none)\n"
        )
    );
    assert_eq!(
        of(&["run", "--chip", "gv100", "--trace", "t.json", "--kernel-cycles", "500"]),
        format!(
            "UPSET_CHIP=gv100\nUPSET_SET=(none)\nUPSET_MODE=timing\n\
             UPSET_TRACE={dir}/t.json\nUPSET_KERNEL_CYCLES=500\n"
        )
    );
    assert!(!c.path("t.json").exists(), "no empty trace stays");
}

#[test]
fn a_trace_is_written_by_the_programs_process() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda("round_trip", ROUND_TRIP);
    let file = c.path("trace.json");
    let o =
        upset(&["run", "--chip", "rtx2060", "--trace", &file.to_string_lossy(), "--", &program]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let text = std::fs::read_to_string(&file).expect("a trace");
    let v: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(v["otherData"]["program"], "round_trip");
    assert!(v["traceEvents"].is_array());
}

#[test]
fn every_field_is_documented() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda("round_trip", ROUND_TRIP);
    let v = json(&upset(&["run", "--chip", "rtx2060", "--json", "-", "--", &program]));
    let read = |page: &str| {
        let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("the page")
    };
    let pages = read("cuda-programs.md") + &read("running.md");
    let mut all = Vec::new();
    crate::timing::fields(&v, &mut all);
    for name in all {
        assert!(pages.contains(&format!("`{name}`")), "{name} is not in docs/cuda-programs.md");
    }
}
