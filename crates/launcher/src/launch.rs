//! A program, started so that its CUDA calls come to the library.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use upset_agent::config;

use crate::error::LaunchError;
use crate::install::Installed;
use crate::paths::joined;
use crate::process::{self, End};
use crate::records::Records;
use crate::settings::Settings;
use crate::socket;

/// A program to run.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The file.
    pub file: &'a Path,
    /// What the program sees as its own name.
    pub name: &'a OsString,
    /// Its arguments.
    pub args: &'a [OsString],
    /// The facades.
    pub installed: &'a Installed,
    /// Libraries that the loader would find elsewhere first.
    pub preload: &'a [PathBuf],
    /// What the library is told.
    pub settings: &'a Settings,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// How the program ended.
    pub end: End,
    /// What its CUDA calls did.
    pub records: Records,
    /// How long it took.
    pub wall: Duration,
}

impl Launch<'_> {
    /// Runs the program to its end. Its standard streams, terminal and signals
    /// are its own. Must be called from a thread that outlives the call: the
    /// program dies with it.
    pub fn run(&self) -> Result<Outcome, LaunchError> {
        let (receiver, sender) = socket::pair()?;
        let command = self.command(&sender);
        let start = Instant::now();
        let (end, records) = process::run(command, self.file, receiver, sender)?;
        Ok(Outcome { end, records, wall: start.elapsed() })
    }

    /// What starts the program with all that it is told.
    pub(crate) fn command(&self, sender: &socket::Sender) -> std::process::Command {
        let mut command = std::process::Command::new(self.file);
        std::os::unix::process::CommandExt::arg0(&mut command, self.name);
        command.args(self.args);
        command.env("LD_LIBRARY_PATH", self.installed.search_path());
        let mut preload = self.preload.to_vec();
        // Otherwise the loader would complain in every process.
        if self.installed.folder().is_dir() {
            preload.push(self.installed.host());
        }
        if !preload.is_empty() {
            command.env("LD_PRELOAD", joined(&preload, "LD_PRELOAD"));
        }
        for (name, value) in self.settings.variables(self.installed) {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env(config::REPORT_FD, sender.number().to_string());
        // Whoever has an order for it says so.
        command.env_remove(config::TRIAL);
        command
    }
}
