//! The program `upset`: what a flipped bit does to a GPU program.

mod ace_text;
mod args;
mod arrays;
mod campaign_progress;
mod carried;
mod chip_choice;
mod cmd;
mod counters_file;
mod destination;
mod failure;
mod in_order;
mod inject;
mod progress;
mod progress_text;
mod report;
mod subject;
mod table;
mod watch_text;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    upset_launcher::carry(carried::CUDART);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { failure::BAD_INPUT } else { 0 });
        }
    };
    let done = match cli.command {
        Command::Chips(a) => cmd::chips::run(a),
        Command::Apps(a) => cmd::apps::run(a),
        Command::Disasm(a) => cmd::disasm::run(a),
        Command::Run(a) => cmd::run::run(a),
        Command::Env(a) => cmd::env::run(a),
        Command::Inject(a) => cmd::inject::run(*a),
        Command::Campaign(a) => cmd::campaign::run(*a),
        Command::Exhaustive(a) => cmd::exhaustive::run(*a),
        Command::Ace(a) => cmd::ace::run(a),
        Command::Report(a) => cmd::report::run(*a),
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
        Command::Worker { parent } => cmd::campaign::work(parent),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(f) => report(&f),
    }
}

fn report(f: &Failure) -> ExitCode {
    if !f.message.is_empty() {
        failure::say(&format!("upset: {}\n", f.message));
    }
    ExitCode::from(f.code)
}
