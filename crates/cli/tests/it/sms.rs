//! All SMs, SMs in use and active sampling estimate the same thing.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

/// Gaussian elimination launches two kernels by turns; the first uses few SMs,
/// and what it leaves in the others' caches the second one reads.
const CHIP: [&str; 8] = [
    "--chip",
    "rtx2060",
    "--set",
    "sm.count=8",
    "--set",
    "cache.l1i.sets=2",
    "--set",
    "cache.l1i.ways=4",
];

/// AVF between its limits.
type Estimate = (f64, f64, f64);

fn estimates(structures: &str, runs: &str, more: &[&str]) -> Vec<(String, Estimate)> {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("sms.db");
    let store = store.to_str().expect("a path");
    let asked = ["--structure", structures, "--kernel", "Fan1", "--runs", runs, "--quiet"];
    let begin = ["campaign", "--app", "ge", "--out", store];
    let out = upset(&[&begin[..], &CHIP[..], &asked[..], more].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&["report", store, "--json", "-"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let report: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    let row = |r: &Value| {
        let number = |key: &str| r[key].as_f64().expect("a number");
        let estimate = (number("avf_low"), number("avf"), number("avf_high"));
        (r["structure"].as_str().expect("a name").to_string(), estimate)
    };
    report["rows"].as_array().expect("rows").iter().map(row).collect()
}

fn agree(structures: &str, runs: &str) -> Vec<(String, Estimate)> {
    let all = estimates(structures, runs, &[]);
    for more in [["--sms", "used"], ["--sampling", "active"]] {
        let other = estimates(structures, runs, &more);
        assert_eq!(all.len(), other.len());
        for ((name, a), (_, b)) in all.iter().zip(&other) {
            assert!(a.0 <= b.2 && b.0 <= a.2, "{name}: {a:?} of all SMs, {b:?} with {more:?}");
        }
    }
    all
}

/// Lines that another launch will read are in SMs that this kernel does not use.
#[test]
fn lines_in_other_sms_count() {
    let all = agree("l1i.data", "200");
    assert!(all[0].1.0 > 0.13, "{all:?}: else the test has no power");
}

#[test]
fn every_structure_is_estimated_alike() {
    agree(
        "rf,pred,ureg,ibuf,pc,mask,conv,sb,l1d.data,l1d.tag,l1c.data,l1i.tag,l1i.state,l2.data",
        "24",
    );
}
