//! `upset quarantine`: going on without a GPU's bad unit.

mod args;
mod identity;
mod looks;
mod plan;
mod program;

use clap::Subcommand;

use crate::failure::Failure;
use args::{FileArgs, PlanArgs, RunArgs};

/// What to do.
#[derive(Debug, Subcommand)]
pub enum QuarantineCommand {
    /// Tell what to leave out, by which way and at what cost, from a record of `upset burn`
    Plan(PlanArgs),
    /// Run a CUDA program, as it is, on the SMs that are left
    Run(RunArgs),
    /// Print what puts a CUDA source under tickets, so that no block runs on a bad SM
    Wrap(FileArgs),
    /// Tell whether kernels were left a way to ask the hardware for their block; exit code 1 if so
    TicketCheck(FileArgs),
    /// Tell whether lanes may be skipped in kernels; exit code 1 if not
    LaneCheck(FileArgs),
}

/// Runs the command.
pub fn run(command: QuarantineCommand) -> Result<(), Failure> {
    match command {
        QuarantineCommand::Plan(args) => plan::run(&args),
        QuarantineCommand::Run(args) => program::run(&args),
        QuarantineCommand::Wrap(args) => looks::wrap(&args.file),
        QuarantineCommand::TicketCheck(args) => looks::tickets(&args.file),
        QuarantineCommand::LaneCheck(args) => looks::lanes(&args.file),
    }
}
