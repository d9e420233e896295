//! What can be wrong with a chip description, and where.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// File name as given, `chips/NAME.toml` for a preset, or the override.
    pub file: Arc<str>,
    /// Line, counted from 1; 0 = the whole file.
    pub line: u32,
    /// Column, counted from 1; 0 = the whole line.
    pub column: u32,
}

impl SourcePlace {
    /// A place that is a whole file.
    pub(crate) fn file(file: &str) -> Self {
        SourcePlace { file: Arc::from(file), line: 0, column: 0 }
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().filter(|n| *n > 0) {
            write!(f, ":{number}")?;
        }
        Ok(())
    }
}

/// Why a chip could not be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChipError {
    /// Neither a preset nor a file.
    #[error(
        "no chip called `{name}`{}; presets are {presets}, and a file is given by its path, \
         e.g. ./{name}.toml", did_you_mean(.nearest)
    )]
    UnknownChip {
        /// What was asked for.
        name: String,
        /// The names there are.
        presets: String,
        /// The preset that looks most like it.
        nearest: Option<String>,
    },
    /// The file could not be read.
    #[error("{path}: cannot read the chip file: {reason}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The text is no TOML.
    #[error("{place}: not valid TOML: {reason}")]
    Syntax {
        /// Where.
        place: SourcePlace,
        /// What the parser expected.
        reason: String,
    },
    /// The file is larger than any chip description.
    #[error("{file}: {bytes} bytes is too large for a chip description (at most {limit})")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        bytes: usize,
        /// The largest size read.
        limit: usize,
    },
    /// A table or key that no component has.
    #[error("{place}: unknown key `{key}`{}; {known}", did_you_mean(.nearest))]
    UnknownKey {
        /// Where.
        place: SourcePlace,
        /// The dotted path.
        key: String,
        /// The key that looks most like it.
        nearest: Option<String>,
        /// Which keys there are.
        known: String,
    },
    /// A key that others have and nothing here reads.
    #[error("{place}: nothing reads `{key}`: {instead}; take it out")]
    Unread {
        /// Where.
        place: SourcePlace,
        /// The dotted path.
        key: String,
        /// What the model does.
        instead: String,
    },
    /// A required key is missing.
    #[error("{file}: [{component}] lacks `{key}` ({doc}); add it, or inherit it with `extends`")]
    Missing {
        /// The file.
        file: String,
        /// The table.
        component: String,
        /// The key.
        key: String,
        /// What it means.
        doc: String,
    },
    /// A value that is of the wrong type, out of range, or contradicts another.
    #[error("{place}: [{component}] {key}: {problem}; {mend}")]
    Invalid {
        /// Where.
        place: SourcePlace,
        /// The table.
        component: String,
        /// The key.
        key: String,
        /// What is wrong.
        problem: String,
        /// How to mend it.
        mend: String,
    },
    /// `extends` leads back to itself.
    #[error("{place}: `extends` goes in a circle: {chain}; let one of them stand alone")]
    ExtendsCycle {
        /// Where.
        place: SourcePlace,
        /// The files in order.
        chain: String,
    },
    /// Code for one kind of core was given a chip with the other.
    #[error("chip `{chip}` has {has}; this needs a chip with {needs}")]
    OtherCore {
        /// The chip.
        chip: String,
        /// What it has.
        has: &'static str,
        /// What is needed.
        needs: &'static str,
    },
    /// An override that is not of the form `table.key=value`.
    #[error("`{text}` is not an override: {problem}; write e.g. sm.count=15 or l1d.ways=4")]
    Override {
        /// The override as given.
        text: String,
        /// What is wrong.
        problem: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default()
}
