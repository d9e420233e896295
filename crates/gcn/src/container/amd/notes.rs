//! Notes of an encoding.
//!
//! Each has a header of five words: bytes of its name, bytes of what it says,
//! its type, and the name, `ATI CAL`. Their types (Multi2Sim, `Binary.cc`):
//! 1 program info, 2 inputs, 3 outputs, 4 conditional output, 5 to 7 constants
//! (floats, integers, flags), 8 early exit, 9 global buffers, 10 constant
//! buffers, 11 samplers, 12 persistent buffers, 13 scratch buffers, 14 parts of
//! constant buffers, 15 size of a mailbox, 16 UAVs, 17 UAVs in use. Only the
//! first says something that the metadata does not.

use super::elf::word;

/// Type of the note with settings.
pub const PROGRAM_INFO: u32 = 1;
const NAME: &[u8; 8] = b"ATI CAL\0";
const HEADER: usize = 12 + NAME.len();

/// A note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// Its type.
    pub kind: u32,
    /// What it says.
    pub bytes: &'a [u8],
}

/// Takes notes apart; nothing if one is cut off or none of AMD's.
pub fn read(mut bytes: &[u8]) -> Option<Vec<Note<'_>>> {
    let mut notes = Vec::new();
    while !bytes.is_empty() {
        let len = usize::try_from(word(bytes, 4)?).ok()?;
        let kind = word(bytes, 8)?;
        if word(bytes, 0)? as usize != NAME.len() || bytes.get(12..HEADER)? != NAME {
            return None;
        }
        let (note, rest) = bytes.get(HEADER..)?.split_at_checked(len)?;
        notes.push(Note { kind, bytes: note });
        bytes = rest;
    }
    Some(notes)
}
