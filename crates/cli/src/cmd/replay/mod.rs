//! `upset burn replay`: one program on sets of SMs that share none.

mod output;
mod subject;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use upset_quarantine::replay::{Answer, replay};

use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use subject::Program;

/// `upset burn replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A file that the program writes, to be compared byte for byte; deleted
    /// before each run (may be repeated)
    #[arg(long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,
    /// Does not compare standard output
    #[arg(long)]
    pub no_stdout: bool,
    /// Ends a run that takes longer: it counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub limit: u64,
    /// Writes what was run and found as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    if args.no_stdout && args.outputs.is_empty() {
        let why = "nothing to compare: name a file with --output, or leave out --no-stdout";
        return Err(Failure::new(failure::BAD_INPUT, why));
    }
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let limit = Duration::from_secs(args.limit);
    let mut program = Program::new(&args.program, &args.outputs, !args.no_stdout, limit);
    let groups = program.on_all()?;
    let answer = replay(groups, &mut program)?;
    let aside = json.as_ref().is_some_and(Destination::is_stdout);
    if let Some(file) = json {
        let value = text::json(&program, groups, &answer);
        file.fill(|out| writeln!(out, "{value:#}"))?;
    }
    if !aside {
        print(&text::words(&program, groups, &answer))?;
    }
    match answer {
        Answer::Same(_) => Ok(()),
        Answer::Bad(_) | Answer::NoMajority(_) => Err(Failure::new(failure::NO, "")),
        Answer::TooFew | Answer::NotDeterministic(_) => Err(Failure::new(failure::LACKING, "")),
    }
}
