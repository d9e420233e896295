//! `.nv.info` sections: attributes of a module or a kernel. Numbers and
//! layouts: `docs/containers.md`.

use super::ContainerError;
use super::bytes::{u16_at, u32_at};
use super::elf::{Section, malformed};

/// Attribute numbers that the loader understands.
pub mod number {
    /// Most threads per block: three words.
    pub const MAX_THREADS: u8 = 5;
    /// Symbol of bank 0, base and size of the parameters.
    pub const PARAM_CBANK: u8 = 10;
    /// Functions that the driver provides: symbol indices.
    pub const EXTERNS: u8 = 15;
    /// Required block dimensions: three words.
    pub const REQNTID: u8 = 16;
    /// Symbol and size of its stack frame.
    pub const FRAME_SIZE: u8 = 17;
    /// Symbol and stack of the deepest call chain, all ones when unknown.
    pub const MIN_STACK_SIZE: u8 = 18;
    /// One parameter, up to 4 KiB of them.
    pub const KPARAM_INFO: u8 = 23;
    /// Bytes of all parameters.
    pub const CBANK_PARAM_SIZE: u8 = 25;
    /// Offsets of EXIT instructions.
    pub const EXIT_INSTR_OFFSETS: u8 = 28;
    /// Symbol and registers per thread.
    pub const REGCOUNT: u8 = 47;
    /// One parameter, when there are more than 4 KiB.
    pub const KPARAM_INFO_V2: u8 = 69;
    /// Named barriers in use (CUDA 13).
    pub const NUM_BARRIERS: u8 = 76;
}

/// One attribute, as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Which one; see [`number`].
    pub number: u8,
    /// 1 no value, 2 byte, 3 half word, 4 sized value.
    pub format: u8,
    /// The value, two bytes for formats 1 to 3.
    pub value: Vec<u8>,
}

impl Attribute {
    /// Word `index` of the value.
    pub fn word(&self, index: usize) -> Option<u32> {
        let at = index.checked_mul(4)?;
        self.value.get(at..at.checked_add(4)?).map(|b| u32_at(b, 0))
    }

    /// The first two bytes as a number: formats 2 and 3.
    pub fn half(&self) -> u16 {
        u16_at(&self.value, 0)
    }

    /// Three words: x, y, z.
    pub(super) fn dimensions(&self) -> Option<[u32; 3]> {
        Some([self.word(0)?, self.word(1)?, self.word(2)?])
    }
}

/// All attributes of an `.nv.info` section.
pub(super) fn parse(section: &Section<'_>) -> Result<Vec<Attribute>, ContainerError> {
    let bytes = section.data;
    let mut attributes = Vec::new();
    let mut at = 0;
    while let Some(head) = bytes.get(at..at + 4) {
        let (format, number) = (u16_at(head, 0) as u8, (u16_at(head, 0) >> 8) as u8);
        let size = match format {
            1..=3 => 0,
            4 => usize::from(u16_at(head, 2)),
            _ => {
                return Err(malformed(
                    section.name,
                    section.offset + at as u64,
                    format!("attribute {number} has format {format}, known are 1 to 4"),
                ));
            }
        };
        let value =
            if format == 4 { bytes.get(at + 4..at + 4 + size) } else { bytes.get(at + 2..at + 4) };
        let value = value.ok_or_else(|| {
            malformed(
                section.name,
                section.offset + at as u64,
                format!("attribute {number} of {size} bytes reaches past the section"),
            )
        })?;
        attributes.push(Attribute { number, format, value: value.to_vec() });
        at += 4 + size;
    }
    Ok(attributes)
}
