//! How `upset` starts a program so that its CUDA calls come to this library,
//! and how it learns what they did.
//!
//! [`install`] writes the facades, [`inspect`] tells beforehand what cannot
//! work, [`Launch`] runs the program and collects the records it sends.

mod carried;
mod confined;
mod error;
mod inspect;
mod install;
mod library;
mod loader;
mod process;
mod records;
mod signals;
pub(crate) mod socket;
mod streams;
mod walker;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use upset_device::Mode;

use crate::config;
pub use carried::carry;
pub use confined::{Confined, Limits, Ran};
pub use error::{Class, LaunchError};
pub use inspect::{Inspection, inspect};
pub use install::{Installed, install};
pub use library::library;
pub use loader::{Libraries, libraries};
pub use process::{End, die_of, signal_name};
pub use records::{Process, Records, Trapped};
pub use walker::{Arrived, Start, Walker};

/// What the library in the program is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A preset or a chip file.
    pub chip: String,
    /// Changes to it, `key=value`.
    pub set: Vec<String>,
    /// How kernels run.
    pub mode: Mode,
    /// Where a trace goes.
    pub trace: Option<PathBuf>,
    /// Most cycles of a launch.
    pub kernel_cycles: Option<u64>,
    /// What it sees of clocks and random bytes.
    pub clock: Clock,
}

/// What a program sees of clocks and of the system's random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The same in every run: a clock that moves on by the program's own looks,
    /// and fixed bytes.
    Held,
    /// Held likewise, but another clock and other bytes: for a look at what the
    /// program makes of the difference.
    Other,
    /// As [`Clock::Held`], in processes that use the runtime only.
    HeldForCuda,
    /// The real ones.
    Real,
}

impl Clock {
    /// What the library is told.
    fn name(self) -> Option<&'static str> {
        match self {
            Clock::Held => Some("held"),
            Clock::Other => Some("other"),
            Clock::HeldForCuda => Some("cuda"),
            Clock::Real => None,
        }
    }
}

impl Settings {
    /// The environment variables that say so; `None` is for those that must
    /// not be set. Paths are absolute: the program may change its folder.
    pub fn variables(&self, installed: &Installed) -> Vec<(&'static str, Option<OsString>)> {
        let chip = match Path::new(&self.chip) {
            file if file.is_file() => absolute(file).into_os_string(),
            _ => self.chip.clone().into(),
        };
        let clock = self.clock.name();
        let set = (!self.set.is_empty()).then(|| self.set.join("\n").into());
        vec![
            (config::CHIP, Some(chip)),
            (config::SET, set),
            (config::MODE, Some(self.mode.name().into())),
            (config::TRACE, self.trace.as_deref().map(|p| absolute(p).into_os_string())),
            (config::KERNEL_CYCLES, self.kernel_cycles.map(|n| n.to_string().into())),
            (config::CLOCK, clock.map(OsString::from)),
            (config::RANDOM, clock.map(|_| installed.random().into_os_string())),
        ]
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

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
    fn command(&self, sender: &socket::Sender) -> std::process::Command {
        let mut command = std::process::Command::new(self.file);
        std::os::unix::process::CommandExt::arg0(&mut command, self.name);
        command.args(self.args);
        command.env("LD_LIBRARY_PATH", self.installed.search_path());
        let mut preload = self.preload.to_vec();
        if self.settings.clock != Clock::Real {
            preload.push(self.installed.host());
        }
        if !preload.is_empty() {
            command.env("LD_PRELOAD", install::joined(&preload, "LD_PRELOAD"));
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
