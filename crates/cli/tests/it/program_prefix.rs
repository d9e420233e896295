//! Runs of programs that split from a walk of the fault-free run: they are the
//! runs from the start, and where they could not be, none splits.
//!
//! What a program does with its files is put into one of the applications by a
//! small library that is loaded before all others: it acts before the first
//! CUDA call, at every copy and launch, and at the end.

use serde_json::Value;

use crate::c::Programs;
use crate::cuda_programs::executable;
use crate::program_campaigns::{Place, arguments, last_line, text};
use crate::{code, stderr, stdout};

/// `begin`, `step` and `end` are the test's.
const HOOKS: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
static void begin(void);
static void step(void);
static void end(void);
__attribute__((constructor)) static void at_start(void) {
    unsetenv("LD_PRELOAD");
    int count = open(STARTS, O_WRONLY | O_CREAT | O_APPEND, 0600);
    write(count, "x", 1);
    close(count);
    begin();
}
__attribute__((destructor)) static void at_end(void) { end(); }
int cudaMemcpy(void *to, const void *from, size_t n, int kind) {
    step();
    int (*real)(void *, const void *, size_t, int) = dlsym(RTLD_NEXT, "cudaMemcpy");
    return real(to, from, n, kind);
}
typedef struct { unsigned x, y, z; } dim;
int cudaLaunchKernel(const void *f, dim grid, dim block, void **args, size_t shared, void *s) {
    step();
    int (*real)(const void *, dim, dim, void **, size_t, void *) =
        dlsym(RTLD_NEXT, "cudaLaunchKernel");
    return real(f, grid, block, args, shared, s);
}
"#;

/// Uses files in all the ways that a fork could disturb.
const FILES: &str = r#"
static FILE *record;
static int in, again, steps;
static char here[4096];
static void begin(void) {
    getcwd(here, sizeof here);
    record = fopen("record", "w+");
    fputs("begin\n", record);
    printf("kept before\n");
    write(1, "written before\n", 15);
    fprintf(stderr, "error before\n");
    in = open("input", O_RDONLY);
    again = dup(in);
    char b[4];
    read(in, b, 4);
    fwrite(b, 1, 4, record);
}
static void step(void) {
    char b[3];
    read(steps % 2 ? again : in, b, 3);
    fprintf(record, "%d %.3s\n", ++steps, b);
    if (steps % 3 == 0) fflush(record);
    printf("step %d\n", steps);
    if (steps % 4 == 0) fflush(stdout);
    FILE *notes = fopen("notes", "a");
    fprintf(notes, "step %d at %ld\n", steps, lseek(again, 0, SEEK_CUR));
    fclose(notes);
    if (steps == 2) mkdir("made", 0700);
    if (steps > 2) {
        notes = fopen("made/file", "r+");
        if (!notes) notes = fopen("made/file", "w");
        fseek(notes, 0, SEEK_END);
        fputs("more\n", notes);
        fclose(notes);
    }
}
static void end(void) {
    char path[5000];
    fseek(record, 0, SEEK_SET);
    fputs("BEGIN", record);
    fclose(record);
    sprintf(path, "%s/absolute", here);
    FILE *absolute = fopen(path, "a");
    fprintf(absolute, "%d\n", steps);
    fclose(absolute);
    fflush(stdout);
    system("echo from a child; cat made/file record >> notes");
    rename("notes", "noted");
    printf("after\n");
}
"#;

/// An application with a library before it.
struct Hooked {
    place: Place,
    _c: Programs,
    line: String,
}

impl Hooked {
    fn new(app: &str, args: &str, hooks: &str) -> Option<Hooked> {
        let (app, c, place) = (executable(app)?, Programs::new()?, Place::new());
        std::fs::write(place.path("input"), "abcdefghijklmnopqrstuvwxyz".repeat(40))
            .expect("written");
        let starts = place.temporary_path("starts");
        let outside = place.temporary_path("outside");
        let source = format!(
            "#define STARTS {:?}\n#define OUTSIDE {:?}\n{HOOKS}{hooks}",
            text(&starts),
            text(&outside)
        );
        let library = c.compile("hooks.so", &source, &["-shared", "-fPIC", "-ldl", "-pthread"]);
        let line = format!("LD_PRELOAD={library} exec '{}' {args}", text(&app));
        Some(Hooked { place, _c: c, line })
    }

    /// Rows of a campaign, the notes, and how often the program was started.
    fn campaign(&self, store: &str, flags: &[&str]) -> (Vec<Value>, String, usize) {
        let starts = self.place.temporary_path("starts");
        let _ = std::fs::remove_file(&starts);
        let out = self.place.upset(&arguments(store, flags, &["sh", "-c", &self.line]));
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        assert_eq!(last_line(&out)["counts"]["tool_error"], 0);
        let mut rows = self.place.experiments(store);
        // How a row was found out, and whether a bit got out where the naive
        // way does not tell.
        for row in &mut rows {
            row["how"] = Value::Null;
            row["reached"] = Value::Null;
        }
        let count = std::fs::read(&starts).expect("starts").len();
        std::fs::remove_file(&starts).expect("removed");
        (rows, stdout(&out), count)
    }
}

const NOTE: &str = "every run that must be simulated starts from the beginning";

#[test]
fn runs_that_split_are_the_runs_from_the_start() {
    let Some(hooked) = Hooked::new("apps/pathf", "small 1", FILES) else { return };
    let flags = ["--structure", "rf,l2,pc", "--sampling", "active", "--runs", "20"];
    let files = ["--compare", "files", "--files", "record,noted,absolute,made/file"];
    for (i, way) in [&files[..], &["--compare", "stdout"]].into_iter().enumerate() {
        let run = |exact: &str| {
            let flags = [&flags[..], way, &["--exact", exact, "--jobs", "1"]].concat();
            hooked.campaign(&format!("{i}{exact}.db"), &flags)
        };
        let (split, said, starts) = run("on");
        assert!(!said.contains(NOTE), "{said}");
        // Two fault-free runs, one for the lifetimes, one that is walked.
        assert_eq!(starts, 4, "{way:?}");
        let (naive, _, starts) = run("off");
        // Two fault-free runs, and one that tells what each fault hits.
        assert_eq!(starts, 3 + naive.len());
        assert_eq!(split, naive, "{way:?}");
        let of = |class: &str| split.iter().filter(|e| e["class"] == class).count();
        assert!(of("masked") > 0 && of("crash") > 0, "{way:?}");
    }
    hooked.place.nothing_is_left();
}

#[test]
fn where_it_would_do_harm_no_run_splits() {
    let steps = "static void step(void) {} static void end(void) {}";
    let unsafes = [
        (
            "runs 2 threads",
            "static void *wait(void *p) { for (;;) pause(); }
             static void begin(void) { pthread_t t; pthread_create(&t, 0, wait, 0); }",
        ),
        ("has a pipe open", "static void begin(void) { int p[2]; pipe(p); }"),
        (
            "has a socket open",
            "static void begin(void) { int p[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, p); }",
        ),
        (
            "shares /dev/zero",
            "static void begin(void) {
                 mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
             }",
        ),
        (
            "open to write, outside its working folder",
            "static void begin(void) { open(OUTSIDE, O_WRONLY | O_CREAT, 0600); }",
        ),
        (
            "is not an ordinary file any more",
            "static void begin(void) { fputs(\"x\", tmpfile()); }",
        ),
        ("has child processes", "static void begin(void) { if (!fork()) for (;;) pause(); }"),
        (
            "cannot be spoken to",
            "static void begin(void) { syscall(436 /* close_range */, 3, ~0u, 0); }",
        ),
        ("has a timer running", "static void begin(void) { alarm(10000); }"),
        (
            "handles the ends of child processes",
            "static void begin(void) { signal(SIGCHLD, SIG_IGN); }",
        ),
    ];
    let mut naive: Option<Vec<Value>> = None;
    for (why, begin) in unsafes {
        let hooks = format!("{begin}\n{steps}");
        let Some(hooked) = Hooked::new("apps/va", "small 1", &hooks) else { return };
        let flags = ["--structure", "rf", "--sampling", "active", "--runs", "30"];
        let run = |exact: &str| {
            let flags = [&flags[..], &["--exact", exact, "--jobs", "1"]].concat();
            hooked.campaign(&format!("{exact}.db"), &flags)
        };
        let (fallen_back, said, _) = run("on");
        let notes: Vec<&str> = said.lines().filter(|l| l.contains(NOTE)).collect();
        assert!(notes.len() == 1 && notes[0].contains(why), "{why}: {said}");
        // What the hooks do has nothing to do with the rows.
        let naive = naive.get_or_insert_with(|| run("off").0);
        assert_eq!(&fallen_back, naive, "{why}");
    }
}

/// As OpenBLAS does it, whose threads every script has that imports NumPy.
#[test]
fn threads_that_a_library_ends_before_forks_keep_no_run_from_splitting() {
    let hooks = "static pthread_t thread; static int live; static int ends;
        static void *wait(void *p) { while (!__atomic_load_n(&ends, 5)) usleep(100); return p; }
        static void away(void) {
            if (!live) return;
            __atomic_store_n(&ends, 1, 5); pthread_join(thread, 0); live = 0;
        }
        static void begin(void) {
            pthread_create(&thread, 0, wait, 0); live = 1; pthread_atfork(away, 0, 0);
        }
        static void step(void) {} static void end(void) {}";
    let Some(hooked) = Hooked::new("apps/va", "small 1", hooks) else { return };
    let flags = ["--structure", "rf,pc", "--sampling", "active", "--runs", "20"];
    let run = |exact: &str| {
        let flags = [&flags[..], &["--exact", exact, "--jobs", "1"]].concat();
        hooked.campaign(&format!("{exact}.db"), &flags)
    };
    let (split, said, starts) = run("on");
    assert!(!said.contains(NOTE), "{said}");
    assert!(starts <= 4, "{starts} starts");
    assert_eq!(split, run("off").0);
}

#[test]
fn what_a_script_starts_does_not_split_but_what_it_becomes_does() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    let flags = ["--structure", "rf", "--sampling", "active", "--runs", "30"];
    let said = |store: &str, line: &str| {
        let out = place.upset(&arguments(store, &flags, &["sh", "-c", line]));
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        stdout(&out)
    };
    let started = said("started.db", &format!("'{}' small 1; exit $?", text(&va)));
    assert!(started.contains("sh starts the process that uses the GPU"), "{started}");
    let becomes = said("becomes.db", &format!("exec '{}' small 1", text(&va)));
    assert!(!becomes.contains(NOTE), "{becomes}");
    assert_eq!(place.experiments("started.db"), place.experiments("becomes.db"));
    place.nothing_is_left();
}

#[test]
fn held_bits_split_as_well() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    let flags = ["--structure", "rf,pc", "--model", "stuck1:200", "--runs", "30"];
    let run = |exact: &str| {
        let flags = [&flags[..], &["--sampling", "active", "--exact", exact]].concat();
        let store = format!("{exact}.db");
        place.campaign(&store, &flags, &[text(&va), "small", "1"]);
        place.experiments(&store)
    };
    assert_eq!(run("on"), run("off"));
}
