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
mod note;
mod options;
mod reader;

use crate::error::ChipError;
use crate::spec::ChipSpec;
use crate::tree::MAX_BYTES;
use draft::Draft;
pub use note::{Note, NoteKind, render_notes};
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
