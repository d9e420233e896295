//! Programs whose faulty runs are followed and end early: whatever way they see
//! what kernels wrote, and whatever they are told of time, every row is that of
//! a run from the start.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cuda_programs::executable;
use crate::program_campaigns::{Place, text};

/// Rows of a program, exact and naive, but for how they were found out.
fn both_ways(program: &str, flags: &[&str]) -> Option<(Vec<Value>, BTreeSet<String>)> {
    let path = executable(program)?;
    let place = Place::new();
    let run = |exact: &str| {
        let flags = [flags, &["--kernel", "app", "--sampling", "active"]].concat();
        let flags = [&flags[..], &["--exact", exact]].concat();
        let store = format!("{exact}.db");
        place.campaign(&store, &flags, &[text(&path)]);
        place.experiments(&store)
    };
    let mut rows = run("on");
    let how = rows.iter().filter_map(|row| row["how"].as_str().map(String::from)).collect();
    let mut naive = run("off");
    for row in rows.iter_mut().chain(&mut naive) {
        row["how"] = Value::Null;
        row["reached"] = Value::Null;
    }
    assert_eq!(rows, naive, "{program}");
    place.nothing_is_left();
    Some((rows, how))
}

fn count(rows: &[Value], class: &str) -> usize {
    rows.iter().filter(|row| row["class"] == class).count()
}

/// What a kernel wrote comes back after the launch, without a copy.
#[test]
fn wrong_bytes_of_managed_memory_are_seen_by_the_host() {
    let flags = ["--structure", "rf", "--runs", "60"];
    let Some((rows, _)) = both_ways("managed_memory", &flags) else { return };
    assert!(count(&rows, "sdc") > 0 && count(&rows, "crash") > 0);
}

/// Records that kernels leave for the host are what is compared.
#[test]
fn wrong_messages_of_device_code_are_seen_by_the_host() {
    let flags = ["--structure", "rf", "--runs", "60", "--compare", "stdout"];
    let Some((rows, how)) = both_ways("device_printf", &flags) else { return };
    assert!(count(&rows, "crash") > 0 && how.contains("followed"), "{how:?}");
}

/// Copies within the device, from arrays, and to constants and back.
#[test]
fn wrong_bytes_are_seen_through_copies_of_every_kind() {
    let flags = ["--structure", "rf", "--runs", "40"];
    for program in ["async_copies", "constant_memory", "graph_capture", "surfaces"] {
        let Some((rows, _)) = both_ways(program, &flags) else { return };
        assert!(count(&rows, "sdc") + count(&rows, "crash") > 0, "{program}");
    }
}

/// Bytes that pass the registers by on their way to shared memory, and the barriers
/// that count them.
#[test]
fn wrong_bytes_of_copies_to_shared_memory_are_seen_after_them() {
    let chip = ["--chip", "h200", "--set", "sm.count=2"];
    let flags = [&chip[..], &["--structure", "rf,smem", "--runs", "15", "--bits", "1,3"]].concat();
    let mut how = BTreeSet::new();
    for program in ["copies_to_shared", "block_barriers"] {
        let Some((rows, ways)) = both_ways(program, &flags) else { return };
        assert!(count(&rows, "sdc") > 0, "{program}");
        how.extend(ways);
    }
    assert!(how.contains("followed"), "{how:?}");
}

/// Control bits cost cycles that a run makes up for, or does not.
#[test]
fn runs_that_become_the_fault_free_one_again_end_alike() {
    let flags = ["--structure", "ibuf,mask,sb,l2.tag", "--runs", "20"];
    let mut how = BTreeSet::new();
    for program in ["async_copies", "managed_memory"] {
        let Some((_, ways)) = both_ways(program, &flags) else { return };
        how.extend(ways);
    }
    assert!(how.contains("converged"), "{how:?}");
}

/// A program that asks for the time between events can tell that a run is late,
/// and so can one that has recorded an event since.
#[test]
fn a_program_that_is_told_the_time_is_not_ended_when_it_is_late() {
    let flags = ["--structure", "rf,ibuf,sb", "--runs", "30", "--compare", "stdout"];
    let Some((rows, how)) = both_ways("events", &flags) else { return };
    assert!(count(&rows, "performance") > 0 && !how.contains("converged later"), "{how:?}");
}
