//! What the program `upset` does. `main.rs` is the program; who has this as a
//! library asks the same commands for values instead of text ([`ask`]).

mod ace_text;
mod args;
mod arrays;
mod asked;
mod campaign_progress;
mod carried;
mod chip_choice;
mod cmd;
mod counters_file;
mod destination;
mod failure;
mod host;
mod in_order;
mod inject;
mod process;
mod progress;
mod progress_text;
mod report;
mod subject;
mod table;
mod version;
mod watch_text;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
pub use asked::ask;
pub use carried::carry;
pub use failure::Failure;
use host::Host;
pub use host::{Answer, Library};

/// The program: carries out the command line of this process.
pub fn main() -> ExitCode {
    upset_launcher::opens_converters();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { failure::BAD_INPUT } else { 0 });
        }
    };
    match carry_out(cli.command, &Host::Terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(f) => report(&f),
    }
}

fn carry_out(command: Command, host: &Host) -> Result<(), Failure> {
    match command {
        Command::Chips(a) => cmd::chips::run(a),
        Command::Apps(a) => cmd::apps::run(a),
        Command::Disasm(a) => cmd::disasm::run(a),
        Command::Run(a) => cmd::run::run(a, host),
        Command::Env(a) => cmd::env::run(a),
        Command::Inject(a) => cmd::inject::run(*a, host),
        Command::Campaign(a) => cmd::campaign::run(*a, host),
        Command::Exhaustive(a) => cmd::exhaustive::run(*a),
        Command::Ace(a) => cmd::ace::run(a, host),
        Command::Report(a) => cmd::report::run(*a),
        Command::Compare(a) => cmd::compare::run(&a),
        Command::Serve(a) => cmd::serve::run(a),
        Command::Export(a) => cmd::export::run(a),
        Command::Merge(a) => cmd::merge::run(&a),
        Command::Slurm(a) => cmd::slurm::run(a),
        Command::Verify(a) => cmd::verify::run(a),
        Command::Compile(a) => cmd::compile::run(a),
        Command::Toolkit(a) => cmd::toolkit::run(a),
        Command::Completions(a) => cmd::shell::completions(&a, Cli::command()),
        Command::Man(a) => cmd::shell::man(a, Cli::command()),
        Command::Doors(a) => cmd::doors::run(a),
        Command::Watch(a) => cmd::watch::run(a),
        Command::Burn(a) => cmd::burn::run(*a),
        Command::Grade(a) => cmd::grade::run(*a),
        Command::Quarantine(a) => cmd::quarantine::run(a),
        // The words are those of the library, which wants no name before them.
        Command::Jitlink { words } => upset_jitlink::run(&words).map_err(|complaint| {
            failure::say(&format!("{complaint}\n"));
            Failure::new(failure::NO, "")
        }),
        Command::Worker { parent } => cmd::campaign::work(parent),
    }
}

/// What `upset report` would show, given the words after it.
pub fn report_of(words: &[OsString]) -> Result<upset_report::Report, Failure> {
    match asked::parsed("report", words)? {
        Command::Report(a) => cmd::report::report(&a),
        _ => Err(Failure::new(failure::OURS, "another command than was asked for")),
    }
}

/// What `upset compare` would show, given the words after it.
pub fn comparison_of(words: &[OsString]) -> Result<upset_report::Versus, Failure> {
    match asked::parsed("compare", words)? {
        Command::Compare(a) => cmd::compare::versus(&a),
        _ => Err(Failure::new(failure::OURS, "another command than was asked for")),
    }
}

/// What a worker process does; its exit code. The process must have been started
/// for this alone, by the command of [`Library::worker`].
pub fn work(parent: u32) -> u8 {
    cmd::campaign::work(parent).map_or_else(|f| f.code, |()| 0)
}

fn report(f: &Failure) -> ExitCode {
    if !f.message.is_empty() {
        failure::say(&format!("upset: {}\n", f.message));
    }
    ExitCode::from(f.code)
}
