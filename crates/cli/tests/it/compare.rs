//! Two campaigns compared, from their stores.

use std::path::Path;

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

/// A small campaign; where its store is.
fn campaign(folder: &Path, name: &str, more: &[&str]) -> String {
    let store = folder.join(name).to_str().expect("a path").to_string();
    let args = ["campaign", "--app", "va", "--scale", "paper", "--structure", "rf,l2"];
    let out = upset(&[&args[..], more, &["--quiet", "--out", &store]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    store
}

fn json(args: &[&str]) -> Value {
    let out = upset(args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    serde_json::from_str(&stdout(&out)).expect("JSON")
}

fn figures(v: &Value) -> Vec<&Value> {
    let of = |v: &'_ Value, key: &str| v[key].as_array().cloned().unwrap_or_default().len();
    assert_eq!(of(v, "matches"), 1);
    let lines = v["matches"][0]["lines"].as_array().expect("lines");
    lines.iter().flat_map(|l| l["figures"].as_array().expect("figures")).collect()
}

/// Independent samples on two chips: the report's own numbers beside each other.
#[test]
fn two_chips() {
    let folder = tempfile::tempdir().expect("a folder");
    let a = campaign(folder.path(), "a.db", &["--chip", "rtx2060", "--runs", "40"]);
    let b = campaign(folder.path(), "b.db", &["--chip", "gv100", "--runs", "30", "--seed", "2"]);
    let v = json(&["compare", &a, &b, "--raw-fit", "12nm", "--json", "-"]);
    let (one, two) = (
        json(&["report", &a, "--raw-fit", "12nm", "--json", "-"]),
        json(&["report", &b, "--raw-fit", "12nm", "--json", "-"]),
    );
    assert_eq!(v["differs"][0]["what"], "chip");
    let lines = v["matches"][0]["lines"].as_array().expect("lines");
    for (i, structure) in ["rf", "l2"].into_iter().enumerate() {
        assert_eq!(lines[i]["structure"], structure);
        let avf = &lines[i]["figures"][0];
        for (side, report) in [("a", &one), ("b", &two)] {
            let row = &report["rows"][i];
            for (key, theirs) in [("value", "avf"), ("low", "avf_low"), ("high", "avf_high")] {
                assert_eq!(avf[side][key], row[theirs], "{structure}");
            }
            assert_eq!(lines[i]["figures"][3][side]["value"], row["fit"]);
        }
        assert_eq!(avf["test"], "exact");
    }
    let chip = lines.last().expect("a sum");
    assert_eq!(
        (&chip["level"], &chip["figures"][0]["a"]),
        (&"chip".into(), &one["totals"][0]["avf"])
    );
    assert_eq!(v["tests"].as_u64(), Some(figures(&v).len() as u64));
    assert_eq!(v["matches"][0]["paired"], false);
}

/// The same faults twice, and shards of them in a folder: nothing differs, fault by fault.
#[test]
fn the_same_campaign_again_is_paired() {
    let folder = tempfile::tempdir().expect("a folder");
    let shards = folder.path().join("shards");
    std::fs::create_dir(&shards).expect("a folder");
    let plan = ["--chip", "rtx2060", "--runs", "30"];
    let a = campaign(folder.path(), "a.db", &plan);
    for shard in ["1/2", "2/2"] {
        let name = format!("{}.db", &shard[..1]);
        campaign(&shards, &name, &[&plan[..], &["--shard", shard]].concat());
    }
    let b = shards.to_str().expect("a path");
    let v = json(&["compare", &a, b, "--json", "-"]);
    assert_eq!(v["matches"][0]["paired"], true);
    assert_eq!(v["b"]["stores"].as_array().map(Vec::len), Some(2));
    for f in figures(&v) {
        assert_eq!(f["difference"]["value"], 0.0, "{f}");
        assert!(f["p"].is_null() || f["p"] == 1.0, "{f}");
    }
    let out = upset(&["compare", &a, b, "--fail-if-different"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    assert!(stdout(&out).contains("paired, the same faults in both"), "{}", stdout(&out));
    // So small a campaign is all in the first shard.
    let part = upset(&["compare", &a, shards.join("2.db").to_str().expect("a path")]);
    assert_eq!(code(&part), 2, "{}", stdout(&part));
    assert!(stderr(&part).contains("B has nothing"), "{}", stderr(&part));
}

/// 13 of 100 failures in the L2 of one chip and 1 of 100 in that of the other.
#[test]
fn a_difference_can_end_a_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let a = campaign(folder.path(), "a.db", &["--chip", "rtx2060", "--runs", "100"]);
    let b = campaign(folder.path(), "b.db", &["--chip", "gv100", "--runs", "100"]);
    let args = ["compare", &a, &b, "--quiet"];
    assert_eq!(code(&upset(&args)), 0);
    let out = upset(&[&args[..], &["--fail-if-different"]].concat());
    assert_eq!((code(&out), stdout(&out), stderr(&out)), (1, String::new(), String::new()));
}

#[test]
fn what_cannot_be_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let a = campaign(folder.path(), "a.db", &["--chip", "rtx2060", "--runs", "2"]);
    let b = campaign(folder.path(), "b.db", &["--chip", "gv100", "--bits", "3", "--runs", "2"]);
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let empty = empty.to_str().expect("a path");
    for (args, said) in [
        (vec!["compare", &a, &b], "nothing to compare: A has va (paper) on rtx2060, single bit"),
        (vec!["compare", &a, empty], "is a folder without a store"),
        (vec!["compare", &a, "no.db"], "no.db"),
        (vec!["compare", &a, &a, "--json", &a], "is what this command works on"),
        (vec!["compare", &a], "<B>"),
    ] {
        let out = upset(&args);
        assert_eq!((code(&out), stdout(&out).as_str()), (2, ""), "{args:?}");
        assert!(stderr(&out).contains(said), "{}", stderr(&out));
    }
}
