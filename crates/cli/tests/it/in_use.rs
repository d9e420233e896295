//! The AVF of what is in use: over each structure's own occupancy.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

const CHIP: [&str; 4] = ["--chip", "rtx2060", "--set", "sm.count=2"];
const STRUCTURES: &str =
    "rf,pred,ureg,smem,l1d,l1d.state,l1t,l1c,l1i,l2,l2.data,l2.tag,ibuf,pc,mask,conv,sb";

fn json(args: &[&str]) -> Value {
    let out = upset(args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    serde_json::from_str(&stdout(&out)).expect("JSON")
}

/// A share of at most 1, the one of the ACE analysis, and never an AVF above it.
#[test]
fn occupancy_is_that_of_the_ace_analysis_and_no_avf_is_above_it() {
    let dir = tempfile::tempdir().expect("a folder");
    for (app, few) in [("lud", "12"), ("bfs", "6"), ("va", "12")] {
        let store = dir.path().join(format!("{app}.db"));
        let store = store.to_str().expect("a path");
        let args = ["campaign", "--app", app, "--structure", STRUCTURES, "--runs", few];
        let out = upset(&[&args[..], &["--quiet", "--out", store], &CHIP[..]].concat());
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        let report = json(&["report", store, "--json", "-"]);
        let ace = json(&[&["ace", app, "--quiet", "--json", "-"], &CHIP[..]].concat());
        let mut compared = 0;
        for row in report["rows"].as_array().expect("rows") {
            let what = format!("{app} {} {}", row["kernel_name"], row["structure"]);
            let occupancy = row["occupancy"].as_f64().expect("counted");
            assert!((0.0..=1.0).contains(&occupancy), "{what}: {occupancy}");
            if let Some(low) = row["avf_low"].as_f64() {
                assert!(low <= occupancy, "{what}: AVF {low}, in use {occupancy}");
            }
            if let Some(util) = row["avf_util"].as_f64() {
                assert!(
                    util <= 1.0 && util + 1e-12 >= row["avf"].as_f64().expect("an AVF"),
                    "{what}"
                );
            }
            let same =
                |b: &&Value| (&b["kernel"], &b["structure"]) == (&row["kernel"], &row["structure"]);
            // Uses of control arrays are not told to the analysis.
            let Some(bound) = ace["rows"].as_array().expect("rows").iter().find(same) else {
                continue;
            };
            let expected = bound["occupancy"].as_f64().expect("a share");
            // The first cycle is a matter of taste, and the only one.
            let cycles = row["cycles"].as_f64().expect("cycles");
            let off = (occupancy - expected).abs();
            assert!(off <= 2.0 / cycles + 1e-9, "{what}: {occupancy}, ACE {expected}");
            compared += usize::from(expected > 0.0);
        }
        assert!(compared > 8, "{app}: {compared}");
        for total in report["totals"].as_array().expect("totals") {
            let (avf, used) = (&total["avf"]["value"], &total["in_use"]);
            let util = &total["avf_util"]["value"];
            let (avf, used) = (avf.as_f64().expect("an AVF"), used.as_f64().expect("a share"));
            let util = util.as_f64().expect("an AVF");
            assert!((util * used - avf).abs() < 1e-9, "{app}: {util} x {used} is not {avf}");
        }
    }
}
