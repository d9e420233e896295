//! No process of a program's outlives its `upset`, whatever happens to either.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::c::Programs;
use crate::{code, stderr, stdout};

/// Whether a process is there and not only waiting to be noticed.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().unwrap_or_default();
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

fn soon(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what} takes too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

/// Starts `upset run` and reads the program's first line.
fn start(args: &[&str]) -> (Child, String, BufReader<std::process::ChildStdout>) {
    let mut upset = Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["run", "--quiet", "--chip", "rtx2060", "--"])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("upset starts");
    let mut out = BufReader::new(upset.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    (upset, line.trim().to_string(), out)
}

#[test]
fn a_killed_upset_takes_the_program_along() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "sleeps",
        r#"void *p; cudaMalloc(&p, 4); printf("%d\n", getpid()); fflush(stdout);
           for (;;) sleep(100);"#,
    );
    let (mut upset, pid, _out) = start(&[&program]);
    assert!(lives(&pid));
    signal("-KILL", upset.id());
    upset.wait().expect("it ends");
    soon("the program's end", || !lives(&pid));
}

#[test]
fn a_program_started_by_a_script_ends_when_it_has_nobody_to_report_to() {
    let Some(c) = Programs::new() else { return };
    let gone = c.path("gone");
    let program = c.cuda(
        "waits",
        r#"void *p; cudaMalloc(&p, 4); printf("%d\n", getpid()); fflush(stdout);
           while (access(argv[1], F_OK)) usleep(1000);
           cudaGraphicsMapResources(0, 0, 0);
           for (;;) sleep(100);"#,
    );
    let line = format!("{program} {} & wait", gone.display());
    let (mut upset, pid, _out) = start(&["sh", "-c", &line]);
    assert!(lives(&pid));
    signal("-KILL", upset.id());
    upset.wait().expect("it ends");
    std::fs::write(&gone, "").expect("written");
    soon("the program's end", || !lives(&pid));
}

#[test]
fn upset_does_not_wait_for_what_the_program_leaves_behind() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "leaves",
        r#"if (fork() == 0) {
               close(0), close(1), close(2);
               for (int i = 0; i < 600; i++) usleep(100000);
               _exit(0);
           }
           void *p; cudaMalloc(&p, 4); printf("%d\n", getpid()); return 0;"#,
    );
    let begin = Instant::now();
    let (mut upset, _, _out) = start(&[&program]);
    assert_eq!(upset.wait().expect("it ends").code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_signal_to_upset_is_the_programs() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "catches",
        r#"int sig, n = atoi(argv[1]); sigset_t set; sigemptyset(&set); sigaddset(&set, n);
           sigprocmask(SIG_BLOCK, &set, 0);
           void *p; cudaMalloc(&p, 4); puts("ready"); fflush(stdout);
           sigwait(&set, &sig); printf("got %d\n", sig); return 40 + sig;"#,
    );
    for (name, number) in [("-TERM", 15), ("-HUP", 1), ("-INT", 2), ("-USR1", 10)] {
        let (mut upset, line, mut out) = start(&[&program, &number.to_string()]);
        assert_eq!(line, "ready");
        signal(name, upset.id());
        let mut got = String::new();
        out.read_line(&mut got).expect("a line");
        assert_eq!(got, format!("got {number}\n"));
        assert_eq!(upset.wait().expect("it ends").code(), Some(40 + number));
    }
}

#[test]
fn signals_that_upset_was_told_to_ignore_are_ignored_by_the_program() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "asks",
        r#"struct sigaction a; sigaction(SIGHUP, 0, &a); printf("%d", a.sa_handler == SIG_IGN);
           sigaction(SIGINT, 0, &a); printf("%d\n", a.sa_handler == SIG_DFL); return 7;"#,
    );
    let line = format!(
        "trap '' HUP CHLD; exec '{}' run -q --chip rtx2060 -- {program}",
        env!("CARGO_BIN_EXE_upset")
    );
    let o = Command::new("sh").args(["-c", &line]).output().expect("sh starts");
    assert_eq!((code(&o), stdout(&o).as_str()), (7, "11\n"), "{}", stderr(&o));
}

#[test]
fn no_unfinished_files_stay_beside_the_facades() {
    let folder = crate::c::facades();
    let half = Path::new(&folder).join(".new-libcudart.so.99");
    std::fs::write(&half, "half").expect("written");
    crate::c::facades();
    assert!(!half.exists());
}
