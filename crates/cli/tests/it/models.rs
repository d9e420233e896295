//! Bits that misbehave when they are used, and columns: through the program.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

const ROWS: &str = "pattern,times\n1,5\n0x80000000,3\nzero,1\n";
const CHIP: [&str; 8] =
    ["--app", "lud", "--chip", "rtx2060", "--set", "sm.count=2", "--kernel", "app"];

fn campaign(store: &str, more: &[&str]) {
    let out = upset(&[&["campaign", "--out", store, "--quiet"][..], &CHIP[..], more].concat());
    assert_eq!(code(&out), 0, "{more:?}: {}", stderr(&out));
}

/// Experiments of a store, as JSON.
fn rows(store: &str) -> Vec<Value> {
    let out = upset(&["export", store, "--format", "json"]);
    let all: Value = serde_json::from_str(&stdout(&out)).expect("one object");
    all["experiments"].as_array().expect("a list").clone()
}

#[test]
fn campaigns_of_every_model_are_what_the_naive_runs_give() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a path").to_string();
    let file = path("seen.csv");
    std::fs::write(&file, ROWS).expect("written");
    let seen = format!("syndrome:{file}:rate=0.5");
    for (i, (model, front)) in [
        ("invert", "invert "),
        ("invert:300", "invert "),
        ("stuck1:rate=0.5", "stuck1(rate=0.5,seed="),
        ("stuck:rate=0.25:9000", "stuck"),
        ("invert:rate=0.01", "invert(rate=0.01,seed="),
        ("syndrome:units", "syndrome(units,seed="),
        (seen.as_str(), "syndrome(1=5/0x80000000=3/zero=1,rate=0.5,seed="),
    ]
    .into_iter()
    .enumerate()
    {
        let store = path(&format!("{i}.db"));
        let bits = if model.starts_with("syndrome") { "32" } else { "1" };
        let how = ["--structure", "rf,smem", "--bits", bits, "--sampling", "active"];
        campaign(&store, &[&how[..], &["--model", model, "--runs", "12"]].concat());
        let rows = rows(&store);
        assert_eq!(rows.len(), 24, "{model}");
        let changes = rows.iter().filter(|r| r["class"] != "masked").count();
        assert!(changes > 0, "{model}: nothing is ever wrong");
        for row in &rows {
            let fault = row["fault"].as_str().expect("a name");
            assert!(fault.starts_with(front), "{model}: {fault}");
            // None of these is known without its run.
            let how = row["how"].as_str().unwrap_or_default();
            assert!(how == "simulated" || how.starts_with("converged"), "{model}: {how}");
        }
        // The store needs no file beside it.
        if model.contains(&file) {
            std::fs::remove_file(&file).expect("it was there");
        }
        let out = upset(&["verify", &store, "--quiet"]);
        let text = stdout(&out);
        assert!(code(&out) == 0 && text.contains("24 experiments"), "{text}{}", stderr(&out));
        assert!(text.contains(": 0 differ"), "{model}: {text}");
    }
}

#[test]
fn columns_are_a_bit_of_every_row() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("columns.db");
    let store = store.to_str().expect("a path");
    let what = ["--structure", "mask,rf", "--spread", "column", "--model", "stuck0", "--runs", "6"];
    campaign(store, &what);
    for row in rows(store) {
        let fault = row["fault"].as_str().expect("a name");
        assert!(fault.contains(".warp*.") || fault.contains(".row*."), "{fault}");
    }
    let out = upset(&["verify", store, "--quiet"]);
    assert!(stdout(&out).contains(": 0 differ"), "{}{}", stdout(&out), stderr(&out));
    // Control state sticks in the cycles that are drawn.
    let rate = dir.path().join("rate.db");
    let rate = rate.to_str().expect("a path");
    campaign(
        rate,
        &[
            "--structure",
            "mask",
            "--spread",
            "column",
            "--model",
            "stuck0:rate=0.02",
            "--runs",
            "6",
        ],
    );
    let out = upset(&["verify", rate, "--quiet"]);
    assert!(stdout(&out).contains(": 0 differ"), "{}{}", stdout(&out), stderr(&out));
    assert!(rows(rate).iter().any(|r| r["class"] != "masked"));
    let out = upset(&["report", store]);
    assert!(stdout(&out).contains("a column of bits, stuck0"), "{}", stdout(&out));
}

/// Result latches: every model, conditions on operands included.
#[test]
fn wires_are_broken_in_every_way() {
    let dir = tempfile::tempdir().expect("a folder");
    for (i, (model, bits)) in [
        ("flip", "1"),
        ("invert", "1"),
        ("stuck:rate=0.1", "1"),
        ("stuck1:if=a&0x1=0x1", "1"),
        ("syndrome:units:rate=0.2", "32"),
    ]
    .into_iter()
    .enumerate()
    {
        let store = dir.path().join(format!("{i}.db"));
        let store = store.to_str().expect("a path");
        let what = ["--structure", "fma,alu", "--bits", bits, "--model", model, "--runs", "8"];
        campaign(store, &what);
        let rows = rows(store);
        assert_eq!(rows.len(), 16, "{model}");
        assert!(model == "flip" || rows.iter().any(|r| r["class"] != "masked"), "{model}");
        let out = upset(&["verify", store, "--quiet"]);
        let text = stdout(&out);
        assert!(text.contains("16 experiments") && text.contains(": 0 differ"), "{model}: {text}");
    }
    // A condition that is never met is no fault; one that is always met is a stuck bit.
    let class = |fault: &str| {
        let args = ["inject", "lud", "--chip", "rtx2060", "--set", "sm.count=2", "--fault", fault];
        let out = upset(&[&args[..], &["--json", "-"]].concat());
        let o: Value =
            serde_json::from_str(&stdout(&out)).unwrap_or_else(|_| panic!("{}", stderr(&out)));
        (o["class"].clone(), o["output_digest"].clone(), o["cycles"].clone())
    };
    let site = "fma:sm0.sub0.lane3.bit30@0..";
    let stuck = class(&format!("stuck1 {site}"));
    assert_ne!(stuck.0, "masked");
    assert_eq!(class(&format!("stuck1(rate=1,seed=3) {site}")), stuck);
    // Uses are divided between the two.
    let even = class(&format!("stuck1(if a&0x1=0x0) {site}"));
    let odd = class(&format!("stuck1(if a&0x1=0x1) {site}"));
    assert_ne!(even, odd);
    assert_eq!(class(&format!("stuck1(if a=0x12345678) {site}")).0, "masked");
}

/// One fault by its name: told twice alike, and the store's name replays it.
#[test]
fn a_misbehaving_bit_is_explained() {
    let fault = "invert(rate=0.5,seed=3) rf:sm0.sub0.row0-7.lane*.bit3@0..";
    let args = ["inject", "lud", "--chip", "rtx2060", "--set", "sm.count=2", "--fault", fault];
    let text = || {
        let out = upset(&args);
        assert_eq!(code(&out), 0, "{}", stderr(&out));
        stdout(&out)
    };
    let told = text();
    assert_eq!(told, text());
    assert!(told.contains("from now on inverted at 50 % of its writes (seed 3)"), "{told}");
    assert!(told.contains("written wrong: stored"), "{told}");
}

#[test]
fn what_makes_no_sense_is_refused_in_a_sentence() {
    for (fault, why) in [
        ("invert mask:sm0.warp0.active.bit1@5..", "thread masks are control state"),
        ("stuck1(if a=1) rf:sm0.sub0.row0.lane0.bit0@5..", "rf has no operands"),
        ("stuck1(rate=2) rf:sm0.sub0.row0.lane0.bit0@5..", "the rate `2` must be"),
        ("syndrome(x.toml) rf:sm0.sub0.row0.lane0.bit*@5..", "x.toml: cannot be read"),
        ("invert rf:sm0.sub0.row0.lane0.bit0@5", "write @5..END"),
    ] {
        let out = upset(&["inject", "lud", "--chip", "rtx2060", "--fault", fault]);
        let said = stderr(&out);
        assert_eq!(code(&out), 2, "{fault}: {said}");
        assert!(said.contains(why), "{fault}: {said}");
    }
    for (model, why) in [
        ("syndrome:uints", "is no fault model; write flip;"),
        ("stuck1:rate=7", "is no fault model; write flip;"),
        ("invert:if=a=1", "rf has no operands"),
    ] {
        let more = ["--structure", "rf", "--model", model, "--runs", "1", "--out", "never.db"];
        let out = upset(&[&["campaign", "--quiet"][..], &CHIP[..], &more[..]].concat());
        let said = stderr(&out);
        assert_eq!(code(&out), 2, "{model}: {said}");
        assert!(said.contains(why), "{model}: {said}");
    }
}
