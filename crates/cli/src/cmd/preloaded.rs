//! Programs with the library that decides on which SMs they run.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use tempfile::NamedTempFile;
use upset_launcher::find;
use upset_quarantine_orders::{LIBRARY, Line, ORDERS, Order, REPORT, written};

use crate::carried;
use crate::failure::{self, Failure};

/// Says where the library is, when it is elsewhere.
const VARIABLE: &str = "UPSET_QUARANTINE_LIBRARY";

/// A program to be started, and where the library tells what it did.
pub struct Preloaded {
    /// To be started by whoever made it.
    pub command: Command,
    report: NamedTempFile,
}

impl Preloaded {
    /// A program and its arguments, under an order.
    pub fn new(program: &[OsString], order: Order) -> Result<Preloaded, Failure> {
        let [name, rest @ ..] = program else {
            let why = "no program is given after `--`";
            return Err(Failure::new(failure::BAD_INPUT, why));
        };
        let report = NamedTempFile::new().map_err(|e| {
            Failure::new(failure::OURS, format!("no room for a temporary file: {e}"))
        })?;
        let mut command = Command::new(name);
        command
            .args(rest)
            .env("LD_PRELOAD", in_front(library()?.into_os_string()))
            .env(ORDERS, written(&[order]))
            .env(REPORT, report.path());
        Ok(Preloaded { command, report })
    }

    /// What the library did so far.
    pub fn report(&self) -> Vec<Line> {
        let text = std::fs::read_to_string(self.report.path()).unwrap_or_default();
        text.lines().filter_map(Line::parse).collect()
    }
}

/// A program that does not start.
pub fn cannot_start(program: &OsStr, e: &std::io::Error) -> Failure {
    Failure::new(failure::BAD_INPUT, format!("cannot run {}: {e}", program.display()))
}

/// The program's own code; 128 and the number of the signal, as shells have it.
pub fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(failure::OURS)
}

/// The library's file: built or installed with this program, or carried by it.
fn library() -> Result<PathBuf, Failure> {
    Ok(find(LIBRARY, VARIABLE, carried::preload())?)
}

/// In front of what is loaded into programs anyway.
fn in_front(library: OsString) -> OsString {
    match env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        Some(others) => [library, others].join(OsStr::new(":")),
        None => library,
    }
}
