//! How the program ends when it does not end well.

use std::io::{self, Write};
use std::path::Path;

use upset_apps::AppError;
use upset_chip::ChipError;
use upset_device::DeviceError;
use upset_launcher::{Class, LaunchError};
use upset_sass::container::{ContainerError, ErrorClass};

/// Done, and the answer is "no".
pub const NO: u8 = 1;
/// Usage or bad input.
pub const BAD_INPUT: u8 = 2;
/// The program needs something we lack.
pub const LACKING: u8 = 3;
/// Our own failure.
pub const OURS: u8 = 4;
/// Interrupted, with everything saved.
pub const INTERRUPTED: u8 = 130;

/// One message and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub code: u8,
    /// What to say; empty when all was said.
    pub message: String,
}

impl Failure {
    /// A failure with a message.
    pub fn new(code: u8, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into() }
    }

    /// A file that could not be read.
    pub fn read(path: &Path, e: &io::Error) -> Failure {
        Failure::new(BAD_INPUT, format!("cannot read {}: {e}", path.display()))
    }

    /// A file that could not be written: no such folder, no room, no permission.
    pub fn write(path: &Path, e: &io::Error) -> Failure {
        Failure::new(BAD_INPUT, format!("cannot write {}: {e}", path.display()))
    }
}

/// Prints to standard output; a reader that has gone away is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(BAD_INPUT, format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Tells something on standard error. If nobody can hear it (closed, full), the
/// work and its exit code count all the same.
pub fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

impl From<ChipError> for Failure {
    fn from(e: ChipError) -> Failure {
        Failure::new(BAD_INPUT, e.to_string())
    }
}

impl From<ContainerError> for Failure {
    fn from(e: ContainerError) -> Failure {
        let code = match e.class() {
            ErrorClass::BadInput => BAD_INPUT,
            ErrorClass::Lacks => LACKING,
        };
        Failure::new(code, e.to_string())
    }
}

impl From<DeviceError> for Failure {
    fn from(e: DeviceError) -> Failure {
        let code = match &e {
            e if e.is_lacking() => LACKING,
            // The program ran and went wrong: that is an answer.
            DeviceError::Trap { .. } => NO,
            _ => BAD_INPUT,
        };
        Failure::new(code, e.to_string())
    }
}

impl From<AppError> for Failure {
    fn from(e: AppError) -> Failure {
        match e {
            AppError::Device(e) => e.into(),
            AppError::Code { ref error, .. } if error.is_lacking() => {
                Failure::new(LACKING, e.to_string())
            }
            AppError::NoCode { .. } | AppError::OtherVendor { .. } => {
                Failure::new(LACKING, e.to_string())
            }
            AppError::Host(_) => Failure::new(NO, e.to_string()),
            _ => Failure::new(BAD_INPUT, e.to_string()),
        }
    }
}

impl From<LaunchError> for Failure {
    fn from(e: LaunchError) -> Failure {
        let code = match e.class {
            Class::BadInput => BAD_INPUT,
            Class::Lacking => LACKING,
            Class::Ours => OURS,
        };
        Failure::new(code, e.message)
    }
}
