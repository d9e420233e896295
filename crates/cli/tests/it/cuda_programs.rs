//! The CUDA programs of `programs/`, compiled by nvcc: each prints what a real
//! GPU made it print, on every chip, and ends as it did there.
//!
//! `cargo xtask programs build` makes them. Where that was not possible these
//! tests skip themselves, unless `UPSET_REQUIRE_PROGRAMS=1` is set.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{code, counters, stderr, stdout, upset};

/// Each program becomes a test of this name, so that they run side by side and
/// the one that fails has a name.
macro_rules! programs {
    ($($name:ident)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check_program(stringify!($name));
            }
        )*
    };
}

/// The same for the applications of `programs/apps`.
macro_rules! applications {
    ($($name:ident)*) => {
        const APPLICATIONS: &[&str] = &[$(stringify!($name)),*];
        mod application {
            $(
                #[test]
                fn $name() {
                    super::check_program(concat!("apps/", stringify!($name)));
                    super::check_application(stringify!($name));
                }
            )*
        }
    };
}

programs! {
    vector_add launch_kernel grids templates struct_args split_files separate_compilation
    constant_memory device_variables managed_memory pinned_memory pitched_memory volume_memory
    texture_object texture_reference texture_linear texture_volume surfaces surface_shapes
    dynamic_shared streams
    per_thread_stream events async_copies malloc_async occupancy device_query pointer_attributes
    function_attributes errors illegal_address outside_allocation invalid_address_space misaligned_address device_assert device_trap
    device_printf device_malloc clocks atomics_integer atomics_wide warp_shuffle warp_vote
    cooperative_groups copies_to_shared block_barriers grid_sync double_math half_math
    math_library recursion virtual_functions
    graph_capture graph_explicit host_threads thread_errors fork_before fork_after exit_in_middle
    abort_in_middle host_segfault loaded_library seeds
}

applications! {
    va sp hs km srad1 srad2 lud bfs pathf nw ge bp
    fft gray mmul reduce sobel sort tran
}

/// Chips and modes that every program runs in. All chips have one answer, but
/// for what the list says of titan.
const PLACES: [(&str, &[&str]); 5] = [
    ("rtx2060", &[]),
    ("gv100", &[]),
    ("h200", &["--functional"]),
    (KEPLER, &[]),
    (KEPLER, &["--functional"]),
];
/// The chip for code of sm_35.
const KEPLER: &str = "titan";

/// What `programs.toml` says about running a program.
#[derive(Default)]
pub struct Entry {
    pub name: String,
    pub args: Vec<String>,
    exit: i32,
    signal: Option<String>,
    /// It has no code for sm_35.
    not_kepler: bool,
    /// It prints something else there.
    differs_on_kepler: bool,
    /// The release whose compiler, and later ones, round its sums otherwise.
    pub rounds_otherwise_from: Option<u32>,
}

pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

/// All entries of `programs.toml`. Its strings and lists are written as in JSON.
pub fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(sources().join("programs.toml")).expect("the list");
    let tables = text.split("[[program]]").skip(1);
    tables.map(entry).collect()
}

fn entry(table: &str) -> Entry {
    fn read<T: serde::de::DeserializeOwned>(text: &str) -> T {
        serde_json::from_str(text).expect("a value as in JSON")
    }
    let mut entry = Entry::default();
    for (key, value) in table.lines().filter_map(|line| line.split_once(" = ")) {
        match key {
            "name" => entry.name = read(value),
            "args" => entry.args = read(value),
            "exit" => entry.exit = read(value),
            "signal" => entry.signal = Some(read(value)),
            "not_sm_35" => entry.not_kepler = true,
            "rounds_otherwise_from" => entry.rounds_otherwise_from = Some(read(value)),
            "differs_on_sm_35" => entry.differs_on_kepler = true,
            _ => {}
        }
    }
    entry
}

fn entry_of(name: &str) -> Entry {
    entries().into_iter().find(|entry| entry.name == name).expect("an entry of programs.toml")
}

/// The executable; none, with a note, where the programs were not built.
pub fn executable(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("UPSET_PROGRAMS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/programs"),
        PathBuf::from,
    );
    let path = folder.join(name);
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let why = format!("{} is missing: `cargo xtask programs build` makes it", path.display());
    let required = std::env::var_os("UPSET_REQUIRE_PROGRAMS").is_some_and(|set| set == "1");
    assert!(!required, "{why}");
    eprintln!("skipped: {why}");
    None
}

/// What the program prints on a real GPU.
pub fn recorded(name: &str) -> String {
    std::fs::read_to_string(sources().join(format!("{name}.out"))).expect("what it prints")
}

fn number_of(signal: Option<&str>) -> Option<i32> {
    signal.map(|name| match name {
        "SIGABRT" => 6,
        "SIGSEGV" => 11,
        _ => panic!("no number known for {name}"),
    })
}

/// Runs a program everywhere and compares all that a user sees.
fn check_program(name: &str) {
    let Some(program) = executable(name) else { return };
    let entry = entry_of(name);
    for (chip, flags) in PLACES {
        if chip == KEPLER && entry.not_kepler {
            continue;
        }
        let expected = match chip == KEPLER && entry.differs_on_kepler {
            true => recorded(&format!("{name}.sm_35")),
            false => recorded(name),
        };
        let result = check_run(&program, &entry, &expected, (chip, flags));
        if chip == "h200" {
            counters::check(name, &result);
        }
    }
}

/// Code of sm_90 uses the predicate of an atomic of halves as soon as its operands count as
/// read.
#[test]
fn atomics_of_halves_with_timing_on_h200() {
    let name = "atomics_wide";
    let Some(program) = executable(name) else { return };
    check_run(&program, &entry_of(name), &recorded(name), ("h200", &[]));
}

/// Runs an executable of a program in one place and compares all that a user sees.
pub fn check_run(
    program: &Path,
    entry: &Entry,
    expected: &str,
    (chip, flags): (&str, &[&str]),
) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("result.json");
    let o = Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["run", "--chip", chip, "--json"])
        .arg(&json)
        .args(flags)
        .arg("--")
        .arg(program)
        .args(&entry.args)
        .current_dir(folder.path())
        .output()
        .expect("upset starts");
    let (told, place) = (stderr(&o), format!("{} on {chip} {flags:?}", program.display()));
    assert_eq!(stdout(&o), expected, "stdout of {place}; stderr:\n{told}");
    let wanted = match number_of(entry.signal.as_deref()) {
        None => (Some(entry.exit), None),
        signal => (None, signal),
    };
    assert_eq!((o.status.code(), o.status.signal()), wanted, "{place}; stderr:\n{told}");
    let result = read_json(&json);
    for list in ["missing", "lacking", "failures"] {
        assert_eq!(result[list], Value::Array(Vec::new()), "{list} of {place}");
    }
    result
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a result");
    serde_json::from_str(&text).expect("JSON")
}

/// Runs an application both ways: as a built-in one and as a program.
fn check_application(name: &str) {
    let Some(program) = executable(&format!("apps/{name}")) else { return };
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels").join(name);
    let for_kepler = kernels.join(format!("{name}.sm_35.cubin")).exists();
    for chip in ["rtx2060", "gv100"].into_iter().chain(for_kepler.then_some(KEPLER)) {
        let args = ["run", name, "--chip", chip, "--scale", "small", "--seed", "1", "--json", "-"];
        let built_in = upset(&args);
        assert_eq!(code(&built_in), 0, "{}", stderr(&built_in));
        let built_in: Value = serde_json::from_str(&stdout(&built_in)).expect("JSON");

        let folder = tempfile::tempdir().expect("a folder");
        let (json, output) = (folder.path().join("result.json"), folder.path().join("output"));
        let o = Command::new(env!("CARGO_BIN_EXE_upset"))
            .args(["run", "--quiet", "--chip", chip, "--json"])
            .arg(&json)
            .arg("--")
            .arg(&program)
            .args(["small", "1"])
            .arg(&output)
            .output()
            .expect("upset starts");
        assert_eq!((code(&o), stdout(&o)), (0, recorded(&format!("apps/{name}"))));
        let bytes = std::fs::read(&output).expect("its output");
        let told = stdout(&o).lines().last().and_then(|l| l.rsplit(' ').next()).map(String::from);
        assert_eq!(told, Some(format!("{:016x}", fnv(&bytes))), "{chip}");

        let as_program = read_json(&json);
        for field in ["output_digest", "digest"] {
            assert!(built_in[field].is_string());
            assert_eq!(as_program[field], built_in[field], "{field} on {chip}");
        }
        assert_eq!(cycles(&as_program), cycles(&built_in), "{chip}");
    }
}

/// Launches, cycles and instructions of each kernel. Names differ, since those
/// of the programs are C++'s.
fn cycles(result: &Value) -> Vec<[u64; 3]> {
    let kernels = result["kernels"].as_array().expect("kernels");
    let number = |kernel: &Value, field: &str| kernel[field].as_u64().expect("a number");
    let fields = ["launches", "cycles", "thread_insts"];
    let all: Vec<_> = kernels.iter().map(|k| fields.map(|field| number(k, field))).collect();
    assert!(!all.is_empty());
    all
}

/// FNV-1a, 64 bits, as the programs compute it.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn every_program_of_the_list_has_a_test() {
    let mut listed: Vec<String> = entries().into_iter().map(|entry| entry.name).collect();
    let applications = APPLICATIONS.iter().map(|name| format!("apps/{name}"));
    let mut tested: Vec<String> =
        PROGRAMS.iter().map(ToString::to_string).chain(applications).collect();
    listed.sort();
    tested.sort();
    assert_eq!(tested, listed);
}

/// A run whose processes and files can be told from all others.
struct Marked {
    mark: String,
    work: tempfile::TempDir,
    temporary: tempfile::TempDir,
    upset: Child,
}

impl Marked {
    fn start(program: &Path, args: &[&str]) -> Marked {
        let folder = || tempfile::tempdir().expect("a folder");
        let (work, temporary) = (folder(), folder());
        // The folder's name is nobody else's.
        let mark = format!("UPSET_TEST_MARK={}", work.path().display());
        let upset = Command::new(env!("CARGO_BIN_EXE_upset"))
            .args(["run", "--quiet", "--chip", "rtx2060", "--"])
            .arg(program)
            .args(args)
            .current_dir(work.path())
            .env("TMPDIR", temporary.path())
            .env("UPSET_TEST_MARK", work.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("upset starts");
        Marked { mark, work, temporary, upset }
    }

    /// Its processes: those with the mark in their environment.
    fn processes(&self) -> Vec<u32> {
        let all = std::fs::read_dir("/proc").expect("processes").flatten();
        let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(|id| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|word| word == self.mark.as_bytes())
        })
        .collect()
    }

    /// A run of an application, and its process while a kernel runs in it.
    fn in_a_kernel() -> Option<(Marked, u32)> {
        let program = executable("apps/pathf")?;
        // One attempt is enough unless this test is kept from running.
        for _ in 0..5 {
            let mut run = Marked::start(&program, &["paper", "1"]);
            if let Some(id) = run.busy_process() {
                return Some((run, id));
            }
        }
        panic!("no kernel was seen running");
    }

    /// The program's process once it has had 0.3 s of processor time: more than
    /// anything before its first kernel takes, less than its kernels do.
    fn busy_process(&mut self) -> Option<u32> {
        let upset = self.upset.id();
        while self.upset.try_wait().expect("a state").is_none() {
            let busy = |id: &u32| *id != upset && ticks(*id).is_some_and(|n| n >= 30);
            if let Some(id) = self.processes().into_iter().find(busy) {
                return Some(id);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn nothing_is_left(&self) {
        assert_eq!(self.processes(), [0_u32; 0], "processes");
        for folder in [&self.work, &self.temporary] {
            let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
            assert!(left.is_empty(), "{left:?}");
        }
    }
}

/// Processor time in user mode that a process has had, in ticks of 10 ms.
fn ticks(id: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name before the bracket may contain anything; 12 fields come then.
    stat.rsplit_once(") ")?.1.split(' ').nth(11)?.parse().ok()
}

fn soon(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what} takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn kill(id: u32) {
    let sent = Command::new("kill").args(["-KILL", &id.to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

#[test]
fn nothing_is_left_however_a_program_ends() {
    let ends =
        ["vector_add", "exit_in_middle", "abort_in_middle", "host_segfault", "device_assert"];
    for name in ends.into_iter().chain(["fork_before", "fork_after"]) {
        let Some(program) = executable(name) else { return };
        let mut run = Marked::start(&program, &[]);
        let status = run.upset.wait().expect("it ends");
        let entry = entry_of(name);
        assert_eq!(status.signal(), number_of(entry.signal.as_deref()), "{name}");
        assert_eq!(status.code(), entry.signal.is_none().then_some(entry.exit), "{name}");
        run.nothing_is_left();
    }
}

#[test]
fn nothing_is_left_of_a_program_killed_in_a_kernel() {
    let Some((mut run, process)) = Marked::in_a_kernel() else { return };
    kill(process);
    assert_eq!(run.upset.wait().expect("it ends").signal(), Some(9));
    run.nothing_is_left();
}

#[test]
fn nothing_is_left_of_a_program_whose_upset_is_killed_in_a_kernel() {
    let Some((mut run, _)) = Marked::in_a_kernel() else { return };
    kill(run.upset.id());
    run.upset.wait().expect("it ends");
    soon("the program's end", || run.processes().is_empty());
    run.nothing_is_left();
}
