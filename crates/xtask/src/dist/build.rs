//! Building what is released, so that the folder it is built in leaves no trace.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, root};

/// The version of everything in the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that is checked out.
pub struct Commit {
    /// Its name.
    pub name: String,
    /// When it was made, in seconds: the time of every file that is packed.
    pub time: u64,
}

/// What was built.
pub struct Built {
    /// `upset`.
    pub program: PathBuf,
    /// The stand-in for NVIDIA's runtime.
    pub cudart: PathBuf,
    /// What keeps unmodified programs off bad SMs.
    pub preload: PathBuf,
}

/// Cargo's folder.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// What git says; from a tarball without it, `UPSET_COMMIT` and `SOURCE_DATE_EPOCH`.
pub fn commit() -> Outcome<Commit> {
    let said = |variable: &str, format: &str| {
        env::var(variable).ok().or_else(|| {
            let git = Command::new("git")
                .args(["log", "-1", &format!("--format={format}")])
                .current_dir(root())
                .output()
                .ok()
                .filter(|o| o.status.success())?;
            String::from_utf8(git.stdout).ok().map(|text| text.trim().to_string())
        })
    };
    let lacking = || {
        "this is no clone of the repository: say which commit it is, with UPSET_COMMIT and \
         SOURCE_DATE_EPOCH"
            .to_string()
    };
    let name = said("UPSET_COMMIT", "%H").ok_or_else(lacking)?;
    let time = said("SOURCE_DATE_EPOCH", "%ct").and_then(|t| t.parse().ok());
    Ok(Commit { name, time: time.ok_or_else(lacking)? })
}

impl Built {
    /// Builds for release.
    pub fn new(folder: &Path, commit: &Commit) -> Outcome<Built> {
        let home = env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
        // Paths in messages of panics and in assertions of C, from the inside out.
        let mut names = vec![(folder.to_path_buf(), "/build")];
        names.extend(home.map(|home| (home, "/cargo")));
        names.push((root(), "/upset"));
        let rust = names.iter().rev();
        let rust = rust.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        let c = names.iter().rev();
        let c = c.map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
        let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--release", "--locked", "--package", "upset-cli"])
            .current_dir(root())
            .env("CARGO_TARGET_DIR", folder)
            .env("CARGO_ENCODED_RUSTFLAGS", rust.collect::<Vec<_>>().join("\u{1f}"))
            .env("CFLAGS", c.collect::<Vec<_>>().join(" "))
            .env("UPSET_COMMIT", &commit.name)
            .env("SOURCE_DATE_EPOCH", commit.time.to_string())
            .status()
            .map_err(|e| format!("cannot run cargo: {e}"))?;
        match status.success() {
            true => Built::found(&folder.join("release")),
            false => Err("cargo could not build it".into()),
        }
    }

    /// What lies in a folder of cargo's.
    pub fn found(folder: &Path) -> Outcome<Built> {
        let file = |name: &str| {
            let both = [folder.join(name), folder.join("deps").join(name)];
            let lacks = format!("{} has no {name}: build it first", folder.display());
            both.into_iter().find(|f| f.is_file()).ok_or(lacks)
        };
        Ok(Built {
            program: file("upset")?,
            cudart: file("libupset_cudart.so")?,
            preload: file("libupset_quarantine_preload.so")?,
        })
    }
}
