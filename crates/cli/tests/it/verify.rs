//! `upset verify --how`: experiments that were found out in chosen ways.

use crate::{code, stderr, stdout, upset};

#[test]
fn only_the_ways_asked_for_are_checked() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("how.db");
    let store = store.to_str().expect("a path");
    let out = upset(&[
        "campaign",
        "--app",
        "lud",
        "--chip",
        "rtx2060",
        "--set",
        "sm.count=2",
        "--structure",
        "rf,smem,l1d",
        "--sampling",
        "active",
        "--runs",
        "40",
        "--quiet",
        "--out",
        store,
    ]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&["verify", store, "--how", "simulated,followed", "--sample", "12", "-q"]);
    let text = stdout(&out);
    assert_eq!(code(&out), 0, "{text}{}", stderr(&out));
    assert!(text.starts_with("12 experiments run again from cycle 0 ("), "{text}");
    assert!(text.contains(" simulated") && text.contains(": 0 differ"), "{text}");
    assert!(!text.contains("untouched") && !text.contains("overwritten"), "{text}");
    let out = upset(&["verify", store, "--how", "simulate", "-q"]);
    let said = stderr(&out);
    assert_eq!(code(&out), 2, "{said}");
    assert!(said.contains("no experiment is ever found out as `simulate`"), "{said}");
    assert!(said.contains("simulated (") && said.contains("untouched ("), "{said}");
}
