//! Failures as Python sees them.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyType;
use upset_cli::Failure;
use upset_store::StoreError;

/// The exit code of a command that was interrupted, with everything saved.
const INTERRUPTED: u8 = 130;

/// `upset.Error` with the message and the code that the program would have ended
/// with; `KeyboardInterrupt` for what was interrupted.
pub fn failed(py: Python<'_>, failure: Failure, result: Option<String>) -> PyErr {
    let Failure { code, message } = failure;
    let message = match message.as_str() {
        // A program's own end has no words.
        "" if code > 128 => format!("the program was ended by signal {}", code - 128),
        "" => format!("the program ended with exit code {code}"),
        _ => message,
    };
    if code == INTERRUPTED {
        return PyKeyboardInterrupt::new_err(message);
    }
    let error = || {
        let class = py.import("upset._error")?.getattr("Error")?.cast_into::<PyType>()?;
        class.call1((message, code, result))
    };
    error().map_or_else(|e| e, PyErr::from_value)
}

/// A store that cannot be read.
pub fn unreadable(py: Python<'_>, e: &StoreError) -> PyErr {
    failed(py, Failure { code: if e.is_input() { 2 } else { 4 }, message: e.to_string() }, None)
}
