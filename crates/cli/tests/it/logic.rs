//! Campaigns over wires, latches and warp states, and one of them explained.

use crate::{code, stderr, stdout, upset};

const LOGIC: &str = "fma,alu,fp64,mufu,lsua,lsud,opnd,sched,div,port,wstate";

#[test]
fn campaigns_over_logic_are_exact() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("logic.db");
    let store = store.to_str().expect("a path");
    let out = upset(&[
        "campaign",
        "--app",
        "pathf",
        "--chip",
        "rtx2060",
        "--set",
        "sm.count=1",
        "--structure",
        LOGIC,
        "--model",
        "stuck",
        "--runs",
        "8",
        "--quiet",
        "--out",
        store,
    ]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&["verify", store, "-q"]);
    let text = stdout(&out);
    assert_eq!(code(&out), 0, "{text}{}", stderr(&out));
    assert!(text.starts_with("88 experiments run again from cycle 0 ("), "{text}");
    assert!(text.contains(": 0 differ"), "{text}");
    // Double precision is not used: found out without a run.
    assert!(text.contains(" untouched") && text.contains(" simulated"), "{text}");
}

#[test]
fn a_stuck_wire_is_explained() {
    let fault = "stuck0 fma:sm0.sub1.lane5.bit29@0..";
    let args = ["inject", "va", "--chip", "rtx2060", "--fault", fault];
    let fast = upset(&args);
    let text = stdout(&fast);
    assert_eq!(code(&fast), 0, "{}", stderr(&fast));
    assert!(text.contains("FMA result latches, SM 0, sub-core 1"), "{text}");
    assert!(text.contains("a wire: threads 5, 21 of every warp use it"), "{text}");
    assert!(text.contains("outcome  sdc"), "{text}");
    // The oracle tells the same story.
    let slow = upset(&[&args[..], &["--slow"]].concat());
    assert_eq!(stdout(&slow), text);
}
