//! `cargo xtask profile`: counts which branches runs take, for builds to come.
//!
//! The program is built so that it counts, runs what users run, and the counts become
//! one file in `profiles/`, which `.cargo/rustc` hands to the compiler.

mod runs;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::{Outcome, root};
use tools::{Compiler, Merger};

const USAGE: &str = "usage: cargo xtask profile [--llvm-profdata PROGRAM]";

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let named = match words {
        [] => None,
        [option, program] if option == "--llvm-profdata" => Some(program.as_str()),
        _ => return Err(USAGE.into()),
    };
    // What is missing is told before anything is built.
    let compiler = Compiler::asked()?;
    let merger = Merger::found(named, &compiler)?;
    let me = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let target = me.ancestors().nth(2).ok_or("this program is in no build folder")?;
    let folder = target.join("profile");
    let counts = empty(folder.join("counts"))?;
    let upset = built(&folder.join("build"), &counts)?;
    let started = Instant::now();
    let all = runs::all();
    for (i, run) in all.iter().enumerate() {
        println!("{:>3} of {}: upset {run}", i + 1, all.len());
        counted(&upset, run, &counts, i)?;
    }
    println!("{} runs, {} s", all.len(), started.elapsed().as_secs());
    let profiles = root().join("profiles");
    fs::create_dir_all(&profiles).map_err(|e| format!("{}: {e}", profiles.display()))?;
    let profile = profiles.join(compiler.profile());
    merger.merge(&files(&counts, "profraw")?, &profile)?;
    // They are of older sources, and each stays in the repository's history.
    for old in files(&profiles, "profdata")? {
        if old != profile {
            fs::remove_file(&old).map_err(|e| format!("{}: {e}", old.display()))?;
        }
    }
    let size = fs::metadata(&profile).map_err(|e| format!("{}: {e}", profile.display()))?.len();
    println!("profiles/{} ({:.2} MB)", compiler.profile(), size as f64 / 1e6);
    Ok(())
}

/// The program, built so that it counts.
fn built(target: &Path, counts: &Path) -> Outcome<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo)
        .current_dir(root())
        .args(["build", "--release", "--locked", "--package", "upset-cli", "--target-dir"])
        .arg(target)
        .env("UPSET_PROFILE_GENERATE", counts)
        .env_remove("UPSET_NO_PROFILE")
        // Another wrapper would be called instead of ours, and flags can change what
        // is counted.
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTFLAGS")
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    match done.success() {
        true => Ok(target.join("release/upset")),
        false => Err("upset does not build".into()),
    }
}

/// One run, whose counts go into files of its own: a campaign has many processes.
fn counted(upset: &Path, run: &str, counts: &Path, number: usize) -> Outcome<()> {
    let file = counts.join(format!("{number:03}-%m-%p.profraw"));
    let store = counts.join(format!("{number:03}.db"));
    let mut command = Command::new(upset);
    command.args(run.split(' ')).env("LLVM_PROFILE_FILE", file);
    if run.starts_with("campaign") {
        command.arg("--out").arg(store);
    }
    let ran = command.output().map_err(|e| format!("cannot run {}: {e}", upset.display()))?;
    match ran.status.success() {
        true => Ok(()),
        false => Err(format!(
            "upset {run}: {}\n{}",
            ran.status,
            String::from_utf8_lossy(&ran.stderr).trim()
        )),
    }
}

/// A folder with nothing in it.
fn empty(folder: PathBuf) -> Outcome<PathBuf> {
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(told)?;
    }
    fs::create_dir_all(&folder).map_err(told)?;
    Ok(folder)
}

/// Files of one kind in a folder, in order.
fn files(folder: &Path, kind: &str) -> Outcome<Vec<PathBuf>> {
    let listed = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = listed.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == kind)).collect();
    files.sort();
    Ok(files)
}
