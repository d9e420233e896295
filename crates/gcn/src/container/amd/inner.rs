//! The inner ELF file: one kernel's code, perhaps for several machines.
//!
//! A program header of its own type leads to a dictionary of encodings, five
//! words each: machine, type, offset, size, flags. Notes and sections belong to
//! the encoding within whose bytes they begin (Multi2Sim, `Binary.cc`).

use super::chips::{CHIPS, Chip, EARLY_INNER};
use super::elf::{Elf, word};
use super::notes::{self, PROGRAM_INFO};
use super::program_info::{self, ProgramInfo};
use crate::container::error::{ContainerError, malformed};

const MACHINE: u16 = 0x7d;
const DICTIONARY: u32 = 0x7000_0002;
const NOTE: u32 = 4;
const ENTRY_BYTES: usize = 20;

/// A kernel's code and settings.
#[derive(Clone, Debug)]
pub struct Inner<'a> {
    /// Its code.
    pub code: &'a [u8],
    /// Its settings.
    pub info: ProgramInfo,
}

/// Reads an inner file for a chip. Errors are said to be at `place`.
pub fn read<'a>(bytes: &'a [u8], place: &'a str, chip: Chip) -> Result<Inner<'a>, ContainerError> {
    let wrong = |problem: &str| malformed(place, problem);
    let elf = Elf::new(bytes, place)?;
    if elf.machine != MACHINE {
        return Err(wrong(&format!("its machine is {:#x}, not {MACHINE:#x}", elf.machine)));
    }
    let segments = elf.segments()?;
    let dictionary = segments
        .iter()
        .find(|s| s.kind == DICTIONARY)
        .ok_or_else(|| wrong("it has no dictionary of encodings"))?;
    let (offset, size) = encoding(dictionary.bytes, chip)
        .ok_or_else(|| wrong("no encoding is for Southern Islands"))?;
    let within = |at: u64| (offset..offset.saturating_add(size)).contains(&at);
    let text = elf
        .sections()?
        .into_iter()
        .find(|s| s.name == ".text" && within(s.offset))
        .ok_or_else(|| wrong("it has no code"))?;
    if text.bytes.is_empty() || !text.bytes.len().is_multiple_of(4) {
        return Err(wrong(&format!("{} bytes of code are no instructions", text.bytes.len())));
    }
    let note = segments
        .iter()
        .find(|s| s.kind == NOTE && within(s.offset))
        .ok_or_else(|| wrong("it has no notes"))?;
    let info = notes::read(note.bytes)
        .ok_or_else(|| wrong("its notes are cut off"))?
        .into_iter()
        .find(|n| n.kind == PROGRAM_INFO)
        .ok_or_else(|| wrong("no note has its settings"))?;
    let info = program_info::read(info.bytes)
        .map_err(|problem| wrong(&format!("note with settings: {problem}")))?;
    Ok(Inner { code: text.bytes, info })
}

/// Offset and size of the encoding that fits best: the chip's own, else one for
/// another chip with the same code.
fn encoding(dictionary: &[u8], chip: Chip) -> Option<(u64, u64)> {
    let entries = || dictionary.chunks_exact(ENTRY_BYTES);
    let find = |machine: u32| entries().find(|e| word(e, 0) == Some(machine));
    let same = CHIPS.iter().map(|c| c.inner).chain([EARLY_INNER]);
    let entry = [chip.inner].into_iter().chain(same).find_map(find)?;
    Some((u64::from(word(entry, 8)?), u64::from(word(entry, 12)?)))
}
