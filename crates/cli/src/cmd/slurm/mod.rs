//! `upset slurm`: campaigns in shards on a cluster.

mod args;
mod script;
mod status;
mod submit;

pub use args::SlurmCommand;

use upset_slurm::SlurmError;

use crate::failure::{self, Failure};

/// Runs the command.
pub fn run(command: SlurmCommand) -> Result<(), Failure> {
    match command {
        SlurmCommand::Submit(args) => submit::run(&args),
        SlurmCommand::Status(args) => status::run(&args),
        SlurmCommand::Script(args) => script::run(&args),
    }
}

impl From<SlurmError> for Failure {
    fn from(e: SlurmError) -> Failure {
        let code = match e {
            SlurmError::Campaign(e) => return (*e).into(),
            SlurmError::Missing(_) => failure::LACKING,
            SlurmError::Store(ref e) if !e.is_input() => failure::OURS,
            // Who submits what the cluster refuses can mend it.
            SlurmError::Input(_)
            | SlurmError::Command { .. }
            | SlurmError::Io { .. }
            | SlurmError::Store(_) => failure::BAD_INPUT,
        };
        Failure::new(code, e.to_string())
    }
}
