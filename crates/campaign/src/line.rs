//! A worker's line to its coordinator: standard input and output.

use std::io::{self, BufRead, Write};

use crate::CampaignError;
use crate::wire::{Job, ToCoordinator, ToWorker};

/// The line to the coordinator: standard input and output.
pub(crate) struct Line;

impl Line {
    /// Says something.
    pub fn say(&mut self, what: &ToCoordinator) {
        let Ok(mut text) = serde_json::to_string(what) else { return };
        text.push('\n');
        let mut out = io::stdout().lock();
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            // Nobody listens any more.
            std::process::exit(0);
        }
    }

    /// Waits for what the coordinator says.
    pub fn hear<T: serde::de::DeserializeOwned>(&mut self) -> io::Result<T> {
        let mut text = String::new();
        if io::stdin().lock().read_line(&mut text)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_str(&text).map_err(io::Error::other)
    }

    /// The next job; `None` when there is none.
    pub fn next(&mut self) -> Result<Option<Job>, CampaignError> {
        self.say(&ToCoordinator::Next);
        match self.hear() {
            Ok(ToWorker::Job(job)) => Ok(Some(job)),
            Ok(ToWorker::Stop | ToWorker::Have) => Ok(None),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => std::process::exit(0),
            Err(e) => Err(CampaignError::Workers(format!("unreadable job: {e}"))),
        }
    }
}
