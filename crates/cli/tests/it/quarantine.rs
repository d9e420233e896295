//! From a broken unit to programs that run without it: `upset burn`, `upset
//! quarantine plan`, `upset quarantine run`, and `upset burn replay`, which finds
//! the SMs by the program itself. The GPU is the model behind a driver of ours,
//! so kernels really run, and green contexts keep to their SMs.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use upset_realgpu_fake::FAULT_VARIABLE;

use crate::fake_machine::{Machine, cubin};
use crate::{code, stderr, stdout, upset};

impl Machine {
    /// The record of a burn; as of a real GPU, for plans know it from a model.
    fn burn(&self) -> Value {
        let o = self.upset(&["burn", "fma", "--json", "record.json"]);
        assert_eq!(code(&o), 1, "{}", stderr(&o));
        let text = fs::read_to_string(self.path("record.json")).expect("a record");
        let mut record: Value = serde_json::from_str(&text).expect("JSON");
        record["board"]["kind"] = "cuda".into();
        record
    }

    fn plan(&self, record: &Value) {
        fs::write(self.path("record.json"), record.to_string()).expect("written");
        let o = self.upset(&["quarantine", "plan", "record.json", "--out", "plan.json"]);
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        assert!(stdout(&o).contains("green context   SM 2 3"), "{}", stdout(&o));
    }

    fn run(&self, upset: &Path, cubin: &str) -> Output {
        let mut command = self.command(upset);
        command.args(["quarantine", "run", "--plan", "plan.json"]).args(self.program(cubin));
        command.env("XDG_CACHE_HOME", self.path("cache")).output().expect("upset starts")
    }
}

#[test]
fn a_record_of_the_model_becomes_a_plan() {
    let dir = tempfile::tempdir().expect("a folder");
    let record = dir.path().join("r.json");
    let record = record.to_str().expect("a name");
    let fault = "stuck0 fma:sm1.sub1.lane5.bit29@0..";
    let args = ["burn", "fma", "--model", "rtx2060", "--set", "sm.count=2", "--fault", fault];
    let o = upset(&[&args[..], &["--json", record]].concat());
    assert_eq!(code(&o), 1, "{}", stderr(&o));
    let o = upset(&["quarantine", "plan", record]);
    assert_eq!((code(&o), stderr(&o).as_str()), (0, ""));
    let told = stdout(&o);
    assert!(told.starts_with("model of rtx2060: SM 1, sub-core 1, lane 5 21"), "{told}");
    // A model has no driver, so no green context.
    let ways: Vec<&str> =
        told.lines().skip(3).filter_map(|l| l.split_once("  ")).map(|w| w.0).collect();
    assert_eq!(ways, ["ticket", "lanes"], "{told}");
    assert!(told.contains("SM 1            50.000 %"), "{told}");
}

#[test]
fn a_program_runs_without_the_sm_that_a_burn_found() {
    let Some(machine) = Machine::new(4, "stuck0 fma:sm3.sub1.lane5.bit20@0..") else { return };
    let cubin = cubin();
    let bare = |fault: &str| {
        let mut command = machine.command(&machine.program);
        let o = command.args([&cubin, "out.bin"]).env(FAULT_VARIABLE, fault).output();
        stdout(&o.expect("it starts"))
    };
    let (right, wrong) = (bare(""), bare(machine.fault));
    assert_ne!(right, wrong, "the fault does harm");
    let record = machine.burn();
    machine.plan(&record);
    let here = Path::new(env!("CARGO_BIN_EXE_upset"));
    let o = machine.run(here, &cubin);
    assert_eq!((stdout(&o), code(&o)), (right.clone(), 0), "{}", stderr(&o));
    assert!(stderr(&o).contains("runs on 1 of 2 groups, SMs 0 1"), "{}", stderr(&o));

    // An `upset` that stands alone carries the library.
    let alone = machine.path("upset-alone");
    fs::copy(here, &alone).expect("copied");
    let o = machine.run(&alone, &cubin);
    if cfg!(debug_assertions) {
        assert!(stderr(&o).contains("is neither beside"), "{}", stderr(&o));
    } else {
        assert_eq!((stdout(&o), code(&o)), (right, 0), "{}", stderr(&o));
        assert!(machine.path("cache/upset").is_dir());
    }

    // A plan belongs to one GPU in one state.
    let told = |key: &str, value: &str| {
        let mut changed = record.clone();
        changed["board"][key] = value.into();
        machine.plan(&changed);
        let o = machine.run(here, &cubin);
        assert_eq!((stdout(&o).as_str(), code(&o)), ("", 2), "{}", stderr(&o));
        stderr(&o)
    };
    assert!(told("driver", "1.2, CUDA 3").contains("made with driver 1.2, CUDA 3, and now it is "));
    assert!(told("vbios", "old").contains("made with VBIOS old, and now it is "));
    assert!(told("mps", "on").contains("made with MPS on, and now it is off"));
    assert!(told("uuid", "GPU-other").contains("for GPU-other, which is not here"));
    fs::remove_file(machine.path("libnvidia-ml.so.1")).expect("removed");
    machine.plan(&record);
    let o = machine.run(here, &cubin);
    assert_eq!(code(&o), 3);
    assert!(stderr(&o).contains("libnvidia-ml.so.1 cannot be opened"), "{}", stderr(&o));
}

#[test]
fn a_replay_finds_the_sms_that_give_another_output() {
    let Some(machine) = Machine::new(12, "stuck0 fma:sm5.sub1.lane5.bit20@0..") else { return };
    let cubin = cubin();
    let program = machine.program(&cubin);
    let replay = |args: &[&str]| machine.upset(&[&["burn", "replay"], args, &program[..]].concat());
    let o = replay(&["--output", "out.bin", "--json", "replay.json"]);
    assert_eq!(code(&o), 1, "{}{}", stdout(&o), stderr(&o));
    let told = stdout(&o);
    let last = told.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("defect: SMs 4-5, which the driver does not divide (standard output "),
        "{told}"
    );
    let json = fs::read_to_string(machine.path("replay.json")).expect("a file");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["answer"], "bad");
    assert_eq!(json["sms"], serde_json::json!([[4, 5]]));
    // No run but those with the bad group gave another output than the first.
    for run in json["runs"].as_array().expect("runs") {
        let met = run["sms"].as_array().expect("SMs").contains(&5.into());
        assert_eq!(run["output"] != 0, met, "{run}");
    }
}

#[test]
fn a_replay_on_a_good_chip_and_what_it_cannot_compare() {
    let Some(machine) = Machine::new(12, "") else { return };
    let cubin = cubin();
    let program = machine.program(&cubin);
    let replay = |args: &[&str], more: &[&str]| {
        machine.upset(&[&["burn", "replay"], args, &program[..], more].concat())
    };
    let o = replay(&["--output", "out.bin"], &[]);
    let told = stdout(&o);
    assert_eq!(code(&o), 0, "{told}{}", stderr(&o));
    assert!(told.ends_with("the output is the same on 3 sets of 2 groups\n"), "{told}");
    // A program that is not deterministic.
    let o = replay(&[], &["runs"]);
    let told = stdout(&o);
    assert_eq!(code(&o), 3, "{told}");
    assert!(
        told.contains("no verdict: two runs on the same SMs differ (standard output "),
        "{told}"
    );
    // The same, without what differs.
    let o = replay(&["--no-stdout", "--output", "out.bin"], &["runs"]);
    assert_eq!(code(&o), 0, "{}", stdout(&o));
    let o = replay(&["--no-stdout"], &[]);
    assert_eq!(code(&o), 2);
    assert!(stderr(&o).contains("nothing to compare"), "{}", stderr(&o));
    // Programs that do not run, compute elsewhere, or fail.
    let other = |words: &[&str]| machine.upset(&[&["burn", "replay", "--"], words].concat());
    let o = other(&["./not-there"]);
    assert_eq!(code(&o), 2, "{}", stderr(&o));
    let o = other(&["/bin/true"]);
    assert_eq!(code(&o), 3);
    assert!(stderr(&o).contains("made no context on a GPU"), "{}", stderr(&o));
    let o = other(&[&machine.program, "/dev/null", "out.bin"]);
    assert_eq!(code(&o), 3, "{}", stderr(&o));
}
