//! What an import tells its reader.

use std::fmt;

use serde::Serialize;

/// Something the reader of an import must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The option without its dash, or the chip's key for an assumption.
    pub option: String,
    /// Its line, counted from 1; 0 where no line is concerned.
    pub line: usize,
    /// Its value as written, or the value assumed.
    pub value: String,
    /// What became of it.
    pub kind: NoteKind,
    /// Why.
    pub reason: String,
}

/// What became of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// Carried over with a change of meaning or value.
    Changed,
    /// Not in the configuration, but the chip needs it.
    Assumed,
    /// The model has nothing like it.
    NoCounterpart,
    /// Left out on purpose: it is no property of a chip.
    Ignored,
    /// The value could not be read.
    Unparsable,
    /// No option we know of.
    Unknown,
}

impl NoteKind {
    /// The kind in words, for headings.
    pub fn title(self) -> &'static str {
        match self {
            NoteKind::Changed => "carried over with a change",
            NoteKind::Assumed => "assumed, not in the configuration",
            NoteKind::NoCounterpart => "no counterpart in the model",
            NoteKind::Ignored => "left out on purpose",
            NoteKind::Unparsable => "could not be read",
            NoteKind::Unknown => "unknown option",
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.line) {
            (NoteKind::Assumed, _) => write!(f, "{} = {}", self.option, self.value)?,
            (_, line) => write!(f, "line {line}: -{} {}", self.option, self.value)?,
        }
        write!(f, ": {}", self.reason)
    }
}

/// The notes as people read them, by kind.
pub fn render_notes(notes: &[Note]) -> String {
    let mut kinds: Vec<NoteKind> = notes.iter().map(|n| n.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut out = String::new();
    for kind in kinds {
        out.push_str(kind.title());
        out.push_str(":\n");
        for note in notes.iter().filter(|n| n.kind == kind) {
            out.push_str(&format!("  {note}\n"));
        }
    }
    out
}
