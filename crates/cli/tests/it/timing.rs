//! Runs with timing: what is printed, written and repeated.

use std::path::Path;

use serde_json::Value;
use upset_device::Reason;

use crate::{code, stderr, stdout, upset};

fn json(args: &[&str]) -> Value {
    let o = upset(&[args, &["--json", "-"]].concat());
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    serde_json::from_str(&stdout(&o)).expect("one JSON object")
}

/// The text with every number as `#` and without units: what remains does not
/// change when the model's numbers do.
fn outline(text: &str) -> String {
    const UNITS: [&str; 10] = ["%", "B", "KiB", "MiB", "GiB", "us", "ms", "s,", "k", "M"];
    let mut schedulers = false;
    let mut out = String::new();
    for line in text.lines() {
        schedulers = line.starts_with("SCHEDULER CYCLES") || schedulers && !line.is_empty();
        let words = line.split_whitespace().filter(|w| !UNITS.contains(w)).map(|w| {
            let number = w == "-" || w.starts_with(|c: char| c.is_ascii_digit());
            // Reasons are columns, the biggest first: which ones is no matter of form.
            match (number || w.len() == 32, schedulers && Reason::ALL.iter().any(|r| r.name() == w))
            {
                (true, _) => "#",
                (_, true) => "reason",
                _ => w,
            }
        });
        let mut words: Vec<&str> = words.collect();
        if schedulers {
            words.retain(|w| *w != "other");
            words.dedup();
        }
        out += &(words.join(" ") + "\n");
    }
    out
}

#[test]
fn a_timed_run_prints_cycles_occupancy_stalls_caches_and_dram() {
    let o = upset(&["run", "srad1", "--chip", "rtx2060"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let text = stdout(&o);
    for line in text.lines() {
        assert!(line.chars().count() <= 110, "{line}");
    }
    insta::assert_snapshot!(outline(&text));
}

#[test]
fn a_timed_run_as_json_has_the_documented_fields() {
    let v = json(&["run", "srad2", "--chip", "gv100"]);
    assert_eq!(v["mode"], "timing");
    assert_eq!(v["digest"].as_str().map(str::len), Some(32));
    assert!(v["simulated_s"].as_f64().is_some_and(|s| s > 0.0));
    let kernels = v["kernels"].as_array().expect("a list");
    let mut parts: Vec<&Value> = kernels.iter().collect();
    parts.push(&v["total"]);
    for k in parts {
        for field in ["launches", "ctas", "cycles", "warp_insts", "thread_insts", "sms_used"] {
            assert!(k[field].as_u64().is_some_and(|n| n > 0), "{field} in {k}");
        }
        for field in ["ipc", "thread_ipc", "mean_warps", "mean_threads", "mean_ctas"] {
            assert!(k[field].as_f64().is_some_and(|n| n > 0.0), "{field} in {k}");
        }
        let occupancy = k["occupancy"].as_f64().expect("a number");
        assert!(occupancy > 0.0 && occupancy <= 1.0, "{occupancy}");
        // Each scheduler issues or has a reason, in every cycle.
        let stalls = k["stalls"].as_object().expect("an object");
        assert_eq!(stalls.len(), Reason::ALL.len());
        let lost: u64 = stalls.values().filter_map(Value::as_u64).sum();
        let spent = lost + k["warp_insts"].as_u64().unwrap_or(0);
        assert_eq!(k["scheduler_cycles"].as_u64(), Some(spent));
        assert_eq!(Some(spent), k["cycles"].as_u64().map(|c| c * 80 * 4));
        for cache in ["l1d", "l1t", "l1c", "l1i", "l2"] {
            for field in ["reads", "hits", "misses", "merged"] {
                assert!(k[cache][field].is_u64(), "{cache}.{field} in {k}");
            }
        }
        assert!(k["dram"]["bytes"].is_u64() && k["dram"]["share_of_peak"].is_f64());
    }
    for sum in ["cycles", "warp_insts", "thread_insts", "launches", "ctas"] {
        let of_kernels: u64 = kernels.iter().filter_map(|k| k[sum].as_u64()).sum();
        assert_eq!(v["total"][sum].as_u64(), Some(of_kernels), "{sum}");
    }
}

#[test]
fn both_modes_copy_the_same_bytes_to_the_host() {
    let timed = json(&["run", "nw", "--chip", "rtx2060"]);
    let functional = json(&["run", "nw", "--chip", "rtx2060", "--functional"]);
    assert_eq!(timed["output_digest"], functional["output_digest"]);
    assert_eq!(timed["total"]["thread_insts"], functional["total"]["thread_insts"]);
    assert!(functional["total"]["cycles"].is_null());
}

#[test]
fn two_processes_give_one_digest() {
    let of = || json(&["run", "bfs", "--chip", "rtx2060"]);
    let (mut a, mut b) = (of(), of());
    for v in [&mut a, &mut b] {
        for measured in ["wall_s", "thread_insts_per_s", "cycles_per_s"] {
            v[measured] = Value::Null;
        }
    }
    assert_eq!(a, b);
    let other = json(&["run", "bfs", "--chip", "rtx2060", "--set", "sm.count=29"]);
    assert_ne!(a["digest"], other["digest"]);
    assert_eq!(a["output_digest"], other["output_digest"]);
}

/// Names of all fields, objects within objects included.
pub fn fields(v: &Value, into: &mut Vec<String>) {
    match v {
        Value::Object(map) => map.iter().for_each(|(name, v)| {
            into.push(name.clone());
            fields(v, into);
        }),
        Value::Array(list) => list.iter().for_each(|v| fields(v, into)),
        _ => {}
    }
}

#[test]
fn every_field_and_reason_is_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/running.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut all = Vec::new();
    fields(&json(&["run", "va", "--chip", "rtx2060"]), &mut all);
    all.sort();
    all.dedup();
    assert!(all.len() > 60, "{all:?}");
    for name in all {
        assert!(page.contains(&format!("`{name}`")), "{name} is not in docs/running.md");
    }
}

/// One bar of a trace.
struct Bar {
    cat: String,
    place: (u64, u64),
    from: u64,
    to: u64,
    launch: u64,
    cta: Option<u64>,
}

fn bars(file: &Path) -> Vec<Bar> {
    let text = std::fs::read_to_string(file).expect("the trace");
    let v: Value = serde_json::from_str(&text).expect("JSON");
    let number = |v: &Value| v.as_u64().expect("a number");
    let events = v["traceEvents"].as_array().expect("a list").iter();
    let bars = events.filter(|e| e["ph"] == "X").map(|e| Bar {
        cat: e["cat"].as_str().expect("a category").to_string(),
        place: (number(&e["pid"]), number(&e["tid"])),
        from: number(&e["ts"]),
        to: number(&e["ts"]) + number(&e["dur"]),
        launch: number(&e["args"]["launch"]),
        cta: e["args"]["cta"].as_u64(),
    });
    bars.collect()
}

#[test]
fn a_trace_is_json_and_its_spans_nest() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("trace.json");
    let args = ["run", "srad2", "--chip", "rtx2060", "--trace", &file.to_string_lossy()];
    let o = upset(&args);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let mut bars = bars(&file);
    let v = json(&["run", "srad2", "--chip", "rtx2060"]);
    let count = |cat: &str| bars.iter().filter(|b| b.cat == cat).count() as u64;
    assert_eq!(Some(count("kernel")), v["total"]["launches"].as_u64());
    assert_eq!(Some(count("cta")), v["total"]["ctas"].as_u64());
    assert!(count("warp") >= count("cta"));
    let end = bars.iter().map(|b| b.to).max();
    assert_eq!(end, v["total"]["cycles"].as_u64());
    for b in &bars {
        // A warp runs within its CTA on the same SM, a CTA within its kernel.
        let outer = match b.cat.as_str() {
            "warp" => "cta",
            "cta" => "kernel",
            _ => continue,
        };
        let inside = bars.iter().any(|o| {
            o.cat == outer
                && o.launch == b.launch
                && (outer == "kernel" || o.cta == b.cta && o.place.0 == b.place.0)
                && o.from <= b.from
                && b.to <= o.to
        });
        assert!(inside, "{} of launch {} at {}..{}", b.cat, b.launch, b.from, b.to);
    }
    // What shares a slot follows one another.
    bars.sort_by_key(|b| (b.place, b.from, b.to));
    for pair in bars.windows(2) {
        assert!(pair[0].place != pair[1].place || pair[0].to <= pair[1].from);
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_told_before_the_run() {
    let o = upset(&["run", "va", "--chip", "rtx2060", "--trace", "/no/such/folder/t.json"]);
    assert_eq!(code(&o), 2);
    assert_eq!(stdout(&o), "");
    assert!(stderr(&o).contains("cannot write /no/such/folder/t.json"), "{}", stderr(&o));
}
