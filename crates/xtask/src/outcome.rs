//! How commands end.

/// A command's result; the error is a sentence for the person at the terminal.
pub type Outcome<T> = Result<T, String>;
