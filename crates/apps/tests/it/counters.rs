//! Warp instructions of the applications beside an H200's counter
//! `smsp__inst_executed` (`oracles/timing/sm_90.toml`).

use std::collections::BTreeMap;

use serde::Deserialize;
use upset_apps::{Scale, built_in};

use crate::device;

const RECORDED: &str = include_str!("../../../../oracles/timing/sm_90.toml");

/// Applications whose kernels are newer than the recording.
const NEWER: [&str; 2] = ["bp", "srad2"];

#[derive(Deserialize)]
struct Recording {
    apps: BTreeMap<String, Application>,
}

#[derive(Deserialize)]
struct Application {
    instructions: u64,
}

#[test]
fn warp_instructions_equal_the_hardware_counter() {
    let recording: Recording = toml::from_str(RECORDED).expect("our own file");
    let mut differ = Vec::new();
    for app in built_in().iter().filter(|a| !NEWER.contains(&a.id())) {
        let name = format!("{}.small", app.id());
        let hardware = recording.apps[&name].instructions;
        let mut device = device("h200");
        app.run(&mut device, Scale::Small, app.default_seed()).expect("it runs");
        let (_, warps, _) = device.stats().total();
        if warps != hardware {
            differ.push((app.id().to_string(), warps as i64 - hardware as i64));
        }
    }
    assert_eq!(differ, []);
}
