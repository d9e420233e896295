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

/// Two work-groups of two waves stay on the compute unit from beginning to end
/// and fill its local data share, so that all shares are known: 36 of 256 vector
/// registers and 16 of 512 scalar ones for each of four waves on four SIMD units.
#[test]
fn registers_and_local_data_share_of_amd_are_in_use_as_they_are_given() {
    let dir = tempfile::tempdir().expect("a folder");
    for (simds, units) in [("4", 4.0), ("2", 2.0), ("1", 1.0)] {
        let store = dir.path().join(format!("{simds}.db"));
        let store = store.to_str().expect("a path");
        let chip = format!("hd7970:cu.count=1:cu.simds={simds}");
        let what = ["--app", "his", "--kernel", "app", "--structure", "vrf,srf,lds"];
        let how = ["--runs", "1", "--quiet", "--out", store, "--chip", &chip];
        let out = upset(&[&["campaign"], &what[..], &how[..]].concat());
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        let report = json(&["report", store, "--json", "-"]);
        assert_eq!(report["rows"][0]["chip"], chip.as_str());
        let occupancy = |n: usize| report["rows"][n]["occupancy"].as_f64().expect("a share");
        let (vector, scalar, lds) = (occupancy(0), occupancy(1), occupancy(2));
        assert!(lds > 0.99 && lds <= 1.0, "{lds}");
        // All are held from the same cycle to the same.
        assert!((vector - lds * 4.0 * 36.0 / (256.0 * units)).abs() < 1e-12, "{vector}");
        assert!((scalar - lds * 4.0 * 16.0 / (512.0 * units)).abs() < 1e-12, "{scalar}");
    }
}

/// What the vector and scalar caches did is there, under AMD's names and words.
#[test]
fn caches_of_amd_are_counted() {
    let run = json(&["run", "his", "--chip", "hd7970:cu.count=1", "--json", "-"]);
    let (l1v, l1s) = (&run["total"]["l1v"], &run["total"]["l1s"]);
    for cache in [l1v, l1s] {
        let number = |key: &str| cache[key].as_u64().expect("a number");
        assert!(number("reads") > 0, "{cache}");
        assert_eq!(number("hits") + number("misses") + number("merged"), number("reads"));
    }
    let out = upset(&["run", "his", "--chip", "hd7970:cu.count=1"]);
    let text = stdout(&out);
    for word in ["WAVEFRONT INSTS", "WORK-ITEM INSTS", "MEAN PER ACTIVE CU", "l1v", "l1s"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert!(!text.contains("WARP") && !text.contains("CTAS"), "{text}");
}
