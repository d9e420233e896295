//! Clocks and random bytes: a program sees the same ones in every run, unless
//! the real ones are asked for.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::c::{Programs, facades};
use crate::cuda_programs::executable;
use crate::program_campaigns::{Place, last_line, text};
use crate::{code, stderr, stdout, upset};

/// What every run begins at: 1 January 2025.
const DATE: u64 = 1_735_689_600;

fn run(flags: &[&str], program: &[&str]) -> Output {
    let start = ["run", "--quiet", "--chip", "rtx2060"];
    let o = upset(&[&start, flags, &["--"], program].concat());
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    o
}

/// Prints a line for every source.
const SOURCES: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
int cudaMalloc(void **p, size_t n);
static void bytes(const char *name, const unsigned char *b) {
    printf("%s", name);
    for (int i = 0; i < 8; i++) printf(" %02x", b[i]);
    puts("");
}
int main(void) {
    void *p;
    struct timeval v; struct timespec t; struct tms m; struct rusage u; unsigned char b[8];
    if (cudaMalloc(&p, 4)) return 1;
    printf("time %ld\n", (long)time(0));
    gettimeofday(&v, 0);
    printf("gettimeofday %ld.%06ld\n", (long)v.tv_sec, (long)v.tv_usec);
    int ids[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_PROCESS_CPUTIME_ID};
    for (int i = 0; i < 4; i++) {
        clock_gettime(ids[i], &t);
        printf("clock_gettime %d %ld.%09ld\n", ids[i], (long)t.tv_sec, t.tv_nsec);
    }
    timespec_get(&t, TIME_UTC);
    printf("timespec_get %ld.%09ld\n", (long)t.tv_sec, t.tv_nsec);
    printf("clock %ld\n", (long)clock());
    printf("times %ld", (long)times(&m));
    printf(" %ld\n", (long)m.tms_utime);
    getrusage(RUSAGE_SELF, &u);
    printf("getrusage %ld.%06ld\n", (long)u.ru_utime.tv_sec, (long)u.ru_utime.tv_usec);
    if (getrandom(b, 8, 0) != 8) return 2;
    bytes("getrandom", b);
    if (getentropy(b, 8)) return 3;
    bytes("getentropy", b);
    int fd = open("/dev/urandom", O_RDONLY);
    if (fd < 0 || read(fd, b, 8) != 8) return 4;
    close(fd);
    bytes("open", b);
    FILE *f = fopen("/dev/random", "rb");
    if (!f || fread(b, 1, 8, f) != 8) return 5;
    fclose(f);
    bytes("fopen", b);
    /* Since glibc 2.36. */
    void (*fill)(void *, size_t) = dlsym(RTLD_DEFAULT, "arc4random_buf");
    if (fill) { fill(b, 8); bytes("arc4random_buf", b); }
    /* Other files are what they are. */
    f = fopen("/proc/self/comm", "r");
    char name[32] = "";
    if (!f || !fgets(name, sizeof name, f)) return 6;
    fputs(name, stdout);
    return 0;
}
"#;

fn sources(c: &Programs) -> String {
    c.compile("sources", SOURCES, &["-L", &facades(), "-l:libcudart.so.11.0", "-ldl"])
}

#[test]
fn every_source_is_the_same_in_every_run() {
    let Some(c) = Programs::new() else { return };
    let program = sources(&c);
    let first = stdout(&run(&[], &[&program]));
    assert_eq!(first, stdout(&run(&[], &[&program])));
    assert!(first.contains(&format!("time {DATE}\n")), "{first}");
    assert!(first.ends_with("\nsources\n"), "{first}");
    // Bytes are not all alike: each source goes on where the last one stopped.
    let random: BTreeSet<&str> = first
        .lines()
        .filter(|l| {
            ["getrandom", "getentropy", "open", "fopen", "arc4random_buf"]
                .iter()
                .any(|s| l.starts_with(s))
        })
        .filter_map(|l| l.split_once(' ').map(|(_, bytes)| bytes))
        .collect();
    assert!(random.len() >= 4 && !random.contains("00 00 00 00 00 00 00 00"), "{random:?}");
}

#[test]
fn a_flag_gives_the_real_ones_back() {
    let Some(c) = Programs::new() else { return };
    let program = sources(&c);
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_secs();
    let before = now();
    let (a, b) = (
        stdout(&run(&["--real-clock"], &[&program])),
        stdout(&run(&["--real-clock"], &[&program])),
    );
    let said =
        a.lines().find_map(|l| l.strip_prefix("time ")?.parse::<u64>().ok()).expect("a time");
    assert!((before..=now()).contains(&said), "{a}");
    for source in ["gettimeofday", "getrandom", "getentropy", "open", "fopen"] {
        let line = |text: &str| text.lines().find(|l| l.starts_with(source)).map(String::from);
        assert!(line(&a).is_some());
        assert_ne!(line(&a), line(&b), "{source}");
    }
}

#[test]
fn what_was_held_is_listed() {
    let Some(c) = Programs::new() else { return };
    let program = sources(&c);
    let held = |flags: &[&str], program: &str| {
        let json = c.path("result.json");
        let json = json.to_str().expect("a path");
        run(&[&["--json", json], flags].concat(), &[program]);
        let text = std::fs::read_to_string(json).expect("a result");
        let v: Value = serde_json::from_str(&text).expect("JSON");
        v["held"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|n| n.as_str().expect("a name").to_string())
            .collect::<Vec<_>>()
    };
    let all = held(&[], &program);
    for name in
        ["time", "gettimeofday", "clock_gettime", "clock", "times", "getrandom", "open", "fopen"]
    {
        assert!(all.iter().any(|n| n == name), "{name} in {all:?}");
    }
    assert_eq!(held(&["--real-clock"], &program), [""; 0]);
    let plain = c.cuda("plain", "void *p; return cudaMalloc(&p, 4);");
    assert_eq!(held(&[], &plain), [""; 0], "the library's own looks do not count");
}

#[test]
fn sleeping_takes_no_time_and_waiting_for_the_clock_ends() {
    let Some(c) = Programs::new() else { return };
    let program = c.compile(
        "sleeps",
        r#"#include <poll.h>
           #include <stdio.h>
           #include <sys/select.h>
           #include <time.h>
           #include <unistd.h>
           int main(void) {
               struct timespec t = {600, 0}, until;
               time_t start = time(0);
               sleep(3600); usleep(2000000); nanosleep(&t, 0);
               clock_gettime(CLOCK_MONOTONIC, &until); until.tv_sec += 1000;
               clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0);
               long slept = time(0) - start;
               /* Nothing comes: the time is gone. */
               start = time(0);
               struct timeval tenth = {0, 100000};
               for (int i = 0; i < 5; i++) { poll(0, 0, 100); select(0, 0, 0, 0, &tenth); tenth.tv_usec = 100000; }
               if (time(0) - start != 1) return 3;
               clock_t begin = clock();
               while (clock() - begin < CLOCKS_PER_SEC / 10) ;
               start = time(0);
               while (time(0) < start + 2) ;
               printf("%ld\n", slept);
               return 0;
           }"#,
        &[],
    );
    let start = Instant::now();
    assert_eq!(stdout(&run(&[], &[&program])), "5202\n");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn threads_that_wait_for_each_other_until_a_moment_do_so() {
    let Some(c) = Programs::new() else { return };
    let program = c.compile(
        "threads",
        r#"#define _GNU_SOURCE
           #include <errno.h>
           #include <pthread.h>
           #include <semaphore.h>
           #include <stdio.h>
           #include <time.h>
           #include <unistd.h>
           static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
           static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
           static sem_t s;
           static int ready;
           static void *other(void *p) {
               usleep(30000);
               pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
               sem_post(&s);
               return p;
           }
           static struct timespec in(double seconds) {
               struct timespec t;
               clock_gettime(CLOCK_REALTIME, &t);
               t.tv_sec += (long)seconds;
               t.tv_nsec += (seconds - (long)seconds) * 1e9;
               if (t.tv_nsec > 999999999) { t.tv_nsec -= 1000000000; t.tv_sec++; }
               return t;
           }
           int main(void) {
               pthread_t t;
               sem_init(&s, 0, 0);
               pthread_create(&t, 0, other, 0);
               struct timespec far = in(50), near = in(0.05);
               pthread_mutex_lock(&m);
               int e = 0;
               while (!ready && !e) e = pthread_cond_timedwait(&c, &m, &far);
               printf("%d %d", ready, e);
               printf(" %d", sem_timedwait(&s, &far));
               near = in(0.05);
               do e = pthread_cond_timedwait(&c, &m, &near); while (!e);
               struct timespec now = in(0);
               printf(" %d %d", e == ETIMEDOUT, now.tv_sec > near.tv_sec
                      || (now.tv_sec == near.tv_sec && now.tv_nsec > near.tv_nsec));
               e = sem_timedwait(&s, &near);
               printf(" %d %d\n", e, errno == ETIMEDOUT);
               pthread_mutex_unlock(&m);
               pthread_join(t, 0);
               return 0;
           }"#,
        &["-pthread"],
    );
    assert_eq!(stdout(&run(&[], &[&program])), "1 0 0 1 1 -1 1\n");
}

#[test]
fn the_clocks_and_random_devices_of_cpp_are_held() {
    let Some(c) = Programs::new() else { return };
    let source = r#"#include <chrono>
        #include <fstream>
        #include <iostream>
        #include <random>
        #include <thread>
        int main() {
            using namespace std::chrono;
            auto start = steady_clock::now();
            std::this_thread::sleep_for(hours(2));
            std::cout << duration_cast<seconds>(steady_clock::now() - start).count() << '\n'
                      << duration_cast<seconds>(system_clock::now().time_since_epoch()).count() << '\n'
                      << high_resolution_clock::now().time_since_epoch().count() << '\n';
            std::random_device device;
            std::cout << device() << ' ' << device() << '\n';
            unsigned word = 0;
            std::ifstream("/dev/urandom", std::ios::binary).read(reinterpret_cast<char *>(&word), 4);
            std::cout << word << '\n';
        }"#;
    let Some(program) = c.cpp("chrono", source, &["-std=c++17"]) else { return };
    let first = stdout(&run(&[], &[&program]));
    assert!(first.starts_with(&format!("7200\n{}\n", DATE + 7200)), "{first}");
    assert_eq!(first, stdout(&run(&[], &[&program])));
}

#[test]
fn scripts_see_the_held_clock_too() {
    let o = run(&[], &["sh", "-c", "date -u +%s; sleep 100; date -u +%Y"]);
    assert_eq!(stdout(&o), format!("{DATE}\n2025\n"));
}

#[test]
fn by_hand_only_programs_with_a_runtime_see_it() {
    let Some(c) = Programs::new() else { return };
    let program = c.cuda(
        "by_hand",
        "long time(long *); void *p; cudaMalloc(&p, 4); printf(\"%ld\\n\", time(0)); return 0;",
    );
    let upset = env!("CARGO_BIN_EXE_upset");
    let line = |flag: &str| {
        format!("eval \"$('{upset}' env --chip rtx2060 {flag})\"; date +%Y; '{program}'")
    };
    let of = |flag| {
        let o = Command::new("sh").args(["-c", &line(flag)]).output().expect("sh starts");
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        stdout(&o).lines().map(|l| l.parse().expect("a number")).collect::<Vec<u64>>()
    };
    let held = of("");
    assert_eq!(held[1], DATE);
    assert!(held[0] > 2025, "the shell's own programs are left alone: {held:?}");
    let real = of("--real-clock");
    assert!(real[1] > DATE + 100 && real[0] > 2025, "{real:?}");
}

#[test]
fn a_blank_in_the_librarys_path_does_not_matter() {
    let Some(c) = Programs::new() else { return };
    let program = sources(&c);
    let folder = c.path("a folder with blanks");
    std::fs::create_dir(&folder).expect("a folder");
    let library = Path::new(&facades()).join("libupset_cudart.so");
    std::fs::copy(library, folder.join("libupset_cudart.so")).expect("copied");
    let o = Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["run", "--quiet", "--chip", "rtx2060", "--", &program])
        .env("UPSET_CUDART", &folder)
        .output()
        .expect("upset starts");
    assert_eq!((code(&o), stderr(&o).as_str()), (0, ""), "{}", stdout(&o));
    assert_eq!(stdout(&o), stdout(&run(&[], &[&program])));
}

/// Of a campaign over `seeds` with a source: its notes, and its last line.
fn campaign(place: &Place, store: &str, flags: &[&str], seeds: &Path, source: &str) -> Output {
    let start =
        ["campaign", "--json-lines", "--out", store, "--chip", "rtx2060", "--set", "sm.count=1"];
    let what = ["--structure", "rf", "--sampling", "active"];
    place.upset(&[&start[..], &what, flags, &["--", text(seeds), source]].concat())
}

fn notes(o: &Output) -> Vec<String> {
    let lines = stdout(o);
    let values = lines.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    values
        .filter(|v| v["event"] == "note")
        .filter_map(|v| v["text"].as_str().map(String::from))
        .collect()
}

#[test]
fn a_seed_from_the_clock_gives_the_same_results_however_they_are_found() {
    let Some(seeds) = executable("seeds") else { return };
    let place = Place::new();
    let exact = campaign(&place, "exact.db", &["--runs", "60"], &seeds, "time");
    assert_eq!(code(&exact), 0, "{}", stderr(&exact));
    let said = notes(&exact);
    assert!(
        said.iter().any(|n| n.contains("depends on the clock") && n.contains("(time)")),
        "{said:?}"
    );
    let naive = campaign(&place, "naive.db", &["--runs", "60", "--exact", "off"], &seeds, "time");
    assert_eq!(last_line(&exact)["counts"], last_line(&naive)["counts"]);
    let told = |store: &str| {
        let fields = ["fault", "class", "cause", "cycles", "output_digest"];
        let all = place.experiments(store);
        all.iter().map(|e| fields.map(|f| e[f].clone())).collect::<Vec<_>>()
    };
    assert_eq!(told("exact.db"), told("naive.db"));
    // Some come out wrong (the program checks its result), and some do not.
    let counts = &last_line(&exact)["counts"];
    assert!(counts["crash"].as_u64() > Some(0) && counts["masked"].as_u64() > Some(0), "{counts}");
    place.nothing_is_left();
}

#[test]
fn every_source_of_a_seed_is_named() {
    let Some(seeds) = executable("seeds") else { return };
    let place = Place::new();
    for (source, name) in [
        ("gettimeofday", "gettimeofday"),
        ("steady_clock", "clock_gettime"),
        ("getrandom", "getrandom"),
        ("urandom", "fopen"),
        ("random_device", "std::random_device"),
    ] {
        let o = campaign(&place, &format!("{source}.db"), &["--runs", "2"], &seeds, source);
        assert_eq!(code(&o), 0, "{source}: {}", stderr(&o));
        let said = notes(&o);
        assert!(
            said.iter().any(|n| n.contains("depends on") && n.contains(name)),
            "{source}: {said:?}"
        );
    }
    let o = campaign(&place, "none.db", &["--runs", "2"], &seeds, "none");
    assert!(!notes(&o).iter().any(|n| n.contains("depends on")), "{:?}", notes(&o));
}

#[test]
fn what_is_not_held_is_refused() {
    let Some(seeds) = executable("seeds") else { return };
    let place = Place::new();
    let o = campaign(&place, "pid.db", &[], &seeds, "pid");
    assert_eq!(code(&o), 1, "{}", stderr(&o));
    assert!(
        stderr(&o).contains("copied other bytes") && stderr(&o).contains("process's number"),
        "{}",
        stderr(&o)
    );
    // However short the runs are, both do not fall into one second.
    let o = campaign(&place, "real.db", &["--real-clock"], &seeds, "time");
    assert_eq!(code(&o), 1, "{}", stderr(&o));
    assert!(stderr(&o).contains("Without --real-clock"), "{}", stderr(&o));
    assert!(!place.path("real.db").exists());
}
