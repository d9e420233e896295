//! Lets the released `upset` carry the libraries that programs load, so that
//! `cargo install`, which installs nothing but programs, gives one that runs them.
//!
//! Cargo builds them as dependencies of this crate's program and before it, but
//! names the files to nobody: they lie in `deps`, three folders above this
//! script's own.

use std::env;
use std::fs::OpenOptions;
use std::path::PathBuf;

/// The variable that names each to `src/carried.rs`.
const LIBRARIES: [(&str, &str); 2] = [
    ("UPSET_CARRIED_CUDART", "libupset_cudart.so"),
    ("UPSET_CARRIED_PRELOAD", "libupset_quarantine_preload.so"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(carries_library)");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let profile = env::var("PROFILE").unwrap_or_default();
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
