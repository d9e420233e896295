//! The driver's memory around a program's, through the real program.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

/// Fault, class, cause and outputs of each experiment of a campaign.
fn campaign(store: &Path, more: &[&str]) -> BTreeMap<String, [Value; 3]> {
    let store = store.to_str().expect("a path");
    let mut args = vec!["campaign", "--app", "nw", "--chip", "rtx2060", "--set", "sm.count=2"];
    args.extend(["--structure", "rf", "--sampling", "active", "--runs", "50", "--jobs", "1"]);
    args.extend(["--seed", "3", "-q", "--out", store]);
    args.extend(more);
    let out = upset(&args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&["export", store, "--format", "json"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let all: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    let each = all["experiments"].as_array().expect("experiments").iter();
    each.map(|e| {
        let key = format!("{} {}", e["stratum"], e["fault"]);
        (key, ["class", "cause", "output_digest"].map(|k| e[k].clone()))
    })
    .collect()
}

fn crashes(runs: &BTreeMap<String, [Value; 3]>) -> Vec<&str> {
    let crashed = runs.values().filter(|r| r[0] == "crash");
    crashed.map(|r| r[1].as_str().expect("a cause")).collect()
}

#[test]
fn the_drivers_memory_answers_wild_accesses_and_results_stay_exact() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name);
    let mapped = campaign(&path("mapped.db"), &[]);
    let naive = campaign(&path("naive.db"), &["--exact", "off"]);
    let strict = campaign(&path("strict.db"), &["--set", "driver.memory=strict"]);
    assert_eq!(mapped, naive);
    assert!(mapped.keys().eq(strict.keys()), "the same faults, since time is the same");
    let (few, many) = (crashes(&mapped), crashes(&strict));
    assert!(few.len() < many.len(), "{few:?}\n{many:?}");
    for cause in few.iter().chain(&many).filter(|c| c.contains("Global address")) {
        assert!(cause.contains("allocation "), "{cause}");
    }
}

#[test]
fn a_chip_says_what_answers() {
    let lines = |sets: &[&str]| {
        let mut args = vec!["chips", "show", "h200"];
        args.extend(sets);
        let out = upset(&args);
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        let text = stdout(&out);
        text.lines().find(|l| l.trim_start().starts_with("driver ")).expect("a line").to_owned()
    };
    assert!(lines(&[]).ends_with(
        "414 MiB below and 76 MiB above small allocations answer, pockets to 130 MiB, pages of 2 MiB"
    ));
    let strict = lines(&["--set", "driver.memory=strict"]);
    assert!(strict.ends_with("only pages of 2 MiB with allocations answer"), "{strict}");
}
