//! Faults in GTX Titan: structures that other chips lack, by name, in campaigns, in
//! analyses and on pages.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

/// What a chip with a divergence stack has of its own, a bit of each.
const OWN: [&str; 5] = [
    "stack:sm0.warp0.entry0.bit40",
    "sdepth:sm0.warp0.entries.bit0",
    "tstate:sm0.warp0.broke.bit5",
    "cc:sm0.warp0.carry.bit5",
    "pc:sm0.warp0.shared.bit3",
];
const NAMES: &str = "rf,pred,cc,smem,ibuf,pc,mask,stack,sdepth,tstate,bar,l1t,l1c,l1i,l2";

fn json(args: &[&str]) -> Value {
    let o = upset(&[args, &["--json", "-"]].concat());
    assert_eq!(code(&o), 0, "{args:?}: {}", stderr(&o));
    serde_json::from_str(&stdout(&o)).expect("JSON")
}

#[test]
fn its_own_structures_are_hit_by_name() {
    for site in OWN {
        for fault in [format!("{site}@400"), format!("stuck1 {site}@400..900")] {
            let told = json(&["inject", "hs", "--chip", "titan", "--fault", &fault]);
            assert_eq!(told["fault"], fault, "a name is printed as it was given");
            assert_eq!(told["hit"][0]["site"], site);
            assert!(told["class"].is_string(), "{fault}");
        }
        let text = upset(&["inject", "hs", "--chip", "titan", "--fault", &format!("{site}@400")]);
        assert!(stdout(&text).contains("warp 0 in CTA (0,0,0)"), "{}", stdout(&text));
    }
    // What is beyond the last entry is told.
    let o =
        upset(&["inject", "hs", "--chip", "titan", "--fault", "stack:sm0.warp0.entry16.bit0@1"]);
    assert_eq!(code(&o), 2, "{}", stderr(&o));
}

#[test]
fn shortcuts_find_what_naive_runs_find_and_the_page_shows_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a path").to_string();
    let (store, page) = (path("titan.db"), path("titan.html"));
    let o = upset(&[
        "campaign",
        "--app",
        "pathf,lud",
        "--chip",
        "titan",
        "--sms",
        "used",
        "--structure",
        NAMES,
        "--bits",
        "1,3",
        "--runs",
        "3",
        "--seed",
        "35",
        "--quiet",
        "--out",
        &store,
    ]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let o = upset(&["verify", &store, "-q"]);
    assert_eq!(code(&o), 0, "{}{}", stdout(&o), stderr(&o));
    assert!(stdout(&o).contains(": 0 differ"), "{}", stdout(&o));
    let told = json(&["report", &store, "--raw-fit", "chip", "--html", &page]);
    assert_eq!(told["raw_fit"]["per_bit"], 1.2e-5);
    let rows = told["rows"].as_array().expect("rows");
    let page = std::fs::read_to_string(&page).expect("a page");
    for name in NAMES.split(',') {
        assert!(rows.iter().any(|r| r["structure"] == name && r["complete"] == true), "{name}");
        assert!(page.contains(&format!("</span>{name}</th>")), "{name} has no column");
    }
}

/// Wrong values that pass through the condition codes, as every sum of 64 bits does, and
/// accesses that go elsewhere are followed; what comes of it is what naive runs find.
#[test]
fn what_goes_through_condition_codes_is_followed() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("codes.db");
    let store = store.to_str().expect("a path");
    let what = ["--app", "srad1,hs", "--chip", "titan", "--structure", "rf,pred,smem"];
    let counts = ["--sampling", "active", "--runs", "12", "--seed", "11", "-q", "--out", store];
    let o = upset(&[&["campaign"], &what[..], &counts].concat());
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let o = upset(&["verify", store, "-q"]);
    let text = stdout(&o);
    assert_eq!(code(&o), 0, "{text}{}", stderr(&o));
    assert!(text.contains(" followed, ") && text.contains(": 0 differ"), "{text}");
}

#[test]
fn chips_of_several_technologies_have_each_its_raw_fit() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("two.db");
    let store = store.to_str().expect("a path");
    let o = upset(&[
        "campaign",
        "--app",
        "va",
        "--chip",
        "rtx2060,titan",
        "--structure",
        "rf",
        "--runs",
        "20",
        "--quiet",
        "--out",
        store,
    ]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let told = json(&["report", store, "--raw-fit", "chip"]);
    let total = |chip: &str| {
        let totals = told["totals"].as_array().expect("totals");
        totals.iter().find(|t| t["chip"] == chip).expect("a chip")["structures"][0].clone()
    };
    for (chip, raw) in [("rtx2060", 1.8e-6), ("titan", 1.2e-5)] {
        assert_eq!(told["raw_fit"]["by_chip"][chip]["per_bit"], raw);
        let number = |key: &str, end: &str| total(chip)[key][end].as_f64().expect("a number");
        let bits = total(chip)["bits"].as_f64().expect("bits");
        let fit = number("avf", "high") * raw * bits;
        assert!((number("fit", "high") - fit).abs() < 1e-9 * fit, "{chip}");
    }
    let text = stdout(&upset(&["report", store, "--raw-fit", "chip"]));
    assert_eq!(text.matches("raw FIT per bit").count(), 2, "{text}");
}

#[test]
fn lifetimes_are_known_on_it() {
    let bounds = json(&["ace", "pathf", "--chip", "titan"]);
    let rows = bounds["rows"].as_array().expect("rows");
    for name in ["rf", "smem", "l2"] {
        let own = rows.iter().find(|r| r["structure"] == name && r["kernel"].is_null());
        let own = own.unwrap_or_else(|| panic!("{name} is not analysed"));
        let share = |key: &str| own[key].as_f64().expect("a number");
        assert!(0.0 < share("avf_refined") && share("avf_refined") <= share("avf"), "{name}");
    }
    // Injection stays below the bound.
    let exact = json(&[
        "exhaustive",
        "va",
        "--chip",
        "titan",
        "--structure",
        "pred",
        "--set",
        "sm.count=1",
        "-q",
    ]);
    let row = &exact["rows"][0];
    assert!(row["bit_cycles"].as_u64().is_some_and(|n| n > 0), "{row}");
    assert_eq!((&row["tool_error"], &row["crash"]), (&Value::from(0), &Value::from(0)), "{row}");
}
