//! Commands for a program that has `upset` as a library.

use std::cell::RefCell;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::Parser;

use crate::args::{Cli, Command};
use crate::cmd;
use crate::failure::{self, Failure};
use crate::host::{Answer, Host, Interrupted, Library, interrupted};

/// Carries a command out for another program: `run`, `inject`, `campaign` or `ace`
/// with the words that follow it on a command line. Nothing is printed, and no
/// signal is caught. The answer is there when the command failed after its work,
/// as `upset run` does when a result is wrong.
pub fn ask(
    command: &str,
    words: &[OsString],
    library: Library,
) -> (Option<Answer>, Result<(), Failure>) {
    let command = match parsed(command, words) {
        Ok(command) => command,
        Err(f) => return (None, Err(f)),
    };
    let host = Host::Library(library, RefCell::default());
    // Only these: what no library asks for is not linked into it.
    let carried_out = || match command {
        Command::Run(a) => cmd::run::run(a, &host),
        Command::Inject(a) => cmd::inject::run(*a, &host),
        Command::Campaign(a) => cmd::campaign::run(*a, &host),
        Command::Ace(a) => cmd::ace::run(a, &host),
        _ => Err(Failure::new(failure::OURS, "a library cannot ask for this command")),
    };
    let done = match catch_unwind(AssertUnwindSafe(carried_out)) {
        Ok(done) => done,
        Err(panic) if panic.is::<Interrupted>() => Err(interrupted()),
        Err(_) => Err(Failure::new(failure::OURS, "a panic: please report it")),
    };
    let Host::Library(_, answer) = host else { return (None, done) };
    (answer.into_inner(), done)
}

/// A command with the words that follow it.
pub fn parsed(command: &str, words: &[OsString]) -> Result<Command, Failure> {
    let all = ["upset".into(), command.into()].into_iter().chain(words.iter().cloned());
    match Cli::try_parse_from(all) {
        Ok(cli) => Ok(cli.command),
        Err(e) => {
            let text = e.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            Err(Failure::new(failure::BAD_INPUT, text))
        }
    }
}
