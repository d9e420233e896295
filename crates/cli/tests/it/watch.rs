//! `upset watch`: profiles, alarms, and what is refused.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::{code, stderr, stdout, upset};

const CHIP: [&str; 4] = ["--chip", "rtx2060", "--set", "sm.count=2"];

/// Learns in a folder; the profile's path.
fn learn(dir: &TempDir, app: &str, more: &[&str]) -> String {
    let path = dir.path().join(format!("{app}.json")).display().to_string();
    let few = ["--inputs", "4", "--alpha", "0.2", "--out", &path];
    let ran = upset(&[&["watch", "learn", app], &CHIP[..], &few, more].concat());
    assert_eq!(code(&ran), 0, "{}", stderr(&ran));
    path
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn what_was_learned_is_quiet_and_the_same_whatever_the_number_of_processors() {
    let dir = tempfile::tempdir().unwrap();
    let path = learn(&dir, "va", &["--jobs", "1"]);
    let once = std::fs::read_to_string(&path).unwrap();
    learn(&dir, "va", &["--jobs", "3"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), once);
    let profile: Value = serde_json::from_str(&once).unwrap();
    assert_eq!(profile["subject"]["name"], "va");
    assert_eq!(profile["threshold"]["inputs"], 4);
    // Vector addition is steered by its parameter alone: its work is constant.
    let constants = profile["constants"][0]["values"].as_object().unwrap();
    assert!(constants.contains_key("warp_insts") && constants.contains_key("inactive_lanes"));
    let quiet = upset(&["watch", "check", &path, "va", "--inputs", "2"]);
    assert_eq!(code(&quiet), 0, "{}{}", stdout(&quiet), stderr(&quiet));
    assert!(stdout(&quiet).contains("alarms in 0 of 2 inputs"), "{}", stdout(&quiet));
    let shown = upset(&["watch", "show", &path]);
    assert!(stdout(&shown).contains("va (small) on rtx2060, timing mode"), "{}", stdout(&shown));
}

#[test]
fn a_stuck_lane_is_an_alarm_with_its_counters() {
    let dir = tempfile::tempdir().unwrap();
    let path = learn(&dir, "va", &[]);
    let out = dir.path().join("check.json");
    let fault = "stuck0 mask:sm0.warp*.active.bit3@0..";
    let to = out.display().to_string();
    let ran = upset(&["watch", "check", &path, "va", "--fault", fault, "--json", &to]);
    assert_eq!(code(&ran), 1, "{}{}", stdout(&ran), stderr(&ran));
    assert!(stdout(&ran).contains("ALARM"), "{}", stdout(&ran));
    let checked = json(&out);
    assert_eq!((&checked["alarms"], &checked["fault"]), (&1.into(), &fault.into()));
    let alarms = checked["inputs"][0]["alarms"].as_array().unwrap();
    let by = |layer: &str| alarms.iter().filter(|a| a["layer"] == layer).count();
    assert!(by("constants") > 0, "{alarms:#?}");
    assert!(alarms[0]["before_output"].as_bool().unwrap());
}

#[test]
fn without_time_there_are_totals() {
    let dir = tempfile::tempdir().unwrap();
    let path = learn(&dir, "bfs", &["--functional"]);
    let profile = json(Path::new(&path));
    assert_eq!(profile["subject"]["mode"], "functional");
    assert!(profile["regions"]["list"][0]["periods"].as_array().unwrap().is_empty());
    let refused =
        upset(&["watch", "check", &path, "bfs", "--fault", "rf:sm0.sub0.row0.lane0.bit0@1"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("learn one without it"), "{}", stderr(&refused));
}

#[test]
fn the_published_method_learns_from_five_inputs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.json").display().to_string();
    let args = ["watch", "learn", "va", "--functional", "--method", "paper", "--out", &path];
    let ran = upset(&[&args[..], &CHIP].concat());
    assert_eq!(code(&ran), 0, "{}", stderr(&ran));
    assert!(stdout(&ran).contains("up to 0.333 of runs for each ratio"), "{}", stdout(&ran));
    assert_eq!(json(Path::new(&path))["paper"]["inputs"], 5);
}

#[test]
fn what_does_not_fit_is_told_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let path = learn(&dir, "va", &["--functional"]);
    let garbage = dir.path().join("garbage").display().to_string();
    std::fs::write(&garbage, "{").unwrap();
    let missing = dir.path().join("none").display().to_string();
    let new = dir.path().join("new").display().to_string();
    let few = ["watch", "learn", "va", "--chip", "rtx2060", "--calibration", "500", "--out", &new];
    let amd = ["watch", "learn", "va", "--chip", "hd7970", "--out", &new];
    let cases: [(&[&str], &str); 7] = [
        (&["watch", "check", &path, "sp"], "the profile is of the program va, and this is sp"),
        (&["watch", "check", &path, "va", "--chip", "gv100"], "the profile is of the code"),
        (&["watch", "check", &path, "va", "--scale", "paper"], "the input size small"),
        (&["watch", "check", &garbage, "va"], "no profile of `upset watch learn`"),
        (&["watch", "check", &missing, "va"], "cannot read"),
        (&few, "at least 999 are needed"),
        (&amd, "no performance counters"),
    ];
    for (args, told) in cases {
        let ran = upset(args);
        let said = stderr(&ran);
        assert_eq!(code(&ran), 2, "{args:?}: {said}");
        assert!(said.contains(told) && said.trim_end().lines().count() == 1, "{args:?}: {said}");
    }
    // A profile that was not learned is not there.
    assert!(!Path::new(&new).exists());
}

#[test]
fn a_campaign_asks_whether_counters_would_have_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = learn(&dir, "va", &[]);
    let store = dir.path().join("va.db").display().to_string();
    let args = ["campaign", "--app", "va", "--structure", "mask,rf", "--model", "stuck0"];
    let rest = ["--runs", "40", "--sms", "used", "--watch", &path, "--out", &store, "-q"];
    let ran = upset(&[&args[..], &CHIP, &rest].concat());
    assert_eq!(code(&ran), 0, "{}", stderr(&ran));
    let report = dir.path().join("r.json");
    let shown = upset(&["report", &store, "--json", &report.display().to_string()]);
    assert!(stdout(&shown).contains("noticed by performance counters"), "{}", stdout(&shown));
    let rows = json(&report)["watched"]["rows"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 3, "two structures and all: {rows:#?}");
    // Lanes that are off where they must not be change counts of work.
    let mask = rows.iter().find(|r| r["structure"] == "mask").unwrap();
    assert!(mask["failures"]["n"].as_u64().unwrap() > 0, "{mask:#?}");
    assert_eq!(mask["failures"]["k"], mask["failures"]["n"]);
    // Every run has an answer, and the naive runs give the same.
    let runs = |r: &Value| -> u64 {
        let classes = r["classes"].as_array().unwrap();
        classes.iter().map(|c| c["noticed"]["n"].as_u64().unwrap()).sum()
    };
    assert_eq!(runs(&rows[2]), 80);
    let verified = upset(&["verify", &store, "-q"]);
    assert_eq!(code(&verified), 0, "{}{}", stdout(&verified), stderr(&verified));
    let none = dir.path().join("sp.db").display().to_string();
    let other = upset(
        &[&["campaign", "--app", "sp", "--out", &none, "--watch", &path], &CHIP[..]].concat(),
    );
    assert_eq!(code(&other), 2);
    assert!(
        stderr(&other).contains("none of the profiles in `watch` is of sp"),
        "{}",
        stderr(&other)
    );
    assert!(!Path::new(&none).exists(), "a refused campaign leaves no store");
}
