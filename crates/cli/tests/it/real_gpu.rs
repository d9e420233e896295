//! What `upset burn` does on a GPU besides its tests, and the study of it
//! (`studies/burn-h200.sh`), against a driver whose GPU is the model.

use std::fs;

use serde_json::{Value, json};

use crate::fake_machine::{Machine, cubin};
use crate::{code, stderr, stdout};

#[test]
fn each_group_is_left_out_once_and_no_work_comes_there() {
    let Some(machine) = Machine::new(6, "") else { return };
    let o = machine.upset(&["burn", "--without-each", "--json", "tour.json"]);
    assert_eq!(code(&o), 0, "{}{}", stdout(&o), stderr(&o));
    let told = stdout(&o);
    assert!(
        told.ends_with(
            "3 groups of 6 SMs, each left out once: 0 with work there or other results\n"
        )
    );
    let text = fs::read_to_string(machine.path("tour.json")).expect("a file");
    let tour: Value = serde_json::from_str(&text).expect("JSON");
    let groups = tour["groups"].as_array().expect("groups");
    let sms: Vec<&Value> = groups.iter().map(|g| &g["sms"]).collect();
    assert_eq!(json!(sms), json!([[4, 5], [2, 3], [0, 1]]));
    assert!(groups.iter().all(|g| g["reached"] == 4 && g["outside"] == json!([])), "{text}");
}

/// A broken lane gives other results while its SM is used, and the same without.
#[test]
fn a_broken_sm_shows_in_what_is_left_without_others() {
    let Some(machine) = Machine::new(6, "stuck0 fma:sm3.sub1.lane5.bit20@0..") else { return };
    let o = machine.upset(&["burn", "--without-each", "--json", "-"]);
    assert_eq!(code(&o), 1, "{}", stderr(&o));
    let tour: Value = serde_json::from_str(&stdout(&o)).expect("JSON");
    assert!(tour["groups"].as_array().is_some_and(|all| all.len() == 3), "{tour}");
}

#[test]
fn readings_of_nvml_are_traced() {
    let Some(machine) = Machine::new(2, "") else { return };
    let o = machine.upset(&["burn", "divergence", "--trace", "trace.csv"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let last = stdout(&o).lines().last().unwrap_or_default().to_string();
    assert!(last.starts_with("trace    "), "{last}");
    let text = fs::read_to_string(machine.path("trace.csv")).expect("a trace");
    let mut lines = text.lines();
    let head = "seconds,temperature_celsius,power_watts,power_average_watts,sm_mhz";
    assert_eq!(lines.next(), Some(head));
    let read: Vec<&str> = lines.collect();
    assert!(!read.is_empty() && read.iter().all(|l| l.ends_with(",41,75,75,1365")), "{text}");
    let o = machine.upset(&["burn", "fma", "--model", "rtx2060", "--trace", "trace.csv"]);
    assert_eq!(code(&o), 2, "{}", stderr(&o));
}

/// Steps of the study that the model can do, and that they leave their files.
#[test]
fn the_study_runs() {
    let Some(machine) = Machine::new(6, "") else { return };
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/burn-h200.sh");
    let out = machine.path("out");
    let mut command = machine.command("bash");
    command.arg(study).arg(&out).args(["2", "3", "5", "8", "13"]);
    command.env("UPSET", env!("CARGO_BIN_EXE_upset")).env("ERRORS", "2").env("LEVEL", "1");
    let program = format!("{} {} {}", machine.program, cubin(), machine.path("x").display());
    let o = command.env("PROGRAM", program).output().expect("bash");
    let told = stdout(&o);
    assert_eq!(code(&o), 0, "{told}{}", stderr(&o));
    for step in [2, 3, 5, 8, 13] {
        assert!(told.contains(&format!("step {step} ended with 0\n")), "{told}");
    }
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap_or_default();
    assert_eq!(read("02-groups.txt"), "groups are equal in 3 runs\n");
    assert!(read("03-injected.txt").starts_with("2 errors made on purpose: 2 found"));
    let json = |name: &str| serde_json::from_str::<Value>(&read(name)).expect("JSON");
    assert_eq!(json("05-without-each.json")["sms"], 6);
    assert_eq!(json("08-power.json")["exit_code"], 0);
    assert_eq!(json("13-replay.json")["answer"], "same");
    assert!(read("00-machine.txt").contains("UTC"));
}
