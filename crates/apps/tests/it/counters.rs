//! Instructions of the applications beside an H200's counters
//! `smsp__inst_executed` and `smsp__thread_inst_executed`: of whole applications
//! (`oracles/timing/sm_90.toml`) and of each kernel in several runs
//! (`oracles/counters/apps.sm_90.tsv`).

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use upset_apps::{Scale, built_in_for};
use upset_chip::Vendor;
use upset_device::Stats;

use crate::device;

const RECORDED: &str = include_str!("../../../../oracles/timing/sm_90.toml");
const COUNTED: &str = include_str!("../../../../oracles/counters/apps.sm_90.tsv");
/// What that file says before anybody has asked the hardware.
const NOT_YET: &str = "# Not recorded yet: oracles/counters/record.sh";

/// More than the hardware counted, of warps and of threads. The profiler's own
/// count by instruction is ours (docs/timing-hardware.md).
const DIFFER: [(&str, i64, i64); 1] = [("bfs", 0, -18)];
/// The application whose kernels may differ, and by how many at most in 10,000.
const KERNELS_DIFFER: (&str, u64) = ("bfs", 2);
/// Without times of an H200, so only in the second file.
const NOT_TIMED: [&str; 7] = ["fft", "gray", "mmul", "reduce", "sobel", "sort", "tran"];

#[derive(Deserialize)]
struct Recording {
    apps: BTreeMap<String, Application>,
}

#[derive(Deserialize)]
struct Application {
    instructions: u64,
    threads: u64,
}

fn stats(app: &dyn upset_apps::App, scale: Scale) -> Stats {
    let mut device = device("h200");
    app.run(&mut device, scale, app.default_seed()).expect("it runs");
    device.stats().clone()
}

#[test]
fn warp_and_thread_instructions_equal_the_hardwares_counters() {
    let recording: Recording = toml::from_str(RECORDED).expect("our own file");
    let (mut differ, mut not_timed) = (Vec::new(), Vec::new());
    for app in built_in_for(Vendor::Nvidia) {
        let Some(hardware) = recording.apps.get(&format!("{}.small", app.id())) else {
            not_timed.push(app.id());
            continue;
        };
        let (_, warps, threads) = stats(app, Scale::Small).total();
        let more = |ours: u64, theirs: u64| ours as i64 - theirs as i64;
        let more = (more(warps, hardware.instructions), more(threads, hardware.threads));
        if more != (0, 0) {
            differ.push((app.id(), more.0, more.1));
        }
    }
    assert_eq!(differ, DIFFER);
    assert_eq!(not_timed, NOT_TIMED);
}

/// Of a kernel: launches and runs, and the least and most of each metric.
#[derive(Default, Debug)]
struct Counted {
    launches: u64,
    runs: u64,
    metrics: BTreeMap<String, (u64, u64)>,
}

/// Application and scale, then kernels.
type AllCounted = BTreeMap<String, BTreeMap<String, Counted>>;

fn counted() -> AllCounted {
    let mut all = AllCounted::new();
    for line in COUNTED.lines().filter(|line| !line.starts_with('#')) {
        let [app, kernel, launches, runs, metric, least, most] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("seven columns");
        let number = |text: &str| text.parse().expect("a number");
        let kernel = all.entry(app.into()).or_default().entry(kernel.into()).or_default();
        (kernel.launches, kernel.runs) = (number(launches), number(runs));
        kernel.metrics.insert(metric.into(), (number(least), number(most)));
    }
    all
}

/// Compares all applications at one scale, once the hardware was asked.
fn kernels_are_equal(scale: Scale) {
    let counted = counted();
    if COUNTED.trim() == NOT_YET {
        assert!(counted.is_empty());
        eprintln!("skipped: {NOT_YET}");
        return;
    }
    let asked: BTreeSet<_> = counted.keys().cloned().collect();
    let ours = built_in_for(Vendor::Nvidia).map(|app| app.id());
    let all = ours.flat_map(|id| Scale::ALL.map(|scale| format!("{id}.{scale}"))).collect();
    assert_eq!(asked, all, "applications of the recording");
    for app in built_in_for(Vendor::Nvidia) {
        let hardware = &counted[&format!("{}.{scale}", app.id())];
        let stats = stats(app, scale);
        let names: BTreeSet<_> = stats.kernels.iter().map(|k| &k.name).collect();
        assert_eq!(names, hardware.keys().collect(), "{}", app.id());
        for kernel in &stats.kernels {
            let theirs = &hardware[&kernel.name];
            let what = format!("{}, {scale}, {}", app.id(), kernel.name);
            assert!(theirs.runs >= 10, "{what}: {} runs", theirs.runs);
            assert_eq!(kernel.launches, theirs.launches, "{what}: launches");
            let both = [
                ("smsp__inst_executed.sum", kernel.warp_insts),
                ("smsp__thread_inst_executed.sum", kernel.thread_insts),
            ];
            for (metric, ours) in both {
                let (least, most) = theirs.metrics[metric];
                if app.id() == KERNELS_DIFFER.0 {
                    let off = ours.abs_diff(least).max(ours.abs_diff(most));
                    assert!(off * 10_000 <= ours * KERNELS_DIFFER.1, "{what}, {metric}: {off}");
                } else {
                    assert_eq!((least, most), (ours, ours), "{what}, {metric}");
                }
            }
        }
    }
}

#[test]
fn each_kernel_has_the_hardwares_counts_at_small_scale() {
    kernels_are_equal(Scale::Small);
}

#[test]
fn each_kernel_has_the_hardwares_counts_at_paper_scale() {
    kernels_are_equal(Scale::Paper);
}

/// Which of the hardware's counters are the same in all runs: docs/in-field.md
/// tells of it.
#[test]
fn only_what_depends_on_time_varies_from_run_to_run() {
    let counted = counted();
    let of_kernels = || counted.values().flat_map(BTreeMap::values).flat_map(|k| &k.metrics);
    let all: BTreeSet<&str> = of_kernels().map(|(name, _)| name.as_str()).collect();
    let varies = of_kernels().filter(|(_, (least, most))| least != most);
    let varies: BTreeSet<&str> = varies.map(|(name, _)| name.as_str()).collect();
    let expected = [
        "sm__cycles_active.sum",
        "smsp__cycles_active.sum",
        "smsp__inst_issued.sum",
        "smsp__warps_active.sum",
    ];
    assert_eq!(varies, expected.into());
    assert_eq!(all.len() - varies.len(), 13);
}
