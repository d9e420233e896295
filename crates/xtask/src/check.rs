//! `cargo xtask check`: rules about the tree that no compiler checks.

use std::path::Path;

use crate::{Outcome, root};

/// What each crate may depend on, within the workspace. Dependencies point one
/// way only; a new edge is a decision, made here.
const EDGES: &[(&str, &[&str])] = &[
    ("state", &[]),
    ("lanes", &[]),
    ("gates", &[]),
    ("isa", &["lanes"]),
    ("sass", &["isa"]),
    ("gcn", &["lanes"]),
    ("emu", &["isa", "gcn", "lanes", "state"]),
    ("chip", &[]),
    ("mem", &["state", "chip"]),
    ("machine", &["state", "chip", "mem"]),
    ("compute", &["state", "isa", "chip", "mem", "machine"]),
    ("cu", &["state", "lanes", "gcn", "chip", "mem", "machine"]),
    ("device", &["isa", "sass", "gcn", "emu", "chip", "state", "mem", "machine", "compute", "cu"]),
    ("apps", &["chip", "device"]),
    ("quarantine", &["isa", "sass", "device", "apps", "burn"]),
    ("quarantine-orders", &[]),
    ("quarantine-preload", &["quarantine-orders"]),
    ("metrics", &[]),
    ("fault", &["state"]),
    ("trial", &["state", "chip", "fault", "device", "metrics"]),
    ("ace", &["isa", "lanes", "gcn", "state", "compute", "cu", "device"]),
    ("agent", &["chip", "device", "fork", "trial"]),
    ("ptx", &["sass"]),
    ("cudart", &["agent", "device", "ptx", "trial"]),
    ("launcher", &["agent", "chip", "cudart", "device", "ptx", "toolkit", "trial"]),
    ("jitlink", &[]),
    ("fork", &[]),
    ("toolkit", &[]),
    ("store", &["metrics"]),
    ("watch", &["isa", "machine", "metrics"]),
    ("burn", &["isa", "lanes", "chip", "device", "mem", "state", "sass"]),
    ("grade", &["state", "chip", "device", "fault", "trial", "metrics", "burn"]),
    ("realgpu", &["isa", "sass", "burn"]),
    ("realgpu-fake", &["chip", "device", "fault", "sass", "state"]),
    (
        "campaign",
        &[
            "state", "chip", "device", "apps", "launcher", "fault", "fork", "trial", "metrics",
            "store", "watch",
        ],
    ),
    ("report", &["state", "chip", "metrics", "store"]),
    ("serve", &["metrics", "store", "report"]),
    ("slurm", &["campaign", "report", "store"]),
    (
        "cli",
        &[
            "isa",
            "sass",
            "gcn",
            "chip",
            "device",
            "apps",
            "launcher",
            "state",
            "fault",
            "trial",
            "metrics",
            "store",
            "campaign",
            "report",
            "serve",
            "slurm",
            "ace",
            "toolkit",
            "watch",
            "burn",
            "grade",
            "realgpu",
            "quarantine",
            "quarantine-orders",
            "quarantine-preload",
            "jitlink",
        ],
    ),
    ("python", &["cli", "metrics", "report", "store"]),
    ("testkit", &["isa", "lanes", "sass", "gcn", "chip", "device", "state"]),
    (
        "xtask",
        &[
            "isa", "sass", "chip", "device", "apps", "testkit", "state", "fault", "trial",
            "metrics", "toolkit", "gates", "report", "fork",
        ],
    ),
];

/// Files that may look at an operation's name: they print it, or take it for
/// what it is, its identity. Who wants to know a property adds a column to
/// `OpDef`.
const NAMES_PRINTED: &[&str] = &[
    "compute/src/digest.rs",
    "isa/src/warp/access.rs",
    "isa/src/warp/evaluate.rs",
    "realgpu/src/cuda/jit.rs",
    "sass/src/decode.rs",
    "sass/src/disasm.rs",
    "sass/src/kepler/decode.rs",
    "sass/src/kepler/disasm.rs",
    "sass/src/kepler/table/tests.rs",
    "sass/src/table/tests.rs",
    // Picks operands worth trying by what the text says.
    "testkit/src/probe.rs",
    "xtask/src/check.rs",
];

/// Runs the command.
pub fn command() -> Outcome<()> {
    let crates = root().join("crates");
    let mut wrong = Vec::new();
    let mut names: Vec<String> = std::fs::read_dir(&crates)
        .map_err(|e| format!("cannot list {}: {e}", crates.display()))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    for name in &names {
        match EDGES.iter().find(|(n, _)| n == name) {
            None => wrong.push(format!("crate {name} is not listed in crates/xtask/src/check.rs")),
            Some((_, allowed)) => dependencies(&crates.join(name), name, allowed, &mut wrong)?,
        }
    }
    wrong.extend(crate::kinds::check(&crates)?);
    wrong.extend(crate::circles::check(&crates)?);
    for name in &names {
        mnemonics(&crates, &crates.join(name).join("src"), &mut wrong)?;
    }
    if wrong.is_empty() {
        println!("{} crates depend on each other as designed", names.len());
        println!("kinds of arrays are listed in one place");
        println!("files import each other in one direction, but for circles with a reason");
        println!("nothing is read out of a mnemonic");
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// Finds sources that look at an operation's name.
fn mnemonics(crates: &Path, dir: &Path, wrong: &mut Vec<String>) -> Outcome<()> {
    let told = |e: std::io::Error| format!("cannot read {}: {e}", dir.display());
    for entry in std::fs::read_dir(dir).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.is_dir() {
            mnemonics(crates, &path, wrong)?;
            continue;
        }
        let file = path.strip_prefix(crates).unwrap_or(&path).display().to_string();
        let source = path.extension().is_some_and(|e| e == "rs");
        if !source || NAMES_PRINTED.contains(&file.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(told)?;
        for (i, _) in text.lines().enumerate().filter(|(_, line)| line.contains("op.name")) {
            wrong.push(format!(
                "crates/{file}:{}: reads a mnemonic; make what it says a column of OpDef",
                i + 1
            ));
        }
    }
    Ok(())
}

fn dependencies(dir: &Path, name: &str, allowed: &[&str], wrong: &mut Vec<String>) -> Outcome<()> {
    let file = dir.join("Cargo.toml");
    let text = std::fs::read_to_string(&file)
        .map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        // Tests may use what they like.
        if section != "[dependencies]" {
            continue;
        }
        let Some(dependency) = line.strip_prefix("upset-") else { continue };
        let dependency = dependency.split(['.', ' ', '=']).next().unwrap_or_default();
        if !allowed.contains(&dependency) {
            wrong.push(format!(
                "crate {name} depends on {dependency}: not among [{}]",
                allowed.join(", ")
            ));
        }
    }
    Ok(())
}
