//! What builds for systems older than this one: Zig, which links with any glibc
//! (`cargo zigbuild`), and the builder of the Python package. Both come as Python
//! packages into a folder of their own; their versions are fixed, because they
//! decide about the bytes.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::glibc;
use crate::Outcome;

const PACKAGES: [&str; 3] = ["cargo-zigbuild==0.24.0", "ziglang==0.17.0", "maturin==1.16.0"];

/// The folder that they are in.
pub struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// Fetches them where they are not there yet.
    pub fn fetched(target: &Path) -> Outcome<Tools> {
        let tools = Tools { folder: target.join("dist-tools") };
        let complete = tools.folder.join("complete");
        if std::fs::read_to_string(&complete).is_ok_and(|has| has == PACKAGES.join(" ")) {
            return Ok(tools);
        }
        let done = ran(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&tools.folder))
            .and_then(|()| {
                let mut pip = Command::new(tools.folder.join("bin/python"));
                ran(pip
                    .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                    .args(PACKAGES))
            });
        let told = |e: String| {
            format!(
                "{e}: {} link for older systems and must be fetched; `--native` does without, \
                 and links with the glibc of this machine",
                PACKAGES.join(", ")
            )
        };
        done.map_err(told)?;
        let written = std::fs::write(&complete, PACKAGES.join(" "));
        written.map_err(|e| format!("{}: {e}", complete.display()))?;
        Ok(tools)
    }

    /// Has a command find them, before any others that are installed, and keep what
    /// they compile in `folder`.
    pub fn lent(&self, command: &mut Command, folder: &Path) {
        let mut path = OsString::from(self.folder.join("bin"));
        if let Some(others) = env::var_os("PATH") {
            path.push(":");
            path.push(others);
        }
        command
            .env("PATH", path)
            .env("VIRTUAL_ENV", &self.folder)
            .env("ZIG_GLOBAL_CACHE_DIR", folder.join("zig"))
            .env("ZIG_LOCAL_CACHE_DIR", folder.join("zig"))
            .env("CARGO_ZIGBUILD_CACHE_DIR", folder.join("zigbuild"));
    }

    /// The program that builds the Python package.
    pub fn maturin(&self) -> PathBuf {
        self.folder.join("bin/maturin")
    }
}

/// What cargo calls the system that programs are linked for.
pub const SYSTEM: &str = "x86_64-unknown-linux-gnu";

/// The same, for `cargo zigbuild`.
pub fn old_system() -> String {
    let (major, minor) = glibc::OLDEST;
    format!("{SYSTEM}.{major}.{minor}")
}

/// Runs a command to its end.
pub fn ran(command: &mut Command) -> Outcome<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("cannot run {name}: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{name}: {status}")),
    }
}
