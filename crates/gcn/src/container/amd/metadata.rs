//! Text about a kernel: a line for each thing, its words divided by colons.
//!
//! ```text
//! ;ARGSTART:__OpenCL_k_kernel
//! ;version:3:1:104
//! ;memory:hwlocal:1024
//! ;pointer:out:float:1:1:0:uav:12:4:RW:0:0
//! ;value:n:u32:1:1:16
//! ;ARGEND:__OpenCL_k_kernel
//! ```
//!
//! Lines and their words are those that Multi2Sim (`Kernel.cc`) and CLRX
//! (`AmdBinGen.cpp`) know; other lines say nothing that a launch needs.

use super::app_sdk::Reserved;
use super::types;
use crate::container::argument::{Access, Argument, ArgumentKind, Binding};
use crate::container::error::{ContainerError, malformed};

/// The only version that was seen.
const VERSION: &str = "3";
/// The constant buffer that holds arguments.
const BUFFER: &str = "1";
/// Bytes of the largest constant buffer.
const MOST_BYTES: u32 = 1 << 16;
/// Arguments begin at multiples of this.
const SLOT: u32 = 16;

/// What is said of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Its arguments; samplers come last.
    pub arguments: Vec<Argument>,
    /// Bytes of constant buffer 1.
    pub argument_bytes: u32,
    /// Bytes of LDS that the source declares.
    pub lds_bytes: u32,
    /// Bytes of private memory in a UAV.
    pub uav_private_bytes: u32,
    /// Size of a work-group, where the source fixes it.
    pub group_size: Option<[u32; 3]>,
    /// Entries of the UAV table that no argument names.
    pub reserved: Reserved,
    /// The kernel reads the program's constants.
    pub needs_constants: bool,
    /// Pointers have 64 bits.
    pub wide: bool,
}

/// Reads the text of a file whose pointers are said to have 64 bits (`wide`) or
/// not. Errors are said to be at `place`.
pub fn read(bytes: &[u8], place: &str, wide: bool) -> Result<Metadata, ContainerError> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed(place, "it is no text"))?;
    // The line comes after those of arguments.
    let wide = wide || text.lines().any(|line| line == ";memory:64bitABI");
    let mut metadata = Metadata { wide, ..Metadata::default() };
    let (mut begun, mut ended, mut versioned) = (false, false, false);
    for line in text.lines() {
        let words: Vec<&str> = line.trim_start_matches(';').split(':').collect();
        match words[0] {
            "ARGSTART" => begun = true,
            "ARGEND" => {
                ended = true;
                break;
            }
            "version" if words.get(1) == Some(&VERSION) => versioned = true,
            "version" => {
                return Err(ContainerError::OtherMetadata { found: words[1..].join(".") });
            }
            _ => metadata
                .line(&words)
                .map_err(|problem| malformed(place, format!("`{}`: {problem}", shown(line))))?,
        }
    }
    if !(begun && ended && versioned) {
        return Err(malformed(place, "ARGSTART, version or ARGEND is missing"));
    }
    metadata.finish(place)?;
    Ok(metadata)
}

/// As much of a line as an error has room for.
fn shown(line: &str) -> String {
    line.chars().take(80).collect()
}

fn word<'a>(words: &[&'a str], at: usize) -> Result<&'a str, String> {
    words.get(at).copied().ok_or_else(|| format!("word {at} is missing"))
}

fn number(words: &[&str], at: usize) -> Result<u32, String> {
    let word = word(words, at)?;
    word.parse().map_err(|_| format!("{word:?} is no number"))
}

/// The offset after the number of the constant buffer.
fn offset(words: &[&str], at: usize) -> Result<u32, String> {
    match word(words, at)? {
        BUFFER => number(words, at + 1),
        other => Err(format!("arguments are in constant buffer 1, not {other:?}")),
    }
}

impl Metadata {
    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        match words[0] {
            "memory" => self.memory(words)?,
            "cws" => {
                self.group_size = Some([number(words, 1)?, number(words, 2)?, number(words, 3)?]);
            }
            "uavid" => self.reserved.raw = Some(number(words, 1)?),
            "cbid" => self.reserved.constants = Some(number(words, 1)?),
            "printfid" => self.reserved.printf = Some(number(words, 1)?),
            "privateid" => self.reserved.private = Some(number(words, 1)?),
            "value" => self.arguments.push(value(words)?),
            "pointer" => self.arguments.push(pointer(words, self.wide)?),
            "image" => self.arguments.push(other(words, offset(words, 5)?)?),
            "counter" => self.arguments.push(other(words, offset(words, 4)?)?),
            // Those that the source declares itself have 1 for their place.
            "sampler" if word(words, 3)? == "0" => self.arguments.push(other(words, 0)?),
            _ => {}
        }
        Ok(())
    }

    fn memory(&mut self, words: &[&str]) -> Result<(), String> {
        match word(words, 1)? {
            "hwlocal" => self.lds_bytes = number(words, 2)?,
            "uavprivate" => self.uav_private_bytes = number(words, 2)?,
            "datareqd" => self.needs_constants = true,
            _ => {}
        }
        Ok(())
    }

    /// Measures the arguments.
    fn finish(&mut self, place: &str) -> Result<(), ContainerError> {
        for a in &self.arguments {
            let end = a.offset.checked_add(a.bytes).filter(|&end| end <= MOST_BYTES);
            let end = end.ok_or_else(|| {
                malformed(place, format!("argument {} lies beyond a constant buffer", a.name))
            })?;
            self.argument_bytes = self.argument_bytes.max(end.next_multiple_of(SLOT));
        }
        Ok(())
    }
}

/// `value`, name, type, elements, buffer, offset.
fn value(words: &[&str]) -> Result<Argument, String> {
    let (type_name, elements) = (word(words, 2)?, number(words, 3)?);
    let bytes = types::bytes(type_name, elements)
        .ok_or_else(|| format!("a type of {elements} {type_name} is not known"))?;
    Ok(Argument {
        name: word(words, 1)?.to_string(),
        type_name: spelled(type_name, elements),
        offset: offset(words, 4)?,
        bytes,
        ..Argument::default()
    })
}

/// A type with its elements, as OpenCL spells vectors.
fn spelled(type_name: &str, elements: u32) -> String {
    match (type_name, elements) {
        (_, 1) | ("struct" | "union" | "event" | "opaque", _) => type_name.to_string(),
        _ => format!("{type_name}{elements}"),
    }
}

/// `pointer`, name, type, elements, buffer, offset, space, number, alignment,
/// access, volatile, restrict. The first SDKs stop before the last four, or two
/// (Multi2Sim).
fn pointer(words: &[&str], wide: bool) -> Result<Argument, String> {
    let (space, slot) = (word(words, 6)?, number(words, 7)?);
    let (kind, binding) = match space {
        "uav" => (ArgumentKind::Buffer, Binding::Uav(slot)),
        // Constant memory: newer drivers (1348 and on) count it among the UAVs.
        "c" => (ArgumentKind::Buffer, Binding::Uav(slot)),
        "hc" => (ArgumentKind::Buffer, Binding::ConstantBuffer(slot)),
        "hl" => (ArgumentKind::Lds, Binding::Address),
        _ => (ArgumentKind::Other(format!("pointer to space {space}")), Binding::Address),
    };
    let access = match words.get(9) {
        None if space == "c" || space == "hc" => Access::ReadOnly,
        None | Some(&"RW") => Access::ReadWrite,
        Some(&"RO") => Access::ReadOnly,
        Some(&"WO") => Access::WriteOnly,
        Some(other) => return Err(format!("{other:?} is no access")),
    };
    Ok(Argument {
        name: word(words, 1)?.to_string(),
        type_name: spelled(word(words, 2)?, number(words, 3)?),
        offset: offset(words, 4)?,
        // An offset in LDS has 32 bits whatever pointers have (CLRX).
        bytes: if wide && kind != ArgumentKind::Lds { 8 } else { 4 },
        kind,
        binding,
        access,
        align: if words.len() > 8 { number(words, 8)? } else { 0 },
    })
}

/// What is named and not supported.
fn other(words: &[&str], offset: u32) -> Result<Argument, String> {
    Ok(Argument {
        name: word(words, 1)?.to_string(),
        type_name: words[0].to_string(),
        offset,
        kind: ArgumentKind::Other(words[0].to_string()),
        ..Argument::default()
    })
}
