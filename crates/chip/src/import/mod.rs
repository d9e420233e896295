//! Other simulators' configurations as chip files.
//!
//! [`gpgpusim`] reads a GPGPU-Sim 4 configuration (and Accel-Sim's
//! `trace.config`, if it is appended). Every option ends up in the chip or in
//! a note that says why it did not.

mod cache_string;
mod draft;
mod leftover;
mod map_core;
mod map_memory;
mod map_units;
mod options;
mod reader;

use std::fmt;

use serde::Serialize;

use crate::error::ChipError;
use crate::spec::ChipSpec;
use crate::tree::MAX_BYTES;
use draft::Draft;
use reader::Reader;

/// A configuration turned into a chip.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The chip.
    pub chip: ChipSpec,
    /// The chip as a file, with the option and line each value comes from.
    pub toml: String,
    /// What could not be carried over, and what was assumed.
    pub notes: Vec<Note>,
}

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

/// Turns the text of a GPGPU-Sim configuration into a chip called `name`;
/// `file` is how errors call the text.
pub fn gpgpusim(text: &str, file: &str, name: &str) -> Result<Imported, ChipError> {
    if text.len() > MAX_BYTES {
        return Err(ChipError::TooLarge {
            file: file.to_owned(),
            bytes: text.len(),
            limit: MAX_BYTES,
        });
    }
    let mut reader = Reader::new(options::parse(text));
    let mut draft = Draft::default();
    let sm = map_core::map(name, &mut reader, &mut draft);
    map_units::map(&mut reader, &mut draft, sm);
    map_memory::map(&mut reader, &mut draft, sm);
    let mut notes = draft.take_notes();
    notes.extend(reader.finish());
    notes.sort_by(|a, b| (a.kind, a.line, &a.option).cmp(&(b.kind, b.line, &b.option)));
    let toml = draft.to_toml();
    let chip = ChipSpec::parse(&toml, file, &[""; 0]).map_err(|e| draft.locate(e))?;
    Ok(Imported { chip, toml, notes })
}
