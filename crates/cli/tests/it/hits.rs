//! The columns of a store that tell what was hit.

use std::path::Path;

use serde_json::{Value, json};

use crate::{code, stderr, stdout, upset};

const CHIP: [&str; 4] = ["--chip", "rtx2060", "--set", "sm.count=2"];

fn campaign(store: &Path, more: &[&str]) -> Vec<Value> {
    let store = store.to_str().expect("a path");
    let out = upset(&[&["campaign", "--quiet", "--out", store], &CHIP[..], more].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let out = upset(&["export", store, "--format", "json"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let all: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    all["experiments"].as_array().expect("experiments").clone()
}

/// What `upset inject` says of the first bit that a fault changes.
fn injected(app: &str, fault: &str) -> Value {
    let args = ["inject", app, "--fault", fault, "--json", "-", "--quiet"];
    let out = upset(&[&args[..], &CHIP[..]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let all: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    let hit = &all["hit"][0];
    let code = &hit["memory"]["memory"] == "code" && hit["line"]["valid"] == true;
    let instruction = match (&hit["holds"], code) {
        (Value::Null, true) => &hit["memory"],
        (Value::Null, false) => &hit["stands_at"],
        (holds, _) => holds,
    };
    let text = |v: &Value| if v.is_null() { json!("") } else { v.clone() };
    json!({
        "allocated": hit["allocated"],
        "kernel": text(&hit["kernel"]),
        "launch": hit["launch"],
        "function": text(&instruction["function"]),
        "instruction": instruction["offset"],
        "register": text(&hit["register"]),
        "cycle": hit["cycle"],
        "bits": all["hit"].as_array().expect("hits").len(),
    })
}

fn told(row: &Value) -> Value {
    let names =
        ["allocated", "kernel", "launch", "function", "instruction", "register", "cycle", "bits"];
    names.into_iter().map(|n| (n.to_string(), row["hit"][n].clone())).collect()
}

/// The digits of a name, as far as it has them.
fn digit(fault: &str, word: &str) -> Value {
    let first = fault.split(['@', '+']).next().expect("a site");
    let path = first.rsplit([' ', ':']).next().expect("a path");
    let found = path.split('.').find_map(|w| {
        let digits = w.strip_prefix(word)?;
        digits.split([',', '-']).next()?.parse::<u64>().ok()
    });
    json!(found)
}

fn compare(app: &str, rows: &[Value]) -> usize {
    let mut owned = 0;
    for row in rows {
        let fault = row["fault"].as_str().expect("a fault");
        assert_eq!(told(row), injected(app, fault), "{fault} {}", row["how"]);
        let names = ["sm", "slice", "set", "way", "lane", "warp", "bit"];
        for name in names.into_iter().filter(|_| !fault.contains('+')) {
            assert_eq!(row["hit"][name], digit(fault, name), "{name} of {fault}");
        }
        assert_eq!(row["hit"]["subcore"], digit(fault, "sub"), "{fault}");
        owned += usize::from(row["hit"]["allocated"] == true);
    }
    owned
}

#[test]
fn columns_tell_what_inject_tells_however_a_run_was_found_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let structures = "rf,pred,l1d,l1i.data,l2,l2.tag,ibuf,pc,mask,sb";
    let args = ["--app", "va", "--structure", structures, "--seed", "3"];
    let exact = campaign(&dir.path().join("exact.db"), &[&args[..], &["--runs", "2"]].concat());
    let owned = compare("va", &exact);
    assert!(owned > 1, "only {owned} of {} bits belong to anybody", exact.len());
    let naive = ["--runs", "2", "--exact", "off"];
    let naive = campaign(&dir.path().join("naive.db"), &[&args[..], &naive].concat());
    let hits = |rows: &[Value]| -> Vec<Value> { rows.iter().map(|r| r["hit"].clone()).collect() };
    assert_eq!(hits(&exact), hits(&naive));
}

#[test]
fn columns_of_bits_that_are_stuck_and_of_several_bits() {
    let dir = tempfile::tempdir().expect("a folder");
    let args = ["--app", "va", "--structure", "rf,l1d", "--runs", "2", "--bits", "3"];
    let flips = campaign(&dir.path().join("flips.db"), &args);
    let stuck =
        campaign(&dir.path().join("stuck.db"), &[&args[..], &["--model", "stuck1"]].concat());
    compare("va", &flips);
    compare("va", &stuck);
    assert!(flips.iter().all(|r| r["hit"]["bits"] == 3), "{flips:?}");
}

#[test]
fn columns_of_bits_that_threads_and_ctas_own() {
    let dir = tempfile::tempdir().expect("a folder");
    let args = ["--app", "sp", "--structure", "rf,smem", "--runs", "3", "--sampling", "active"];
    let rows = campaign(&dir.path().join("active.db"), &args);
    assert_eq!(compare("sp", &rows), rows.len());
    let of_rf = |r: &&Value| r["hit"]["structure"] == "rf";
    for row in rows.iter().filter(of_rf) {
        assert!(row["hit"]["register"].as_str().is_some_and(|r| r.starts_with('R')), "{row}");
        assert!(row["hit"]["instruction"].is_u64(), "{row}");
    }
}

/// Every crash is listed under a cause, and no cause has a number in it.
#[test]
fn causes_add_up() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("c.db");
    let args = ["--app", "va", "--structure", "rf,pc", "--runs", "150", "--sampling", "active"];
    let rows = campaign(&store, &args);
    let crashes = |class: &str| rows.iter().filter(|r| r["class"] == class).count() as u64;
    let out = upset(&["report", store.to_str().expect("a path"), "--json", "-"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let report: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    let causes = report["totals"][0]["causes"].as_array().expect("causes").clone();
    for class in ["crash", "timeout"] {
        let own = causes.iter().filter(|c| c["class"] == class);
        let sum: u64 = own.map(|c| c["runs"].as_u64().expect("a count")).sum();
        assert_eq!(sum, crashes(class), "{class}: {causes:?}");
    }
    assert!(crashes("crash") > 10, "{} crashes", crashes("crash"));
    let names: Vec<&str> = causes.iter().filter_map(|c| c["cause"].as_str()).collect();
    assert!(names.iter().any(|n| n.contains('#')), "{names:?}");
    assert!(names.iter().all(|n| !n.contains("0x")), "{names:?}");
}
