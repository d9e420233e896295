//! Numbers that hold: unfinished stores, digests of results, shares on the command
//! line.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path")
}

fn campaign(store: &Path, more: &[&str]) -> Value {
    let args = ["campaign", "--chip", "rtx2060", "--set", "sm.count=2", "--json-lines", "--out"];
    let out = upset(&[&args[..], &[text(store)], more].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let said = stdout(&out);
    serde_json::from_str(said.lines().last().expect("a line")).expect("JSON")
}

fn report(stores: &[&Path]) -> Value {
    let stores: Vec<&str> = stores.iter().map(|s| text(s)).collect();
    let out = upset(&[&["report", "--json", "-"], &stores[..]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    serde_json::from_str(&stdout(&out)).expect("JSON")
}

const STUDY: [&str; 6] = ["--app", "lud", "--runs", "12", "--bits", "1,2"];

#[test]
fn the_digest_of_results_alone_does_not_depend_on_how_they_were_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |name: &str, more: &[&str]| {
        let store = folder.path().join(name);
        let done = campaign(&store, &[&STUDY[..], more].concat());
        let of = |key: &str| done[key].as_str().expect("a digest").to_string();
        assert_eq!(report(&[&store])["results_digest"], of("results_digest"));
        (of("results_digest"), of("digest"))
    };
    let exact = run("exact.db", &["--structure", "rf,smem,l2"]);
    let naive = run("naive.db", &["--structure", "rf,smem,l2", "--exact", "off"]);
    let turned = run("turned.db", &["--structure", "l2,rf,smem"]);
    assert_eq!((&exact.0, &exact.0), (&naive.0, &turned.0));
    // The other one tells them apart.
    assert!(exact.1 != naive.1 && exact.1 != turned.1);
    let other = run("other.db", &["--structure", "rf,smem,l2", "--seed", "2"]);
    assert_ne!(exact.0, other.0);
    // Parts that are read together are the whole.
    run("first.db", &["--structure", "rf"]);
    run("second.db", &["--structure", "l2,smem"]);
    let path = |name: &str| folder.path().join(name);
    let joined = report(&[&path("second.db"), &path("first.db")]);
    assert_eq!(joined["results_digest"], exact.0);
    let page = upset(&["report", "--html", "-", text(&path("exact.db"))]);
    assert!(stdout(&page).contains(&exact.0));
}

/// Interrupted in the middle: rows of what is there, of what is not and of what was
/// never begun; limits that hold; resumed, the results of an undisturbed campaign.
#[test]
fn an_interrupted_campaign_reports_limits_that_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, part) = (folder.path().join("whole.db"), folder.path().join("part.db"));
    let args = ["--app", "hs,va", "--structure", "rf,l2", "--runs", "400"];
    let undisturbed = campaign(&whole, &args);
    let mut child = Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["campaign", "--chip", "rtx2060", "--set", "sm.count=2", "--quiet", "--jobs", "1"])
        .args(["--out", text(&part)])
        .args(args)
        .spawn()
        .expect("upset starts");
    // As soon as it is there: its plan is in it from the first moment.
    while child.try_wait().expect("a status").is_none() && !part.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().expect("it ends");
    let (now, then) = (report(&[&part]), report(&[&whole]));
    let rows = |of: &Value| of["rows"].as_array().expect("rows").clone();
    let finished = rows(&then);
    assert_eq!(finished.len(), 4);
    assert_eq!(rows(&now).len(), 4);
    for (row, end) in rows(&now).iter().zip(&finished) {
        let same = ["app", "chip", "structure", "planned"];
        assert!(same.iter().all(|key| row[key] == end[key]), "{row} {end}");
        if row["complete"] == false {
            assert_eq!(row["avf"], Value::Null);
        }
        let number = |of: &Value, key: &str| of[key].as_f64().expect("a number");
        let value = number(end, "avf");
        assert!(number(row, "avf_low") <= value && value <= number(row, "avf_high"), "{row}");
    }
    let resumed = upset(&["campaign", "--resume", "--json-lines", "--out", text(&part)]);
    assert_eq!(code(&resumed), 0, "{}", stderr(&resumed));
    let said = stdout(&resumed);
    let resumed: Value = serde_json::from_str(said.lines().last().expect("a line")).expect("JSON");
    assert_eq!(resumed["results_digest"], undisturbed["results_digest"]);
    assert_eq!(resumed["digest"], undisturbed["digest"]);
}

#[test]
fn a_share_that_may_mean_two_things_is_refused() {
    let refused = |flag: &str, value: &str| {
        let args = ["campaign", "--app", "va", "--chip", "rtx2060", flag, value];
        let out = upset(&args);
        assert_eq!(code(&out), 2, "{}", stderr(&out));
        stderr(&out)
    };
    assert!(refused("--margin", "0.5").contains("write 0.5% or 50%"));
    assert!(refused("--margin", "1").contains("write 1%"));
    assert!(refused("--relative", "0.3").contains("write 0.3% or 30%"));
}
