//! `upset doors`: ways out of arrays, and what is left of failures by gpuFI-4's rule.

use std::path::Path;

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

/// Few SMs and a small L2, so that faults often hit something.
const CHIP: [&str; 8] = [
    "--chip",
    "rtx2060",
    "--set",
    "sm.count=2",
    "--set",
    "cache.l2.sets=16",
    "--set",
    "cache.l2.ways=2",
];

fn run(args: &[&str]) -> String {
    let out = upset(args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    stdout(&out)
}

/// A campaign of an application, and what `upset doors` says about it.
fn campaign(store: &Path, app: &str, structure: &str, runs: &str) -> Value {
    let store = store.to_str().expect("a path");
    let args = ["campaign", "--app", app, "--structure", structure, "--runs", runs, "-q"];
    run(&[&args[..], &CHIP, &["--out", store]].concat());
    serde_json::from_str(&run(&["doors", store, "--json", "-"])).expect("JSON")
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

fn failures(report: &Value) -> u64 {
    let classes = |r: &Value| ["sdc", "crash", "timeout"].map(|c| r[c].as_u64().unwrap_or(0));
    list(report, "rows").iter().flat_map(classes).sum()
}

/// The door that an event of `upset inject` is, by the words it uses.
fn door_of(event: &Value) -> Option<&'static str> {
    let client = event["by"]["client"].as_u64();
    match (event["what"].as_str()?, event["by"]["who"].as_str()?) {
        ("written_back", _) => Some("write-back"),
        ("copied_out", _) | ("read", "host") => Some("host"),
        ("read", "warp") => Some("instruction"),
        ("read", "level") if client < Some(2) => Some("load"),
        ("read", "level") => Some("fetch"),
        ("read", _) => Some("machine"),
        _ => None,
    }
}

#[test]
fn the_first_door_is_the_one_that_inject_tells() {
    let dir = tempfile::tempdir().expect("a folder");
    let told = campaign(&dir.path().join("d.db"), "bp", "l2.data,rf", "120");
    let mut seen = Vec::new();
    for experiment in list(&told, "experiments") {
        let first = &experiment["doors"][0];
        let door = first["door"].as_str().expect("a name").to_string();
        // Two of each are enough: each costs two runs.
        if seen.iter().filter(|d| **d == door).count() >= 2 {
            continue;
        }
        seen.push(door.clone());
        let fault = experiment["fault"].as_str().expect("a name");
        let args = ["inject", "bp", "--fault", fault, "--json", "-"];
        let story: Value = serde_json::from_str(&run(&[&args[..], &CHIP].concat())).expect("JSON");
        assert_eq!(story["class"], experiment["class"], "{fault}");
        let events = list(&story, "events");
        let first_event = events.iter().find(|e| door_of(e).is_some()).expect("a use");
        assert_eq!(door_of(first_event), Some(door.as_str()), "{fault}: {first_event}");
        assert_eq!(first_event["cycle"], first["cycle"], "{fault}");
        assert_eq!(first_event["by"], first["by"], "{fault}");
    }
    seen.sort();
    seen.dedup();
    for door in ["host", "instruction", "load"] {
        assert!(seen.iter().any(|d| d == door), "no experiment left by {door}: {seen:?}");
    }
}

#[test]
fn no_data_bit_fails_without_a_door_and_rules_only_take_away() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("d.db");
    let told = campaign(&store, "bp", "l2,rf", "150");
    for row in list(&told, "rows") {
        if row["door"] == "none" {
            assert_eq!(row["failures"], 0, "{row}");
        }
    }
    let runs: u64 = list(&told, "rows").iter().filter_map(|r| r["runs"].as_u64()).sum();
    assert_eq!(runs, 2 * 2 * 150);

    // What the rule leaves, counted from the list of experiments.
    let count = |keep: fn(&[Value]) -> bool| {
        let fails = |e: &&Value| matches!(e["class"].as_str(), Some("sdc" | "crash" | "timeout"));
        let own = list(&told, "experiments").iter().filter(fails);
        own.filter(|e| e["structure"] == "rf" || keep(list(e, "doors"))).count() as u64
    };
    fn is_load(door: &Value) -> bool {
        door["door"] == "load" || door["door"] == "instruction"
    }
    let (any, only) =
        (count(|doors| doors.iter().any(is_load)), count(|doors| doors.iter().all(is_load)));
    assert_eq!((failures(&told["loaded"]), failures(&told["only_loaded"])), (any, only));
    let measured = failures(&told["measured"]);
    assert!(only <= any && any < measured, "{only} {any} {measured}");

    // As measured is as reported.
    let store = store.to_str().expect("a path");
    let report: Value =
        serde_json::from_str(&run(&["report", store, "--json", "-"])).expect("JSON");
    assert_eq!(report["totals"], told["measured"]["totals"]);
    let text = run(&["doors", store]);
    assert!(text.contains("NOT TOLD") && text.contains("only loads took out"), "{text}");
}

#[test]
fn doors_of_what_is_no_store_are_refused() {
    let out = upset(&["doors", "README.md"]);
    assert_eq!(code(&out), 2, "{}", stderr(&out));
}

/// `studies/papers.sh` for one application, twice: the second time it goes on.
#[cfg(unix)]
#[test]
fn the_study_script_writes_what_its_table_is_made_from() {
    let dir = tempfile::tempdir().expect("a folder");
    let study = || {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/papers.sh");
        let out = std::process::Command::new(script)
            .arg(env!("CARGO_BIN_EXE_upset"))
            .args([dir.path().join("stores"), dir.path().join("out")])
            .envs([("RUNS", "2"), ("APPS", "va"), ("RESULTS", "bp"), ("JOBS", "1")])
            .output()
            .expect("a shell");
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        // bp is not among the applications: there is nothing of it.
        let files = std::fs::read_dir(dir.path().join("out")).expect("a folder");
        assert_eq!(files.count(), 1);
        std::fs::read_to_string(dir.path().join("out/va.json")).expect("what doors wrote")
    };
    let first = study();
    assert_eq!(study(), first);
    let told: Value = serde_json::from_str(&first).expect("JSON");
    for rule in ["measured", "loaded", "only_loaded"] {
        let totals = list(&told[rule], "totals");
        let mut chips: Vec<&str> = totals.iter().filter_map(|t| t["chip"].as_str()).collect();
        chips.sort_unstable();
        assert_eq!(chips, ["gv100", "rtx2060"], "{rule}");
        // Five structures of one kernel, two runs each.
        assert!(totals.iter().all(|t| t["runs"] == 10 && t["avf"]["value"].is_f64()), "{rule}");
    }
}
