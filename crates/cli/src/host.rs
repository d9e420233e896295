//! Who asks: a person at a terminal, or a program that has `upset` as a library
//! and wants values, not text.

use std::cell::RefCell;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use clap::Parser;
use indicatif::ProgressBar;
use serde_json::Value;
use upset_device::{Mode, Progress};

use crate::args::{Cli, Command};
use crate::cmd::{self, campaign};
use crate::failure::{self, Failure};
use crate::progress;

/// What a command has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// For people.
    pub text: String,
    /// For machines: what the command writes with `--json`.
    pub json: Value,
}

/// A program that asks.
pub struct Library {
    /// How a worker process is started: something that calls [`crate::work`].
    pub worker: Vec<OsString>,
    /// Set when the work is to end.
    pub stop: Arc<AtomicBool>,
    /// Hears how a campaign goes: what `--json-lines` prints.
    pub events: Sender<Value>,
}

/// Who asks.
pub enum Host {
    Terminal,
    Library(Library, RefCell<Option<Answer>>),
}

/// What an unwinding carries that ends a run before its time.
struct Interrupted;

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

fn interrupted() -> Failure {
    Failure::new(failure::INTERRUPTED, "interrupted")
}

impl Host {
    /// The program that asks, if it is one.
    pub fn library(&self) -> Option<&Library> {
        match self {
            Host::Terminal => None,
            Host::Library(library, _) => Some(library),
        }
    }

    /// Tells a program what came out; a person is told in other ways.
    pub fn answer(&self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) {
        if let Host::Library(_, answer) = self {
            answer.replace(Some(Answer { text: text(), json: json() }));
        }
    }

    /// A flag that is set when the work is to end. At a terminal Ctrl-C does it,
    /// and a second one ends the process at once.
    pub fn stop(&self) -> Result<&AtomicBool, Failure> {
        match self {
            Host::Terminal => campaign::interruptible(),
            Host::Library(library, _) => Ok(&library.stop),
        }
    }

    /// How a worker process is started.
    pub fn worker(&self) -> Result<Vec<OsString>, Failure> {
        match self {
            Host::Terminal => campaign::worker_command(),
            Host::Library(library, _) => Ok(library.worker.clone()),
        }
    }

    /// Called back by the device: shows a spinner, or ends the run when the program
    /// that asked wants that.
    pub fn spinner(&self, app: &str, mode: Mode) -> (ProgressBar, Progress) {
        match self {
            Host::Terminal => progress::spinner(app, mode),
            Host::Library(library, _) => (ProgressBar::hidden(), stopping(&library.stop)),
        }
    }

    /// An error, if the work was ended before its time.
    pub fn not_stopped(&self) -> Result<(), Failure> {
        let stopped = self.library().is_some_and(|l| l.stop.load(Ordering::Relaxed));
        if stopped { Err(interrupted()) } else { Ok(()) }
    }
}

/// Unwinds out of a run when the flag is set.
fn stopping(stop: &Arc<AtomicBool>) -> Progress {
    let stop = Arc::clone(stop);
    Box::new(move |_, _| {
        if stop.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Interrupted));
        }
    })
}
