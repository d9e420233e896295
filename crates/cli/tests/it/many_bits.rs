//! Banks, rows and columns: faults of many bits cost about what one bit costs.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

/// All bits of a sub-core's register file.
const BANK: &str = "rf:sm0.sub0.row*.lane*.bit*";
/// Once a run with a bank took minutes: far beyond this, far above a second.
const LONG: Duration = Duration::from_secs(60);

fn inject(fault: &str, more: &[&str]) -> String {
    let begun = Instant::now();
    let args = ["inject", "hs", "--chip", "rtx2060", "--fault", fault];
    let out = upset(&[&args[..], more].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    assert!(begun.elapsed() < LONG, "{fault}: {:?}", begun.elapsed());
    stdout(&out)
}

#[test]
fn a_bank_that_flips_is_told_in_a_few_lines() {
    let text = inject(&format!("{BANK}@100"), &[]);
    assert!(text.lines().count() < 40, "{text}");
    assert!(text.contains("524288 changes of bits: register file, SM 0, sub-core 0"), "{text}");
    assert!(text.contains("524288 gave the bit another value"), "{text}");
}

#[test]
fn a_bank_that_is_stuck_is_counted() {
    let json = inject(&format!("stuck1 {BANK}@0.."), &["--json", "-"]);
    let o: Value = serde_json::from_str(&json).expect("one object");
    assert_eq!(o["hit_total"], 524_288);
    // Nobody owns registers before the first launch, and all of them are zero.
    assert_eq!((&o["hit_allocated"], &o["hit_effective"]), (&0.into(), &524_288.into()));
    assert_eq!(o["hit"].as_array().map(Vec::len), Some(1024));
    assert_eq!((&o["still_wrong_total"], o["class"].as_str()), (&524_288.into(), Some("sdc")));
    assert_eq!(o["still_wrong"].as_array().map(Vec::len), Some(1024));
}

/// Campaigns of such faults are exact: thousands of flips anywhere in a bank,
/// columns that are stuck.
#[test]
fn campaigns_of_many_bits_are_what_the_naive_runs_give() {
    let dir = tempfile::tempdir().expect("a folder");
    let faults: [&[&str]; 3] = [
        &["--structure", "rf,smem", "--bits", "4096", "--spread", "array"],
        &["--structure", "rf", "--spread", "64x32", "--model", "stuck1:300"],
        &["--structure", "mask,conv,sb,l1i.tag", "--bits", "64", "--spread", "array"],
    ];
    for (i, fault) in faults.into_iter().enumerate() {
        let store = dir.path().join(format!("{i}.db"));
        let store = store.to_str().expect("a path");
        let chip = ["--app", "lud", "--chip", "rtx2060", "--set", "sm.count=2"];
        let begin = ["campaign", "--out", store, "--runs", "4", "--quiet"];
        let begun = Instant::now();
        let out = upset(&[&begin[..], &chip[..], fault].concat());
        assert_eq!(code(&out), 0, "{fault:?}: {}", stderr(&out));
        let out = upset(&["verify", store, "--quiet"]);
        let text = stdout(&out);
        assert!(code(&out) == 0 && text.contains(": 0 differ"), "{text}{}", stderr(&out));
        assert!(begun.elapsed() < LONG, "{fault:?}: {:?}", begun.elapsed());
    }
}
