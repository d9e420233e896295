//! `upset slurm status`.

use std::io::IsTerminal;
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use upset_slurm::{Folder, Status};

use super::args::StatusArgs;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};

/// Clears a terminal and begins at its top.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Runs the command.
pub fn run(args: &StatusArgs) -> Result<(), Failure> {
    let folder = Folder::new(&args.folder);
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let mut status = Status::of(&folder)?;
    if let Some(seconds) = args.watch {
        let clear = if std::io::stdout().is_terminal() { CLEAR } else { "" };
        while !status.is_over() {
            print(&format!("{clear}{}\n", status.text()))?;
            sleep(Duration::from_secs(seconds.get()));
            status = Status::of(&folder)?;
        }
        print(clear)?;
    }
    let to_stdout = json.as_ref().is_some_and(Destination::is_stdout);
    if !to_stdout {
        print(&status.text())?;
    }
    if let Some(to) = json {
        let mut object = json!(status);
        object["report"] = status.report.json();
        to.fill(|out| writeln!(out, "{object:#}"))?;
    }
    match status.needs_help() {
        true => Err(Failure::new(failure::NO, "not all of it goes on by itself: submit again")),
        false => Ok(()),
    }
}
