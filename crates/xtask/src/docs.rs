//! `cargo xtask docs`: pages show what `upset` prints today.

use crate::{Outcome, root};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use upset_testkit::pages::{self, Setting};

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    if let Some(flag) = words.iter().find(|word| word.starts_with('-')) {
        return Err(format!("no flag {flag:?}; usage: cargo xtask docs [PAGE…]"));
    }
    let all = pages::all(&root())?;
    let chosen: Vec<&String> = match words {
        [] => all.iter().collect(),
        names => names.iter().collect(),
    };
    if let Some(unknown) = chosen.iter().find(|name| !all.contains(**name)) {
        return Err(format!("no page {unknown:?}; pages are README.md, docs/campaign.md, …"));
    }
    let setting = Setting::of_repository(&build()?, &root());
    if setting.cuda.is_none() {
        println!(
            "no CUDA compiler: what needs one stays as it is (`cargo xtask cuda` fetches one)"
        );
    }
    let mut failures = Vec::new();
    for page in chosen {
        match pages::renewed(page, &setting) {
            Ok(None) => {}
            Ok(Some(text)) => {
                fs::write(root().join(page), text).map_err(|e| format!("{page}: {e}"))?;
                println!("{page}: renewed");
            }
            Err(why) => failures.push(why),
        }
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n")),
    }
}

/// The program, built as this one was, beside it.
fn build() -> Outcome<PathBuf> {
    let here = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let upset = here.with_file_name("upset");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["build", "--quiet", "--package", "upset-cli"]);
    if here.parent().is_some_and(|folder| folder.ends_with("release")) {
        cargo.arg("--release");
    }
    match cargo.status() {
        Ok(status) if status.success() && upset.exists() => Ok(upset),
        Ok(status) => Err(format!("upset was not built beside {}: {status}", here.display())),
        Err(e) => Err(format!("cannot run cargo: {e}")),
    }
}
