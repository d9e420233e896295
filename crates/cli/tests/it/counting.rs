//! `upset run --counters`: files, tracks, programs, and the page about them.

use std::path::Path;

use serde_json::Value;
use upset_device::laws::{self, Kind, LAWS};
use upset_device::pmu::{COUNTERS, Counter, Depends, Reading};

use crate::cuda_programs::executable;
use crate::{code, stderr, stdout, upset};

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn readings(v: &Value) -> Vec<Reading> {
    serde_json::from_value(v["readings"].clone()).expect("readings")
}

/// The same run, with and without counters, and what was counted.
#[test]
fn counters_add_up_to_what_the_run_says_and_change_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let json = dir.path().join("run.json").to_string_lossy().into_owned();
    let file = dir.path().join("counters.json").to_string_lossy().into_owned();
    let plain = ["run", "hs", "--chip", "rtx2060", "--quiet", "--json", &json];
    assert_eq!(code(&upset(&plain)), 0);
    let without = read_json(Path::new(&json));
    let o = upset(&[&plain[..], &["--counters", &file, "--every", "500"]].concat());
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let with = read_json(Path::new(&json));
    assert_eq!(with["digest"], without["digest"]);
    let counted = read_json(Path::new(&file));
    assert_eq!((&counted["app"], &counted["chip"]), (&"hs".into(), &"rtx2060".into()));
    assert_eq!((&counted["scale"], &counted["mode"]), (&"small".into(), &"timing".into()));
    let readings = readings(&counted);
    let sum = |c| readings.iter().map(|r| r.total().get(c)).sum::<u64>();
    assert_eq!(with["total"]["warp_insts"], sum(Counter::WarpInsts));
    assert_eq!(with["total"]["thread_insts"], sum(Counter::ThreadInsts));
    assert_eq!(with["total"]["cycles"], readings.iter().map(|r| r.cycles).sum::<u64>());
    assert!(readings.iter().all(|r| laws::check(r).is_empty()));
    for r in &readings {
        assert_eq!(r.periods.len() as u64, r.cycles.div_ceil(500).max(1));
        assert!(r.periods.iter().all(|p| p.sms.len() == 30));
    }
}

#[test]
fn samples_are_equal_parts_and_a_table_has_them_as_rows() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("counters.csv").to_string_lossy().into_owned();
    let o = upset(&[
        "run",
        "pathf",
        "--chip",
        "rtx2060",
        "--set",
        "sm.count=2",
        "--quiet",
        "--counters",
        &file,
        "--samples",
        "10",
    ]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let text = std::fs::read_to_string(&file).expect("a file");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let names: Vec<&str> = COUNTERS.iter().map(|a| a.name).collect();
    assert_eq!(head[..7], ["launch", "kernel", "ended", "period", "from", "to", "sm"]);
    assert_eq!(head[7..], names);
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    let number = |row: &[&str], column: &str| -> u64 {
        let i = head.iter().position(|h| *h == column).expect("a column");
        row[i].parse().expect("a number")
    };
    let first: Vec<_> = rows.iter().filter(|row| row[0] == "0").collect();
    let cycles = first.iter().map(|row| number(row, "to")).max().expect("rows");
    let every = cycles.div_ceil(10);
    assert_eq!(first.len() as u64, 2 * cycles.div_ceil(every));
    for row in &first {
        let (from, to) = (number(row, "from"), number(row, "to"));
        assert_eq!(from, number(row, "period") * every);
        assert_eq!(to, (from + every).min(cycles));
        // A scheduler issues or waits.
        let spent: u64 = names
            .iter()
            .filter(|n| n.starts_with("stall_") || **n == "issue_cycles")
            .map(|n| number(row, n))
            .sum();
        assert_eq!(spent, 4 * (to - from));
    }
}

#[test]
fn counters_are_tracks_of_the_trace() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let (trace, file) = (path("trace.json"), path("counters.json"));
    let o = upset(&[
        "run",
        "va",
        "--chip",
        "rtx2060",
        "--set",
        "sm.count=1",
        "--quiet",
        "--trace",
        &trace,
        "--counters",
        &file,
        "--samples",
        "4",
    ]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let (trace, counted) = (read_json(Path::new(&trace)), read_json(Path::new(&file)));
    let reading = &readings(&counted)[0];
    let events = trace["traceEvents"].as_array().expect("events");
    let track: Vec<(u64, u64)> = events
        .iter()
        .filter(|e| e["ph"] == "C" && e["name"] == "warp_insts")
        .map(|e| {
            (e["ts"].as_u64().expect("a cycle"), e["args"]["value"].as_u64().expect("a value"))
        })
        .collect();
    let mut expected = Vec::new();
    let mut from = 0;
    for p in &reading.periods {
        expected.push((from, p.sms[0].get(Counter::WarpInsts)));
        from = p.to;
    }
    expected.push((reading.cycles, 0));
    assert_eq!(track, expected);
    assert!(!events.iter().any(|e| e["name"] == "inst_tensor"), "nothing moved there");
}

#[test]
fn programs_are_counted_as_applications_are() {
    let Some(program) = executable("vector_add") else { return };
    let program = program.to_string_lossy().into_owned();
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let (json, file, trace) = (path("run.json"), path("counters.json"), path("trace.json"));
    for (mode, when) in [
        (&["--samples", "10"][..], Some(10)),
        (&["--trace", &trace, "--every", "100"], None),
        (&["--functional"], None),
    ] {
        let args = ["run", "--chip", "rtx2060", "--quiet", "--json", &json, "--counters", &file];
        let o = upset(&[&args[..], mode, &["--", &program]].concat());
        assert_eq!(code(&o), 0, "{}", stderr(&o));
        let (ran, counted) = (read_json(Path::new(&json)), read_json(Path::new(&file)));
        assert_eq!(counted["program"], program);
        let readings = readings(&counted);
        let sum = |c| readings.iter().map(|r| r.total().get(c)).sum::<u64>();
        assert_eq!(ran["total"]["warp_insts"], sum(Counter::WarpInsts), "{mode:?}");
        assert!(readings.iter().all(|r| laws::check(r).is_empty()));
        assert!(readings.iter().enumerate().all(|(i, r)| r.launch == i as u64));
        if let Some(parts) = when {
            let of = |r: &Reading| r.cycles.div_ceil(r.cycles.div_ceil(parts));
            assert!(readings.iter().all(|r| r.periods.len() as u64 == of(r)));
        }
    }
    assert!(std::fs::read_to_string(&trace).expect("a trace").contains("\"ph\":\"C\""));
    // Its standard output is its own.
    let o = upset(&["run", "--chip", "rtx2060", "--counters", "-", "--", &program]);
    assert_eq!(code(&o), 2);
    assert!(stderr(&o).contains("the standard output is the program's: give --counters a file"));
}

#[test]
fn a_launch_that_traps_is_counted_up_to_there() {
    let Some(program) = executable("illegal_address") else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("counters.json").to_string_lossy().into_owned();
    let program = program.to_string_lossy().into_owned();
    let o = upset(&["run", "--chip", "rtx2060", "--quiet", "--counters", &file, "--", &program]);
    let readings = readings(&read_json(Path::new(&file)));
    let last = readings.last().unwrap_or_else(|| panic!("{}", stderr(&o)));
    assert!(!last.ended && laws::check(last).unended);
    assert!(last.total().get(Counter::WarpInsts) > 0);
}

#[test]
fn json_goes_to_standard_output() {
    let o = upset(&["run", "va", "--chip", "rtx2060", "--functional", "--counters", "-"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let v: Value = serde_json::from_str(&stdout(&o)).expect("one JSON object");
    assert_eq!(readings(&v)[0].kernel, "vectorAdd");
}

#[test]
fn bad_input_is_told_in_one_sentence() {
    for (args, said) in [
        (&["--counters", "x.txt"][..], "end its name in .csv or .json"),
        (&["--counters", "-", "--json", "-"], "cannot both go to standard output"),
        (&["--counters", "-", "--trace", "-"], "cannot both go to standard output"),
        (&["--every", "10"], "--counters <FILE>"),
        (&["--samples", "10"], "--counters <FILE>"),
        (&["--counters", "x.csv", "--every", "0"], "0 is not in 1.."),
        (&["--counters", "x.csv", "--samples", "0"], "0 is not in 1.."),
        (&["--counters", "x.csv", "--samples", "3", "--every", "3"], "cannot be used with"),
        (&["--counters", "x.csv", "--every", "9", "--functional"], "cannot be used with"),
        (&["--counters", "nosuch/x.csv"], "cannot write nosuch/x.csv"),
    ] {
        let o = upset(&[&["run", "va", "--chip", "rtx2060"], args].concat());
        assert_eq!(code(&o), 2, "{args:?}: {}", stderr(&o));
        assert!(stderr(&o).contains(said), "{args:?}: {}", stderr(&o));
    }
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("x.csv");
    let name = file.to_string_lossy().into_owned();
    let o = upset(&["run", "mm", "--chip", "hd7970", "--counters", &name]);
    assert_eq!(code(&o), 2);
    assert!(stderr(&o).contains("chip `hd7970` has no performance counters"), "{}", stderr(&o));
    assert!(!file.exists(), "nothing is left behind");
}

/// The page has a row for every counter and every law, as the tables say them.
#[test]
fn the_page_has_every_counter_and_law() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/counters.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let rows: Vec<&str> = page.lines().filter(|l| l.starts_with("| `")).collect();
    let mut expected = Vec::new();
    for about in COUNTERS {
        let depends = match about.depends {
            Depends::Launch => "launch",
            Depends::Work => "work",
            Depends::Time => "time",
        };
        let metric = about.metric.map_or(String::new(), |m| format!("`{m}`"));
        expected.push(format!("| `{}` | {} | {depends} | {metric} |", about.name, about.what));
    }
    for law in LAWS {
        let kind = match law.kind {
            Kind::Equal => "equal",
            Kind::Balance => "equal at the end",
            Kind::AtLeast => "at least",
        };
        expected.push(format!("| `{}` | {} | {kind} |", law.name, law.what));
    }
    for row in &expected {
        assert!(rows.contains(&row.trim_end()), "docs/counters.md lacks the row\n{row}");
    }
    assert_eq!(rows.len(), expected.len(), "rows that are no counter and no law");
}
