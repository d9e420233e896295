//! Instructions of the applications beside an H200's counters
//! `smsp__inst_executed` and `smsp__thread_inst_executed`
//! (`oracles/timing/sm_90.toml`).

use std::collections::BTreeMap;

use serde::Deserialize;
use upset_apps::{Scale, built_in_for};
use upset_chip::Vendor;

use crate::device;

const RECORDED: &str = include_str!("../../../../oracles/timing/sm_90.toml");

/// More than the hardware counted, of warps and of threads. The profiler's own
/// count by instruction is ours (docs/timing-hardware.md).
const DIFFER: [(&str, i64, i64); 1] = [("bfs", 0, -18)];

#[derive(Deserialize)]
struct Recording {
    apps: BTreeMap<String, Application>,
}

#[derive(Deserialize)]
struct Application {
    instructions: u64,
    threads: u64,
}

#[test]
fn warp_and_thread_instructions_equal_the_hardwares_counters() {
    let recording: Recording = toml::from_str(RECORDED).expect("our own file");
    let mut differ = Vec::new();
    for app in built_in_for(Vendor::Nvidia) {
        let hardware = &recording.apps[&format!("{}.small", app.id())];
        let mut device = device("h200");
        app.run(&mut device, Scale::Small, app.default_seed()).expect("it runs");
        let (_, warps, threads) = device.stats().total();
        let more = |ours: u64, theirs: u64| ours as i64 - theirs as i64;
        let more = (more(warps, hardware.instructions), more(threads, hardware.threads));
        if more != (0, 0) {
            differ.push((app.id(), more.0, more.1));
        }
    }
    assert_eq!(differ, DIFFER);
}
