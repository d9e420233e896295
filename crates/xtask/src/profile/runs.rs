//! What is counted: runs without faults above all, which everything begins with, on
//! chips of every kind, and walks of campaigns.

/// Built-in applications that differ in what they wait for: memory, units, barriers,
/// each other.
const NVIDIA: [&str; 8] = ["bfs", "srad2", "hs", "nw", "km", "lud", "sp", "bp"];
const AMD: [&str; 7] = ["rg", "mm", "his", "red", "bits", "fw", "urng"];

/// Chips, applications and structures to break.
const CAMPAIGNS: [(&str, &str, &str); 4] = [
    ("titan", "srad2", "rf,l2,l1i"),
    ("rtx2060", "bfs", "rf,l1d,l2"),
    ("rtx2060", "hs", "rf,smem,l2"),
    ("hd7970", "mm", "vrf,srf,l2"),
];

/// All runs, as words for `upset`.
pub fn all() -> Vec<String> {
    let mut runs = Vec::new();
    let alone = "--threads 1";
    for chip in ["titan", "rtx2060", "gv100"] {
        runs.extend(NVIDIA.map(|app| run(chip, app, alone)));
    }
    runs.extend(["bfs", "srad2", "mmul", "ge"].map(|app| run("h200", app, alone)));
    runs.extend(AMD.map(|app| run("hd7970", app, alone)));
    for (chip, app) in [("rtx2060", "bfs"), ("titan", "srad2"), ("hd7970", "mm")] {
        runs.push(run(chip, app, "--threads 2"));
    }
    for (chip, app) in [("titan", "srad2"), ("rtx2060", "bfs"), ("gv100", "nw"), ("hd7970", "mm")] {
        runs.push(run(chip, app, "--functional"));
    }
    // Experiments end in processes that write no counts: what is counted is the walk.
    for (chip, app, structures) in CAMPAIGNS {
        runs.push(format!(
            "campaign --chip {chip} --app {app} --scale paper --structure {structures} --runs 20 \
             --jobs 2 -q"
        ));
    }
    runs
}

fn run(chip: &str, app: &str, how: &str) -> String {
    format!("run --chip {chip} {app} --scale paper -q {how}")
}
