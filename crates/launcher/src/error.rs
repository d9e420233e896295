//! Why a program was not started.

use std::fmt;
use std::io;
use std::path::Path;

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Not a program, not readable…
    BadInput,
    /// The program needs something that we lack.
    Lacking,
    /// Our own failure.
    Ours,
}

/// Why a program was not started: one message, and whose fault it is.
#[derive(Clone, Debug)]
pub struct LaunchError {
    /// Whose fault it is.
    pub class: Class,
    /// What is wrong and how to mend it.
    pub message: String,
}

impl LaunchError {
    pub(crate) fn input(message: impl Into<String>) -> LaunchError {
        LaunchError { class: Class::BadInput, message: message.into() }
    }

    pub(crate) fn lacking(message: impl Into<String>) -> LaunchError {
        LaunchError { class: Class::Lacking, message: message.into() }
    }

    pub(crate) fn ours(what: &str, e: &io::Error) -> LaunchError {
        LaunchError { class: Class::Ours, message: format!("cannot {what}: {e}") }
    }

    pub(crate) fn write(path: &Path, e: &io::Error) -> LaunchError {
        LaunchError::input(format!("cannot write {}: {e}", path.display()))
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LaunchError {}
