//! `upset watch`: performance counters that notice faults in the field.

mod args;
mod check;
mod learn;
mod program;
mod show;
mod source;

pub use args::WatchCommand;

use crate::failure::Failure;

/// Runs the command.
pub fn run(command: WatchCommand) -> Result<(), Failure> {
    match command {
        WatchCommand::Learn(args) => learn::run(&args),
        WatchCommand::Check(args) => check::run(&args),
        WatchCommand::Show(args) => show::run(&args),
    }
}
