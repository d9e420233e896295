//! Commands: the work is done in a thread of its own, while Python's waits for it,
//! hands on how it goes, and listens for Ctrl-C.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use serde_json::Value;
use upset_cli::{Answer, Failure, Library};

use crate::failed::failed;

/// How often Python may look for signals.
const TICK: Duration = Duration::from_millis(50);
/// As much as a program's first thread has.
const STACK: usize = 8 << 20;

/// Carries a command out: what it says for people, and as JSON. `heard` is called
/// with a line of JSON for everything that a campaign tells meanwhile.
///
/// A campaign that is interrupted ends in order and keeps its store; other commands
/// keep nothing, so Python does not wait for their end.
#[pyfunction]
pub fn ask(
    py: Python<'_>,
    command: String,
    words: Vec<OsString>,
    worker: Vec<OsString>,
    heard: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let stop = Arc::new(AtomicBool::new(false));
    let (events, hear) = mpsc::channel();
    let hear = Mutex::new(hear);
    let library = Library { worker, stop: Arc::clone(&stop), events };
    let in_order = command == "campaign";
    let work = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || upset_cli::ask(&command, &words, library));
    let work = work.map_err(|e| ours(py, format!("cannot start a thread: {e}")))?;

    let mut raised: Option<PyErr> = None;
    loop {
        let event =
            py.detach(|| hear.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        let told = match event {
            Ok(event) => tell(py, heard.as_ref().filter(|_| raised.is_none()), &event),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Err(e) = told.and_then(|()| py.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            if !in_order {
                return Err(e);
            }
            raised.get_or_insert(e);
        }
    }
    let ended = py.detach(|| work.join());
    let (answer, done) = ended.map_err(|_| ours(py, "a panic: please report it".to_string()))?;
    // What the command says about its interruption tells how to go on.
    if let Some(e) = raised
        && !(done.is_err() && e.is_instance_of::<PyKeyboardInterrupt>(py))
    {
        return Err(e);
    }
    let Answer { text, json } = answer.unwrap_or_default();
    let json = json.to_string();
    match done {
        Ok(()) => Ok((text, json)),
        Err(f) => Err(failed(py, f, Some(json).filter(|j| j != "null"))),
    }
}

fn tell(py: Python<'_>, heard: Option<&Py<PyAny>>, event: &Value) -> PyResult<()> {
    heard.map_or(Ok(()), |heard| heard.call1(py, (event.to_string(),)).map(drop))
}

fn ours(py: Python<'_>, message: String) -> PyErr {
    failed(py, Failure { code: 4, message }, None)
}

/// What a worker process does; its exit code. The process must have been started
/// for this alone.
#[pyfunction]
pub fn work(py: Python<'_>, parent: u32) -> u8 {
    py.detach(|| upset_cli::work(parent))
}
