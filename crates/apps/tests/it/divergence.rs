//! How the seven applications of the counter paper divide their warps, as
//! docs/applications.md tells.

use std::path::Path;

use upset_apps::{Scale, find};
use upset_chip::ChipSpec;
use upset_device::Device;

const SEVEN: [&str; 7] = ["fft", "gray", "mmul", "reduce", "sobel", "sort", "tran"];

/// A line of the page's table: instructions of warps, the part of their lanes
/// without an active thread, the same without threads that have ended, jumps
/// that divided threads, cycles.
fn line(id: &str, chip: &ChipSpec) -> String {
    let app = find(id).expect("an application of ours");
    let mut device = Device::timed(chip).expect("a device");
    app.run(&mut device, Scale::Paper, app.default_seed()).expect("it runs");
    let (_, warps, threads) = device.stats().total();
    let timing = device.stats().timing().expect("timing mode");
    let sm = &timing.cores.sm;
    let part = |lanes: u64| lanes as f64 / (32 * warps) as f64;
    let (inactive, divided) = (part(32 * warps - threads), part(sm.inactive_lanes));
    format!(
        "| `{id}` | {warps} | {inactive:.3} | {divided:.3} | {} | {} |",
        sm.diverged, timing.cycles
    )
}

#[test]
fn the_page_tells_how_warps_are_divided() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/applications.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let chip = ChipSpec::preset("flexgrip").expect("a chip of ours");
    let lines: Vec<String> = SEVEN.iter().map(|id| line(id, &chip)).collect();
    let missing: Vec<_> = lines.iter().filter(|line| !page.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "docs/applications.md lacks:\n{}", lines.join("\n"));
}

/// Where the kernel does not look at values, counts are the same for every
/// input; the bisections of `sort` do.
#[test]
fn only_sort_counts_otherwise_for_another_input() {
    let chip = ChipSpec::preset("flexgrip").expect("a chip of ours");
    let counts = |id: &str, seed| {
        let mut device = Device::new(&chip).expect("a device");
        find(id).expect("ours").run(&mut device, Scale::Paper, seed).expect("it runs");
        device.stats().total()
    };
    let vary: Vec<_> = SEVEN
        .into_iter()
        .filter(|id| (2..6).any(|seed| counts(id, 1) != counts(id, seed)))
        .collect();
    assert_eq!(vary, ["sort"]);
}
