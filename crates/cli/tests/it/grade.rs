//! `upset grade`: a few faults through the program.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

const SMALL: [&str; 5] = ["grade", "--set", "sm.count=2", "--sm", "1"];

fn grade(args: &[&str]) -> std::process::Output {
    upset(&[&SMALL[..], args].concat())
}

#[test]
fn a_few_stuck_bits_are_detected_and_located() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("grades.json");
    let args = ["fma", "--structure", "fma", "--runs", "3", "--missed", "--json"];
    let out = grade(&[&args[..], &[file.to_str().expect("a path")]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let text = stdout(&out);
    assert!(text.contains("stuck fma of SM 1: 3 drawn"), "{text}");
    assert!(text.contains("fma   100.00 %  [29.24, 100.00]  100.00 %"), "{text}");
    assert!(text.contains("no fault is missed"), "{text}");
    let json = std::fs::read_to_string(&file).expect("a file");
    let record: Value = serde_json::from_str(&json).expect("JSON");
    let faults = record["lists"][0]["faults"].as_array().expect("faults");
    assert_eq!(faults.len(), 3);
    for fault in faults {
        assert_eq!(fault["grades"][0]["is"], "detected", "{fault}");
        assert_eq!(fault["grades"][0]["near"], "exact", "{fault}");
        // The name is one that `upset burn` takes.
        let name = fault["fault"].as_str().expect("a name");
        let out =
            upset(&["burn", "fma", "--model", "rtx2060", "--set", "sm.count=2", "--fault", name]);
        assert_eq!(code(&out), 1, "{name}: {}", stderr(&out));
    }
}

#[test]
fn results_depend_on_the_seed_alone() {
    let run = |jobs: &str, seed: &str| {
        let args = ["mufu", "--structure", "mufu", "--runs", "3", "--json", "-"];
        let out = grade(&[&args[..], &["--jobs", jobs, "--seed", seed]].concat());
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        stdout(&out)
    };
    assert_eq!(run("1", "7"), run("3", "7"));
    assert_ne!(run("1", "7"), run("1", "8"));
}

#[test]
fn the_rival_and_the_smallest_set_stand_beside() {
    let args = ["fma", "imad", "--structure", "fma", "--runs", "2", "--rival", "--smallest", "-q"];
    let out = grade(&args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let text = stdout(&out);
    for line in ["gpu-burn  ", "gpu-burn, later", "any of ours", "smallest set that detects"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn what_cannot_be_graded_ends_in_one_sentence() {
    for (args, exit, why) in [
        (&["fma", "--structure", "fmaa"][..], 2, "no structure `fmaa` (did you mean `fma`?)"),
        (&["fmaa", "--structure", "fma"], 2, "no test `fmaa`; there are fma"),
        (&["fma", "--structure", "fma", "--fault", "flip"], 2, "faults that are graded last"),
        (&["fma", "--structure", "fma", "--fault", "stick"], 2, "is no fault model"),
        (&["fma", "--structure", "fma", "--sm", "9"], 2, "none of these SMs"),
        (&["thermal", "--structure", "fma"], 3, "test thermal cannot run"),
        (&["fma"], 2, "--structure"),
    ] {
        let out = match args.contains(&"--sm") {
            true => upset(&[&["grade", "--set", "sm.count=2"], args].concat()),
            false => grade(args),
        };
        let text = stderr(&out);
        assert_eq!(code(&out), exit, "{args:?}: {text}");
        assert!(text.contains(why), "{args:?}: {text}");
    }
}
