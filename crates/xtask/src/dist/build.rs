//! Building what is released, so that the folder it is built in leaves no trace.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::glibc;
use super::tools::{self, Tools};
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

/// Where something is built.
pub struct Place {
    /// From these sources.
    pub source: PathBuf,
    /// In this folder.
    pub folder: PathBuf,
}

impl Place {
    /// The sources are those that this program was built from.
    pub fn here(folder: PathBuf) -> Place {
        Place { source: root(), folder }
    }

    /// The sources are a copy beside that folder, so that no path is the same.
    pub fn elsewhere(folder: PathBuf) -> Outcome<Place> {
        let source = folder.with_file_name("source");
        let told = |e: &dyn std::fmt::Display| format!("copying the sources: {e}");
        let git = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
        let git = git.map_err(|e| told(&e))?;
        if !git.status.success() {
            return Err(told(&"only git knows which files they are, and this is no clone"));
        }
        for name in git.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let name = Path::new(OsStr::from_bytes(name));
            let to = source.join(name);
            let parent = to.parent().unwrap_or(&source);
            fs::create_dir_all(parent).map_err(|e| told(&e))?;
            fs::copy(root().join(name), &to)
                .map_err(|e| told(&format!("{}: {e}", name.display())))?;
        }
        Ok(Place { source, folder })
    }

    /// Lets a command build there, and leave no trace of where that is, nor of the
    /// day: of panics' messages and C's assertions the paths are replaced.
    pub fn traceless(&self, command: &mut Command, commit: &Commit) {
        let home = env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
        // From the inside out.
        let mut names = vec![(self.folder.clone(), "/build")];
        names.extend(home.map(|home| (home, "/cargo")));
        names.push((self.source.clone(), "/upset"));
        let rust = names.iter().rev();
        let rust = rust.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        let c = names.iter().rev();
        let c = c.map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
        command
            .current_dir(&self.source)
            .env("CARGO_TARGET_DIR", &self.folder)
            .env("CARGO_ENCODED_RUSTFLAGS", rust.collect::<Vec<_>>().join("\u{1f}"))
            .env("CFLAGS", c.collect::<Vec<_>>().join(" "))
            .env("UPSET_COMMIT", &commit.name)
            .env("SOURCE_DATE_EPOCH", commit.time.to_string());
    }
}

impl Built {
    /// Builds for release: with tools for older systems, or for this one.
    pub fn new(tools: Option<&Tools>, place: &Place, commit: &Commit) -> Outcome<Built> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.arg(if tools.is_some() { "zigbuild" } else { "build" });
        cargo.args(["--release", "--locked", "--package", "upset-cli"]);
        let mut made = place.folder.clone();
        if let Some(tools) = tools {
            cargo.args(["--target", &tools::old_system()]);
            made.push(tools::SYSTEM);
            tools.lent(&mut cargo, &place.folder);
        }
        place.traceless(&mut cargo, commit);
        tools::ran(&mut cargo)?;
        Built::found(&made.join("release"))
    }

    /// The C library that all of it needs.
    pub fn glibc(&self) -> Outcome<(u32, u32)> {
        glibc::needed(&[&self.program, &self.cudart, &self.preload])
    }

    /// The shared libraries that it needs, by name.
    pub fn libraries(&self) -> Outcome<BTreeSet<String>> {
        glibc::libraries(&[&self.program, &self.cudart, &self.preload])
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
