//! Campaigns through the real program.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

/// A chip small enough that faults often hit something.
const FEW_SMS: [&str; 2] = ["--set", "sm.count=2"];

fn campaign(store: &Path, more: &[&str]) -> Value {
    let store = store.to_str().expect("a path");
    let mut args = vec!["campaign", "--chip", "rtx2060", "--json-lines", "--out", store];
    args.extend(FEW_SMS);
    args.extend(more);
    let out = upset(&args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    last_line(&stdout(&out))
}

fn last_line(text: &str) -> Value {
    let line = text.lines().last().expect("a line");
    serde_json::from_str(line).expect("JSON")
}

fn export(store: &Path) -> Vec<Value> {
    let out = upset(&["export", store.to_str().expect("a path"), "--format", "json"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let all: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    all["experiments"].as_array().expect("experiments").clone()
}

#[test]
fn results_do_not_depend_on_the_number_of_workers() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = |name: &str, jobs: &str| {
        let store = dir.path().join(name);
        let args = ["--app", "pathf", "--runs", "40", "--bits", "1,3", "--jobs", jobs];
        campaign(&store, &args)["digest"].clone()
    };
    assert_eq!(run("one.db", "1"), run("three.db", "3"));
}

#[test]
fn what_is_left_out_is_what_the_naive_run_gives() {
    let dir = tempfile::tempdir().expect("a folder");
    let structures = "rf,pred,smem,l1d,l1c,l1i,l2,ibuf,pc,mask,sb";
    let run = |name: &str, exact: &str| -> BTreeMap<String, (Value, Value, Value)> {
        let store = dir.path().join(name);
        let args =
            ["--app", "lud", "--structure", structures, "--runs", "12", "--bits", "1,2", "--exact"];
        campaign(&store, &[&args[..], &[exact]].concat());
        export(&store)
            .into_iter()
            .map(|e| {
                let key = format!("{} {}", e["stratum"], e["fault"]);
                (key, (e["class"].clone(), e["cycles"].clone(), e["output_digest"].clone()))
            })
            .collect()
    };
    let (exact, naive) = (run("exact.db", "on"), run("naive.db", "off"));
    assert!(naive.values().any(|v| v.0 != "masked"), "no fault did anything");
    assert_eq!(exact, naive);
}

#[test]
fn a_killed_campaign_goes_on_to_the_same_results() {
    let dir = tempfile::tempdir().expect("a folder");
    let args = ["--app", "hs", "--runs", "150", "--structure", "rf,smem,l2"];
    let undisturbed = campaign(&dir.path().join("whole.db"), &args);
    let store = dir.path().join("killed.db");
    let mut child = Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["campaign", "--chip", "rtx2060", "--quiet", "--out"])
        .arg(&store)
        .args(FEW_SMS)
        .args(args)
        .spawn()
        .expect("upset starts");
    // Until something is in the store, or it was faster than we are.
    while child.try_wait().expect("a status").is_none() && !has_experiments(&store) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    child.wait().expect("it ends");
    let resumed =
        upset(&["campaign", "--resume", "--json-lines", "--out", store.to_str().expect("a path")]);
    assert_eq!(code(&resumed), 0, "{}", stderr(&resumed));
    let resumed = last_line(&stdout(&resumed));
    assert_eq!(resumed["digest"], undisturbed["digest"]);
    assert_eq!(resumed["counts"], undisturbed["counts"]);
}

fn has_experiments(store: &Path) -> bool {
    let out = upset(&["export", store.to_str().expect("a path"), "--format", "csv"]);
    code(&out) == 0 && stdout(&out).lines().count() > 1
}

#[test]
fn runs_that_become_the_fault_free_run_again_end_as_their_naive_runs_do() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("same.db");
    let structures = "rf,l2,l1d,ibuf,sb";
    let args =
        ["--app", "srad1", "--structure", structures, "--runs", "25", "--sampling", "active"];
    campaign(&store, &args);
    let of = |how: &str, class: &str| {
        export(&store).iter().filter(|e| e["how"] == how && e["class"] == class).count()
    };
    assert!(of("converged", "masked") > 50);
    // The same but for a shift in time.
    assert!(of("converged later", "performance") > 0);
    assert_eq!(of("converged", "performance") + of("converged later", "masked"), 0);
    let out = upset(&["verify", store.to_str().expect("a path"), "--sample", "200", "-q"]);
    assert_eq!(code(&out), 0, "{}", stdout(&out));
    assert!(stdout(&out).contains(": 0 differ"), "{}", stdout(&out));
}

#[test]
fn stuck_bits_and_bursts_are_run() {
    let dir = tempfile::tempdir().expect("a folder");
    for model in ["stuck", "stuck1:300", "burst1:5/20:2000"] {
        let store = dir.path().join(format!("{}.db", model.replace([':', '/'], "-")));
        let args = ["--app", "va", "--structure", "rf,l1d", "--runs", "15", "--model", model];
        let done = campaign(&store, &args);
        assert_eq!(done["runs"], 30, "{model}");
        assert_eq!(done["counts"]["tool_error"], 0, "{model}");
        // Nothing about them is known without a run.
        assert_eq!(done["simulated"], 30, "{model}");
    }
}

#[test]
fn active_sampling_hits_live_threads_and_says_what_share_they_are() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("active.db");
    let args = ["--app", "hs", "--structure", "rf,smem", "--runs", "60", "--sampling", "active"];
    campaign(&store, &args);
    let out = upset(&["report", store.to_str().expect("a path"), "--json", "-"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let report: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    for row in report["rows"].as_array().expect("rows") {
        let derating = row["derating"].as_f64().expect("a number");
        assert!(derating > 0.0 && derating < 1.0, "{row}");
    }
}

#[test]
fn a_sequential_plan_ends_with_a_failure() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("relative.db");
    let args = ["--app", "hs", "--structure", "rf", "--sampling", "active", "--relative", "90%"];
    let done = campaign(&store, &args);
    let experiments = export(&store);
    assert_eq!(done["runs"], experiments.len());
    let last = experiments.last().expect("experiments");
    assert!(["sdc", "crash", "timeout"].contains(&last["class"].as_str().expect("a class")));
}

/// The first look that finds the margin reached is the last: looked at again by
/// the interval's definition, over classes that a longer campaign gave.
#[test]
fn a_margin_ends_a_stratum_as_soon_as_it_is_reached() {
    let dir = tempfile::tempdir().expect("a folder");
    let common = ["--app", "hs", "--structure", "rf,l2", "--sampling", "active"];
    let store = dir.path().join("margin.db");
    campaign(&store, &[&common[..], &["--margin", "6%"]].concat());
    let fixed = dir.path().join("fixed.db");
    campaign(&fixed, &[&common[..], &["--runs", "320"]].concat());
    let failed = |e: &Value| ["sdc", "crash", "timeout"].contains(&e["class"].as_str().unwrap());
    let of = |all: &[Value], stratum: u64| -> Vec<bool> {
        all.iter().filter(|e| e["stratum"] == stratum).map(failed).collect()
    };
    let (all, longer) = (export(&store), export(&fixed));
    let mut sizes = Vec::new();
    for stratum in 0..2 {
        let (here, longer) = (of(&all, stratum), of(&longer, stratum));
        // Both go through the same experiments.
        let common = here.len().min(longer.len());
        assert_eq!(here[..common], longer[..common]);
        // 0.025 = (1 - 0.06)^n at 60 runs; then a tenth more each.
        let mut looks = vec![60u64];
        while *looks.last().unwrap() < here.len() as u64 {
            let last = *looks.last().unwrap();
            looks.push(last + last.div_ceil(10));
        }
        assert_eq!(looks.last(), Some(&(here.len() as u64)), "it ends at a look");
        for &runs in &looks {
            let k = here[..runs as usize].iter().filter(|f| **f).count() as u64;
            let limits = upset_metrics::interval::clopper_pearson(k, runs, 0.95);
            let share = k as f64 / runs as f64;
            let reached = limits.high - share <= 0.06 && share - limits.low <= 0.06;
            assert_eq!(reached, runs == here.len() as u64, "stratum {stratum}, {k} of {runs}");
        }
        sizes.push(here.len());
    }
    assert!(sizes[0] != sizes[1], "each stratum has its own end: {sizes:?}");
}

#[test]
fn wrong_campaigns_are_refused_in_a_sentence() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("x.db");
    let store = store.to_str().expect("a path");
    let refused = |args: &[&str]| {
        let out = upset(&[&["campaign", "--out", store], args].concat());
        assert_eq!(code(&out), 2, "{args:?}: {}", stderr(&out));
        assert!(!Path::new(store).exists(), "{args:?} left a store");
        stderr(&out)
    };
    assert!(refused(&["--chip", "rtx2060"]).contains("nothing to run"));
    assert!(refused(&["--app", "hs"]).contains("--chip"));
    assert!(refused(&["--app", "hs", "--chip", "rtx2060", "--structure", "l9"]).contains("l9"));
    assert!(refused(&["--app", "nosuch", "--chip", "rtx2060"]).contains("nosuch"));
    assert!(refused(&["--app", "hs", "--chip", "rtx9"]).contains("rtx9"));
    assert!(refused(&["--app", "hs", "--chip", "rtx2060", "--kernel", "k"]).contains("launches"));
    assert!(refused(&["--app", "hs", "--chip", "rtx2060", "--bits", "0"]).contains("bits"));
    assert!(refused(&["nosuch.toml"]).contains("nosuch.toml"));
    let va = |more: &[&str]| refused(&[&["--app", "va", "--chip", "rtx2060"], more].concat());
    assert!(va(&["--structure", "rf,l9"]).contains("l9"));
    assert!(va(&["--structure", "lmem"]).contains("no kernel here uses local memory"));
    assert!(va(&["--structure", "rf", "--bits", "33"]).contains("at most 32 bits"));
    assert!(va(&["--structure", "l1d", "--copies", "31"]).contains("30 instances"));
    assert!(va(&["--sms", "29,30"]).contains("SMs 0 to 29"));
    assert!(va(&["--margin", "0.0001%"]).contains("at most"));
    let out = upset(&["campaign", "--resume", "--out", store]);
    assert_eq!(code(&out), 2, "{}", stderr(&out));
}

#[test]
fn a_store_is_not_overwritten() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("x.db");
    let args = ["--app", "va", "--runs", "3", "--structure", "rf"];
    campaign(&store, &args);
    let path = store.to_str().expect("a path");
    let again = [&["campaign", "--chip", "rtx2060", "--out", path], &args[..]].concat();
    let out = upset(&again);
    assert_eq!(code(&out), 2);
    assert!(stderr(&out).contains("--resume"), "{}", stderr(&out));
}

#[test]
fn a_page_never_takes_the_place_of_a_store() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("x.db");
    campaign(&store, &["--app", "va", "--runs", "3", "--structure", "rf"]);
    let before = std::fs::read(&store).expect("a store");
    let path = store.to_str().expect("a path");
    for args in [
        &["report", path, "--html", path][..],
        &["report", path, "--json", path],
        &["campaign", "--resume", "--out", path, "--html", path],
    ] {
        let out = upset(args);
        assert_eq!(code(&out), 2, "{args:?}: {}", stderr(&out));
        assert!(std::fs::read(&store).expect("a store") == before, "{args:?}");
    }
    // Nor does a command that fails take away what was there, or leave an empty file.
    let (old, new) = (dir.path().join("old.html"), dir.path().join("new.html"));
    std::fs::write(&old, "a page").expect("written");
    for page in [&old, &new] {
        let page = page.to_str().expect("a path");
        let out = upset(&["campaign", "--app", "nosuch", "--chip", "rtx2060", "--html", page]);
        assert_eq!(code(&out), 2, "{}", stderr(&out));
    }
    assert_eq!(std::fs::read_to_string(&old).expect("read"), "a page");
    assert!(!new.exists());
}

#[test]
fn every_application_has_its_own_kernels() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("x.db");
    let both = ["--app", "va,hs", "--runs", "3", "--structure", "rf", "--kernel"];
    let run = |kernels| campaign(&store, &[&both[..], &[kernels]].concat())["runs"].clone();
    assert_eq!(run("vectorAdd,calculate_temp"), 6);
    std::fs::remove_file(&store).expect("removed");
    assert_eq!(run("calculate_temp"), 3);
    std::fs::remove_file(&store).expect("removed");
    let path = store.to_str().expect("a path");
    let out =
        upset(&[&["campaign", "--chip", "rtx2060", "--out", path], &both[..], &["k"]].concat());
    assert_eq!(code(&out), 2, "{}", stderr(&out));
    assert!(stderr(&out).contains("no application launches k"), "{}", stderr(&out));
    assert!(!store.exists());
}

#[test]
fn a_cluster_has_as_many_bits_as_it_has() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("x.db");
    campaign(&store, &["--app", "va", "--runs", "3", "--structure", "rf", "--spread", "2x3"]);
    let out = upset(&["report", store.to_str().expect("a path")]);
    assert!(stdout(&out).contains("6 bits (2x3)"), "{}", stdout(&out));
}
