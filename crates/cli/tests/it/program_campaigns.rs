//! Campaigns over CUDA programs: each run is a process of its own, and nothing
//! of it reaches the user but its class.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::c::Programs;
use crate::cuda_programs::executable;
use crate::{code, stderr, stdout, upset};

/// A chip small enough that faults often hit something.
pub const CHIP: [&str; 4] = ["--chip", "rtx2060", "--set", "sm.count=2"];

/// A folder to work in, one for temporary files, and a mark that tells the
/// processes of this test from all others.
pub struct Place {
    work: TempDir,
    temporary: TempDir,
}

impl Place {
    pub fn new() -> Place {
        let folder = || tempfile::tempdir().expect("a folder");
        Place { work: folder(), temporary: folder() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    /// A path where temporary files go.
    pub fn temporary_path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
        command
            .args(args)
            .current_dir(self.work.path())
            .env("TMPDIR", self.temporary.path())
            .env("UPSET_TEST_MARK", self.work.path())
            .stdin(Stdio::null());
        command
    }

    pub fn upset(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("upset starts")
    }

    /// A campaign over a program; its last line.
    pub fn campaign(&self, store: &str, flags: &[&str], program: &[&str]) -> Value {
        let out = self.upset(&arguments(store, flags, program));
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        last_line(&out)
    }

    pub fn experiments(&self, store: &str) -> Vec<Value> {
        let out = self.upset(&["export", store, "--format", "json"]);
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        let all: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
        all["experiments"].as_array().expect("experiments").clone()
    }

    /// Processes of this test, and those of them that run a program.
    fn processes(&self, program: Option<&Path>) -> Vec<u32> {
        let mark = format!("UPSET_TEST_MARK={}", self.work.path().display());
        let all = std::fs::read_dir("/proc").expect("processes").flatten();
        let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(|id| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            let runs = std::fs::read_link(format!("/proc/{id}/exe")).ok();
            environment.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
                && program.is_none_or(|p| runs.as_deref() == Some(p))
        })
        .collect()
    }

    fn temporary_files(&self) -> Vec<PathBuf> {
        let all = std::fs::read_dir(self.temporary.path()).expect("a folder");
        all.flatten().map(|e| e.path()).collect()
    }

    pub fn nothing_is_left(&self) {
        assert_eq!(self.processes(None), [0_u32; 0], "processes");
        let files = self.temporary_files();
        assert!(files.is_empty(), "{files:?}");
    }
}

pub fn arguments<'a>(store: &'a str, flags: &[&'a str], program: &[&'a str]) -> Vec<&'a str> {
    let start = ["campaign", "--json-lines", "--out", store];
    let chip = if flags.contains(&"--chip") { &[][..] } else { &CHIP };
    [&start[..], chip, flags, &["--"], program].concat()
}

pub fn last_line(out: &Output) -> Value {
    let text = stdout(out);
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON")
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path")
}

/// What is said of an experiment, but for how its result was compared.
pub fn told(e: &Value) -> [Value; 5] {
    ["fault", "class", "cause", "cycles", "output_digest"].map(|field| e[field].clone())
}

/// Faults of which some do something.
const LIVE: [&str; 6] = ["--structure", "rf", "--sampling", "active", "--runs", "150"];

#[test]
fn a_program_does_what_the_built_in_application_does() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    place.campaign("va.db", &LIVE, &[text(&va), "small", "1"]);
    let simulated = |e: &&Value| e["how"] == "simulated";
    let mut classes = Vec::new();
    for e in place.experiments("va.db").iter().filter(simulated) {
        let fault = e["fault"].as_str().expect("a name");
        let start = ["inject", "va", "--seed", "1", "--json", "-", "--fault", fault];
        let out = upset(&[&start[..], &CHIP].concat());
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        let built_in: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
        assert_eq!(told(e), told(&built_in));
        classes.push(e["class"].clone());
    }
    for class in ["sdc", "crash"] {
        assert!(classes.iter().any(|c| c == class), "no {class} among {classes:?}");
    }
    place.nothing_is_left();
}

#[test]
fn what_is_left_out_is_what_the_naive_run_gives() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    let run = |store: &str, exact: &str, jobs: &str| {
        let flags = ["--structure", "rf,l1d,l2,ibuf", "--runs", "12", "--bits", "1,3"];
        let flags = [&flags[..], &["--exact", exact, "--jobs", jobs]].concat();
        place.campaign(store, &flags, &[text(&va), "small", "1"]);
        place.experiments(store).iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(run("exact.db", "on", "2"), run("naive.db", "off", "3"));
}

#[test]
fn five_ways_to_compare_see_the_same() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    // A file of the user's that the program is told to write: it stays as it is.
    std::fs::write(place.path("c.bin"), "the user's").expect("written");
    let right = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/apps/va.out"),
    );
    let right = right.expect("what it prints");
    let message = right.lines().last().expect("a line");
    let check = format!("grep -q '{message}' \"$UPSET_STDOUT\" && test -s c.bin\n");
    std::fs::write(place.path("check.sh"), check).expect("written");
    let ways: [&[&str]; 5] = [
        &["--compare", "outputs", "--elements", "f32"],
        &["--compare", "stdout"],
        &["--compare", "files", "--elements", "f32"],
        &["--compare", "message", "--success", message],
        &["--compare", "command", "--command", "sh check.sh"],
    ];
    let mut all = Vec::new();
    for (i, way) in ways.iter().enumerate() {
        let store = format!("{i}.db");
        let flags = [&LIVE[..], &["--files", "c.bin"], way].concat();
        place.campaign(&store, &flags, &[text(&va), "small", "1", "c.bin"]);
        let experiments = place.experiments(&store);
        let sdc: Vec<&Value> = experiments.iter().filter(|e| e["class"] == "sdc").collect();
        assert!(!sdc.is_empty(), "{way:?}");
        for e in sdc {
            let wrong = e["sdc"]["wrong"].as_u64().expect("a number");
            assert!(wrong > 0 || e["sdc"]["length_differs"] == true, "{way:?}: {e}");
        }
        all.push(experiments.iter().map(told).collect::<Vec<_>>());
    }
    for (way, other) in ways.iter().zip(&all) {
        assert_eq!(&all[0], other, "{way:?}");
    }
    assert_eq!(std::fs::read_to_string(place.path("c.bin")).expect("a file"), "the user's");
    place.nothing_is_left();
}

#[test]
fn a_tolerance_forgives() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    let sdc = |store: &str, tolerance: &str| {
        let flags = ["--elements", "f32", "--tolerance", tolerance];
        let done = place.campaign(store, &[&LIVE[..], &flags].concat(), &[text(&va), "small", "1"]);
        done["counts"]["sdc"].as_u64().expect("a number")
    };
    assert!(sdc("strict.db", "0") > sdc("loose.db", "1e30"));
}

#[test]
fn crashes_and_timeouts_have_their_causes_and_say_nothing() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    let flags = ["--structure", "pc", "--model", "stuck1", "--runs", "60", "--quiet"];
    let flags: Vec<&str> = [&CHIP[..], &flags].concat();
    let args =
        [&["campaign", "--out", "s.db"], &flags[..], &["--", text(&va), "small", "1"]].concat();
    let out = place.upset(&args);
    assert_eq!((code(&out), stdout(&out), stderr(&out)), (0, String::new(), String::new()));
    let all = place.experiments("s.db");
    let of = |class: &str| all.iter().filter(|e| e["class"] == class).collect::<Vec<_>>();
    let timeouts = of("timeout");
    assert!(!timeouts.is_empty());
    for e in timeouts {
        assert!(e["cause"] == "cycle limit" || e["cause"] == "deadlock", "{e}");
    }
    let causes: Vec<&str> = of("crash").iter().filter_map(|e| e["cause"].as_str()).collect();
    assert!(!causes.is_empty());
    // The trap, not the exit code that the program has after it.
    assert!(causes.iter().all(|c| !c.is_empty() && !c.starts_with("exit code")), "{causes:?}");
    assert!(of("tool_error").is_empty(), "{:?}", of("tool_error"));
    place.nothing_is_left();
}

/// Waits until `is`, or until the campaign ends.
fn until(child: &mut Child, is: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while child.try_wait().expect("a status").is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "it takes too long");
        if is() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

fn kill(id: u32) {
    // It may have ended by itself meanwhile.
    let _ = Command::new("kill").args(["-KILL", &id.to_string()]).stderr(Stdio::null()).status();
}

/// Enough runs of a program that takes a while.
const MANY: [&str; 6] = ["--structure", "rf", "--sampling", "active", "--runs", "60"];

#[test]
fn runs_that_somebody_kills_are_done_again() {
    let Some(pathf) = executable("apps/pathf") else { return };
    let place = Place::new();
    let program = [text(&pathf), "small", "1"];
    let whole = place.campaign("whole.db", &MANY, &program);
    let mut child = place
        .command(&arguments("killed.db", &MANY, &program))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("upset starts");
    until(&mut child, || place.path("killed.db").exists());
    let mut kills = 0;
    // Not the fault-free runs: without those there is no campaign.
    let workers = || place.processes(None).len() > 3;
    while kills < 5 && until(&mut child, workers) {
        for id in place.processes(Some(&pathf)).into_iter().take(1) {
            kill(id);
            kills += 1;
        }
    }
    let ended = child.wait().expect("it ends");
    assert!(ended.success(), "after {kills} kills");
    let resumed = place.upset(&["campaign", "--resume", "--json-lines", "--out", "killed.db"]);
    assert_eq!(last_line(&resumed)["digest"], whole["digest"]);
    place.nothing_is_left();
}

#[test]
fn a_killed_campaign_goes_on_and_leaves_nothing() {
    let Some(pathf) = executable("apps/pathf") else { return };
    let place = Place::new();
    let program = [text(&pathf), "small", "1"];
    let whole = place.campaign("whole.db", &MANY, &program);
    let mut child = place
        .command(&arguments("killed.db", &MANY, &program))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("upset starts");
    let export = || {
        let out = place.upset(&["export", "killed.db", "--format", "csv"]);
        code(&out) == 0 && stdout(&out).contains(",simulated,")
    };
    until(&mut child, export);
    let _ = child.kill();
    child.wait().expect("it ends");
    let start = Instant::now();
    while !place.processes(None).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", place.processes(None));
        std::thread::sleep(Duration::from_millis(20));
    }
    let resumed = place.upset(&["campaign", "--resume", "--json-lines", "--out", "killed.db"]);
    assert_eq!(code(&resumed), 0, "{}", stderr(&resumed));
    assert_eq!(last_line(&resumed)["digest"], whole["digest"]);
    place.nothing_is_left();
}

#[test]
fn a_program_that_was_changed_is_another() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    std::fs::copy(&va, place.path("app")).expect("copied");
    let args = arguments("a.db", &["--runs", "3", "--structure", "rf"], &["./app", "small", "1"]);
    let out = place.upset(&args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    // A campaign that has something left to do, as after a kill: naive, or it
    // might be done before anybody looks.
    let naive = ["--runs", "4000", "--structure", "pc", "--exact", "off"];
    let begun = arguments("b.db", &naive, &["./app", "small", "1"]);
    let mut child = place.command(&begun).stdout(Stdio::null()).spawn().expect("upset starts");
    until(&mut child, || {
        let out = place.upset(&["export", "b.db", "--format", "csv"]);
        stdout(&out).lines().count() > 1
    });
    let _ = child.kill();
    child.wait().expect("it ends");
    // A file in use cannot be written, but another can take its place.
    std::fs::copy(&va, place.path("new")).expect("copied");
    let new = std::fs::OpenOptions::new().append(true).open(place.path("new"));
    new.and_then(|mut f| f.write_all(b"changed")).expect("written");
    std::fs::rename(place.path("new"), place.path("app")).expect("renamed");
    let out = place.upset(&["campaign", "--resume", "--out", "b.db"]);
    assert_eq!(code(&out), 2, "{}", stderr(&out));
    assert!(
        stderr(&out).contains("app is not the one that b.db was begun with"),
        "{}",
        stderr(&out)
    );
}

#[test]
fn scripts_start_programs_and_relative_paths_lead_where_they_did() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    std::fs::create_dir(place.path("bin")).expect("a folder");
    std::fs::create_dir(place.path("work")).expect("a folder");
    std::fs::copy(&va, place.path("bin/va")).expect("copied");
    std::fs::write(place.path("work/log"), "old\n").expect("written");
    let line = "../bin/va small 1 && ../bin/va small 2 && echo done >> log";
    let mut command = place.command(&arguments("../s.db", &LIVE, &["sh", "-c", line]));
    let out = command.current_dir(place.path("work")).output().expect("upset starts");
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let said = stdout(&out);
    assert!(said.contains("faults are in the first one only"), "{said}");
    assert!(said.contains("sh writes log: every run gets its own"), "{said}");
    let counts = &last_line(&out)["counts"];
    assert_eq!(counts["tool_error"], 0);
    assert!(counts["crash"].as_u64() > Some(0), "{counts}");
    // The first fault-free run is a run like any other; no later one writes here.
    let log = std::fs::read_to_string(place.path("work/log")).expect("a file");
    assert_eq!(log, "old\ndone\n");
    place.nothing_is_left();
}

#[test]
fn programs_that_are_no_use_are_told_why() {
    let Some(c) = Programs::new() else { return };
    let place = Place::new();
    let said = |name: &str, main: &str, flags: &[&str]| {
        let program = c.cuda(name, main);
        let out = place.upset(&arguments(&format!("{name}.db"), flags, &[&program]));
        (code(&out), stderr(&out))
    };
    let back = "char x[8]; void *p; cudaMalloc(&p, 8); cudaMemcpy(p, x, 8, 1);";
    let (code, text) = said("none", "return 0;", &[]);
    assert!(code == 1 && text.contains("makes no CUDA call that arrives"), "{text}");
    let (code, text) =
        said("fails", "void *p; cudaMalloc(&p, 8); fputs(\"no input\\n\", stderr); return 3;", &[]);
    assert!(code == 1 && text.contains("exit code 3") && text.contains("no input"), "{text}");
    let main = format!("{back} return 0;");
    let (code, text) = said("no_kernel", &main, &[]);
    assert!(code == 2 && text.contains("launches no kernel"), "{text}");
    let main = format!(
        "char b[8]; {back} sprintf(x, \"%d\", getpid()); cudaMemcpy(p, x, 8, 1);
         cudaMemcpy(b, p, 8, 2); return 0;"
    );
    let (code, text) = said("random", &main, &[]);
    assert!(code == 1 && text.contains("copied other bytes") && text.contains("seeds"), "{text}");
    let main = format!("{back} printf(\"%d\\n\", getpid()); return 0;");
    let (code, text) = said("prints", &main, &["--compare", "stdout"]);
    assert!(code == 1 && text.contains("gave other stdout"), "{text}");
    let main = format!("{back} return 0;");
    let (code, text) = said("silent", &main, &["--compare", "message", "--success", "PASSED"]);
    assert!(code == 1 && text.contains("does not print `PASSED`"), "{text}");
    let (code, text) = said("writes", &main, &["--compare", "files", "--files", "out"]);
    assert!(code == 1 && text.contains("does not write out"), "{text}");
    let (code, text) = said("asked", &main, &["--compare", "command", "--command", "false"]);
    assert!(code == 1 && text.contains("says the command `false`"), "{text}");
    let (code, text) = said("vague", &main, &["--compare", "message"]);
    assert!(code == 2 && text.contains("--success"), "{text}");
    let main = format!("{back} cudaGraphicsMapResources(0, 0, 0); return 0;");
    let (code, text) = said("lacking", &main, &[]);
    assert!(code == 3 && text.contains("cudaGraphicsMapResources"), "{text}");
    place.nothing_is_left();
}

#[test]
fn one_experiment_on_a_program_is_explained_as_on_the_application() {
    let Some(va) = executable("apps/va") else { return };
    let place = Place::new();
    let told = |args: &[&str], more: &[&str]| {
        let out = place.upset(&[args, &CHIP[..], &["--json", "-"], more].concat());
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        let mut all: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
        // How inputs are named is all that may differ.
        for field in ["scale", "seed"] {
            all[field] = Value::Null;
        }
        if let Some(wrong) = all["first_wrong"].as_object_mut() {
            wrong.remove("output");
        }
        all
    };
    let faults = [
        "rf:sm1.sub1.row6.lane5.bit2@700",
        "rf:sm0.sub0.row6.lane5.bit2@700 + rf:sm0.sub0.row6.lane6.bit2@701",
        "stuck1 pc:sm1.warp0.lane7.bit8@351..",
        "stuck1 sb:sm0.warp0.sb0.bit0@300..",
        "l2:slice0.set0.way0.data.bit3@900",
    ];
    let mut classes = Vec::new();
    for fault in faults {
        let built_in = told(&["inject", "va", "--seed", "1", "--fault", fault], &[]);
        let program = ["--elements", "f32", "--", text(&va), "small", "1"];
        let as_program = told(&["inject", "--fault", fault], &program);
        assert_eq!(as_program, built_in);
        assert!(!as_program["hit"].as_array().expect("a list").is_empty());
        classes.push(as_program["class"].clone());
    }
    for class in ["sdc", "crash", "timeout"] {
        assert!(classes.iter().any(|c| c == class), "no {class} among {classes:?}");
    }
    place.nothing_is_left();
}

#[test]
fn a_program_that_finds_its_result_wrong_is_believed() {
    let Some(program) = executable("vector_add") else { return };
    let place = Place::new();
    let line = format!("'{}' || {{ echo FAILED; exit 1; }}", text(&program));
    let run = |store: &str, failure: &[&str]| {
        let flags = ["--compare", "message", "--success", "ok"];
        let flags = [&LIVE[..], &flags, failure].concat();
        place.campaign(store, &flags, &["sh", "-c", &line])["counts"].clone()
    };
    let (plain, told) = (run("plain.db", &[]), run("told.db", &["--failure", "FAILED"]));
    let number = |counts: &Value, class: &str| counts[class].as_u64().expect("a number");
    assert_eq!(number(&plain, "sdc"), 0, "an error exit is a crash");
    assert!(number(&told, "sdc") > 0 && number(&told, "crash") > 0, "{told}");
    assert_eq!(number(&told, "sdc") + number(&told, "crash"), number(&plain, "crash"));
    for e in place.experiments("told.db").iter().filter(|e| e["class"] == "crash") {
        // A trap is a crash, whatever the program says about it.
        assert!(!e["cause"].as_str().expect("a cause").starts_with("exit code"), "{e}");
    }
}
