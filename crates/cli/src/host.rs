//! Who asks: a person at a terminal, or a program that has `upset` as a library
//! and wants values, not text.

use std::cell::RefCell;
use std::ffi::OsString;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use indicatif::ProgressBar;
use serde_json::Value;
use upset_device::{Mode, Progress};

use crate::failure::{self, Failure};
use crate::process::{interruptible, worker_command};
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
    /// How a worker process is started: something that calls `work`.
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
pub struct Interrupted;

/// What ends with everything saved, or with nothing to save.
pub fn interrupted() -> Failure {
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
            Host::Terminal => interruptible(),
            Host::Library(library, _) => Ok(&library.stop),
        }
    }

    /// How a worker process is started.
    pub fn worker(&self) -> Result<Vec<OsString>, Failure> {
        match self {
            Host::Terminal => worker_command(),
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
