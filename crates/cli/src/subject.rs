//! What is run: an application or a program, for `upset run` and `upset inject`.

use std::ffi::OsString;

use clap::Args;

use crate::failure::{self, Failure};

/// One of the two.
#[derive(Debug, Args)]
pub struct Subject {
    /// A built-in application (see `upset apps`) or a folder with an app.toml
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    pub app: Option<String>,
    /// A CUDA program, linked with `-cudart shared`, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// The words of a command line as text, which stores and explanations keep.
pub fn as_text(words: &[OsString]) -> Result<Vec<String>, Failure> {
    let text = |word: &OsString| {
        word.to_str().map(String::from).ok_or_else(|| {
            let text = format!("the argument {word:?} is not UTF-8: it cannot be kept in a store");
            Failure::new(failure::BAD_INPUT, text)
        })
    };
    words.iter().map(text).collect()
}
