//! Lets the released `upset` carry the libraries that programs load, so that
//! `cargo install`, which installs nothing but programs, gives one that runs them;
//! and lets it tell the commit that it was built from.
//!
//! Cargo builds them as dependencies of this crate's program and before it, but
//! names the files to nobody: they lie in `deps`, three folders above this
//! script's own.

use std::env;
use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::process::Command;

/// The variable that names each to `src/carried.rs`.
const LIBRARIES: [(&str, &str); 2] = [
    ("UPSET_CARRIED_CUDART", "libupset_cudart.so"),
    ("UPSET_CARRIED_PRELOAD", "libupset_quarantine_preload.so"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(carries_library)");
    println!("cargo::rerun-if-env-changed=UPSET_COMMIT");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let profile = env::var("PROFILE").unwrap_or_default();
    println!("cargo::rustc-env=UPSET_PROFILE={profile}");
    println!("cargo::rustc-env=UPSET_TARGET={}", env::var("TARGET").unwrap_or_default());
    let parquet = env::var_os("CARGO_FEATURE_PARQUET").is_some();
    println!("cargo::rustc-env=UPSET_FEATURES={}", if parquet { "parquet" } else { "none" });
    // Builds for tests are not made anew for every commit.
    let commit = commit(profile == "release").unwrap_or_else(|| "unknown".into());
    println!("cargo::rustc-env=UPSET_COMMIT={commit}");
    let is_there = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let Some(deps) = out.ancestors().nth(3).map(|profile| profile.join("deps")) else { return };
    // Builds for tests find the library beside the program, and are made often.
    if profile != "release" || !is_there || !deps.is_dir() {
        return;
    }
    for (variable, name) in LIBRARIES {
        let library = deps.join(name);
        // Where nothing is linked (`cargo check`), nothing is what is carried. A
        // library that is there already stays; one that comes later replaces this.
        let _ = OpenOptions::new().write(true).create_new(true).open(&library);
        println!("cargo::rustc-env={variable}={}", library.display());
    }
    println!("cargo::rustc-cfg=carries_library");
}

/// The commit: what `UPSET_COMMIT` says, what `git archive` wrote into `commit.txt`,
/// or what git says.
fn commit(ask_git: bool) -> Option<String> {
    let is_name = |text: &String| text.len() >= 7 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let said = env::var("UPSET_COMMIT").ok();
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let archived = || {
        let file = here.join("../cli/commit.txt");
        println!("cargo::rerun-if-changed={}", file.display());
        fs::read_to_string(file).ok().map(|text| text.trim().to_string()).filter(is_name)
    };
    let git = |words: &[&str]| {
        let ran = Command::new("git").args(words).current_dir(&here).output().ok()?;
        let text = String::from_utf8(ran.stdout).ok()?;
        ran.status.success().then(|| text.trim().to_string())
    };
    let asked = || {
        // It changes with every commit and checkout.
        if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
            let log = here.join(log);
            if log.exists() {
                println!("cargo::rerun-if-changed={}", log.display());
            }
        }
        git(&["rev-parse", "HEAD"])
    };
    let found = said.or_else(archived).or_else(|| ask_git.then(asked).flatten());
    found.filter(is_name)
}
