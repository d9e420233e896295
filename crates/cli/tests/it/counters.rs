//! Instructions that a real H200 counted for the CUDA programs
//! (`programs/counters.tsv`), beside the model's.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cuda_programs::sources;

/// Kernels whose counts differ, and why (docs/timing-hardware.md).
const DIFFER: [(&str, &[&str], &str); 10] = [
    ("apps/bfs", &["Kernel"], UNACCOUNTED),
    ("double_math", &["on_device"], UNACCOUNTED),
    ("separate_compilation", &["use"], UNACCOUNTED),
    ("recursion", &["recurse"], "threads at different depths of a recursion stay together longer"),
    ("atomics_integer", &["on_global", "on_shared"], TRIES),
    ("atomics_wide", &["on_global", "on_shared"], TRIES),
    ("grid_sync", &["rounds"], TRIES),
    ("block_barriers", &["phases", "maker", "leaving", "divided", "copied"], TRIES),
    ("device_printf", &["formats", "by_thread", "all"], OURS),
    ("device_malloc", &["build", "walk", "objects", "shared_piece", "greedy"], OURS),
];
/// Programs that may still wait for a recording (`programs/count.sh`).
const NEWER: [&str; 7] =
    ["apps/fft", "apps/gray", "apps/mmul", "apps/reduce", "apps/sobel", "apps/sort", "apps/tran"];
const UNACCOUNTED: &str = "the counter has threads that no instruction was executed by";
const TRIES: &str = "how often a loop tries again depends on when others come";
const OURS: &str = "device functions of the runtime are our own";

/// Launches, warp and thread instructions.
type Counts = [u64; 3];

/// The name without what it is in, template arguments and arguments.
fn short(kernel: &str) -> String {
    let kernel = kernel.replace("(anonymous namespace)::", "");
    let kernel = kernel.trim_start_matches("void ");
    let kernel = kernel.split(['<', '(']).next().unwrap_or_default();
    kernel.rsplit("::").next().unwrap_or_default().to_string()
}

fn recorded(program: &str) -> BTreeMap<String, Counts> {
    let text = std::fs::read_to_string(sources().join("counters.tsv")).expect("the recording");
    let of_program = |line: &str| {
        let [name, kernel, counts @ ..] = &line.split('\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        let counts: Vec<u64> = counts.iter().map(|n| n.parse().expect("a number")).collect();
        let counts = counts.try_into().expect("three numbers");
        (*name == program).then(|| (kernel.to_string(), counts))
    };
    text.lines().filter(|l| !l.starts_with('#')).filter_map(of_program).collect()
}

/// Compares a program's result on the h200 chip with the recording.
pub fn check(program: &str, result: &Value) {
    let mut ours: BTreeMap<String, Counts> = BTreeMap::new();
    for kernel in result["kernels"].as_array().expect("kernels") {
        let sums = ours.entry(short(kernel["demangled"].as_str().expect("a name"))).or_default();
        for (sum, field) in sums.iter_mut().zip(["launches", "warp_insts", "thread_insts"]) {
            *sum += kernel[field].as_u64().expect("a number");
        }
    }
    let mut theirs = recorded(program);
    if theirs.is_empty() && NEWER.contains(&program) {
        eprintln!("skipped: {program} has not been counted on hardware yet");
        return;
    }
    for (_, kernels, why) in DIFFER.iter().filter(|(name, ..)| *name == program) {
        for &kernel in *kernels {
            let (ours, theirs) = (ours.remove(kernel), theirs.remove(kernel));
            let launches = |counts: Option<Counts>| counts.expect("it ran")[0];
            assert_eq!(launches(ours), launches(theirs), "{kernel}");
            assert_ne!(ours, theirs, "{kernel} no longer differs: {why}");
        }
    }
    assert_eq!(ours, theirs, "launches, warp and thread instructions of {program}");
}
