//! As much of ELF as these files use. The inner one begins at any byte of the
//! outer one, so words are read byte by byte.

use crate::container::error::{ContainerError, malformed};

/// Names are cut off here: no kernel's is longer, and reading stays linear.
const LONGEST_NAME: usize = 4096;
const LITTLE_ENDIAN: u8 = 1;
const CLASS_32: u8 = 1;
const CLASS_64: u8 = 2;
/// A section without bytes in the file.
const NOBITS: u32 = 8;
const SYMTAB: u32 = 2;

/// A word of 16 bits.
pub fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

/// A word of 32 bits.
pub fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// Bytes of a file, if it has them.
fn slice(bytes: &[u8], at: u64, len: u64) -> Option<&[u8]> {
    let at = usize::try_from(at).ok()?;
    bytes.get(at..at.checked_add(usize::try_from(len).ok()?)?)
}

/// Text up to the next zero.
fn name(table: &[u8], at: u32) -> Option<&str> {
    let rest = table.get(usize::try_from(at).ok()?..)?;
    let end = rest.iter().take(LONGEST_NAME).position(|&b| b == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// A section.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where its bytes begin in the file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
    kind: u32,
    link: u32,
}

/// A symbol of a section.
#[derive(Clone, Copy, Debug)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it names, unless that lies beyond its section.
    pub bytes: Option<&'a [u8]>,
}

/// A program header.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    /// What it is for.
    pub kind: u32,
    /// Where its bytes begin in the file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// An ELF file, little-endian, of either class.
#[derive(Clone, Copy, Debug)]
pub struct Elf<'a> {
    bytes: &'a [u8],
    /// Its class is 64 bits.
    pub wide: bool,
    /// Its machine.
    pub machine: u16,
    place: &'a str,
}

impl<'a> Elf<'a> {
    /// Reads the header. Errors are said to be at `place`.
    pub fn new(bytes: &'a [u8], place: &'a str) -> Result<Elf<'a>, ContainerError> {
        let wrong = |problem: &str| malformed(place, problem);
        if !bytes.starts_with(b"\x7fELF") {
            return Err(wrong("it is no ELF file"));
        }
        let wide = match bytes.get(4) {
            Some(&CLASS_32) => false,
            Some(&CLASS_64) => true,
            _ => return Err(wrong("its class is neither 32 nor 64 bits")),
        };
        if bytes.get(5) != Some(&LITTLE_ENDIAN) {
            return Err(wrong("it is not little-endian"));
        }
        let header = if wide { 64 } else { 52 };
        let machine = half(bytes, 18).filter(|_| bytes.len() >= header);
        Ok(Elf { bytes, wide, machine: machine.ok_or_else(|| wrong("no header"))?, place })
    }

    fn wrong(&self, problem: impl ToString) -> ContainerError {
        malformed(self.place, problem)
    }

    /// An address or size, which has the width of the class.
    fn long(&self, bytes: &[u8], at: usize) -> Option<u64> {
        let low = u64::from(word(bytes, at)?);
        Some(if self.wide { low | u64::from(word(bytes, at + 4)?) << 32 } else { low })
    }

    /// The entries of a table in the header.
    fn table(
        &self,
        what: &str,
        offset_at: [usize; 2],
        size_at: [usize; 2],
        least: [usize; 2],
    ) -> Result<std::slice::ChunksExact<'a, u8>, ContainerError> {
        let wide = usize::from(self.wide);
        let read = || {
            let offset = self.long(self.bytes, offset_at[wide])?;
            let each = u64::from(half(self.bytes, size_at[wide])?);
            let count = u64::from(half(self.bytes, size_at[wide] + 2)?);
            if count == 0 {
                return Some([].chunks_exact(1));
            }
            let each_bytes = usize::try_from(each).ok().filter(|&e| e >= least[wide])?;
            Some(slice(self.bytes, offset, each * count)?.chunks_exact(each_bytes))
        };
        read().ok_or_else(|| self.wrong(format!("its {what} lie beyond the end")))
    }

    /// Its sections.
    pub fn sections(&self) -> Result<Vec<Section<'a>>, ContainerError> {
        let wide = usize::from(self.wide);
        let mut names: Vec<u32> = Vec::new();
        let mut sections = Vec::new();
        for entry in self.table("section headers", [32, 40], [46, 58], [40, 64])? {
            let read = || {
                let kind = word(entry, 4)?;
                let offset = self.long(entry, [16, 24][wide])?;
                let size = self.long(entry, [20, 32][wide])?;
                let bytes = match kind {
                    0 | NOBITS => &[],
                    _ => slice(self.bytes, offset, size)?,
                };
                let link = word(entry, [24, 40][wide])?;
                Some((word(entry, 0)?, Section { name: "", offset, bytes, kind, link }))
            };
            let number = sections.len();
            let (at, section) = read()
                .ok_or_else(|| self.wrong(format!("section {number} lies beyond the end")))?;
            names.push(at);
            sections.push(section);
        }
        let strings = half(self.bytes, [50, 62][wide]).map_or(0, usize::from);
        let table: &[u8] = sections.get(strings).map_or(&[], |s| s.bytes);
        for (number, (section, at)) in sections.iter_mut().zip(names).enumerate().skip(1) {
            section.name = name(table, at)
                .ok_or_else(|| malformed(self.place, format!("section {number} has no name")))?;
        }
        Ok(sections)
    }

    /// Symbols of its sections.
    pub fn symbols(&self) -> Result<Vec<Symbol<'a>>, ContainerError> {
        let wide = usize::from(self.wide);
        let sections = self.sections()?;
        let mut symbols = Vec::new();
        for table in sections.iter().filter(|s| s.kind == SYMTAB) {
            let strings = usize::try_from(table.link).ok().and_then(|i| sections.get(i));
            let strings: &[u8] = strings.map_or(&[], |s| s.bytes);
            for (number, entry) in table.bytes.chunks_exact([16, 24][wide]).enumerate() {
                let read = || {
                    let at = usize::from(half(entry, [14, 6][wide])?);
                    // Undefined, or of no section.
                    let Some(section) = sections.get(at).filter(|_| at != 0) else {
                        return Some(None);
                    };
                    let value = self.long(entry, [4, 8][wide])?;
                    let size = self.long(entry, [8, 16][wide])?;
                    let bytes = slice(section.bytes, value, size);
                    Some(Some(Symbol { name: name(strings, word(entry, 0)?)?, bytes }))
                };
                symbols.extend(
                    read().ok_or_else(|| self.wrong(format!("symbol {number} has no name")))?,
                );
            }
        }
        Ok(symbols)
    }

    /// Its program headers.
    pub fn segments(&self) -> Result<Vec<Segment<'a>>, ContainerError> {
        let wide = usize::from(self.wide);
        let mut segments = Vec::new();
        for entry in self.table("program headers", [28, 32], [42, 54], [32, 56])? {
            let read = || {
                let kind = word(entry, 0)?;
                let offset = self.long(entry, [4, 8][wide])?;
                let bytes = slice(self.bytes, offset, self.long(entry, [16, 32][wide])?)?;
                Some(Segment { kind, offset, bytes })
            };
            let number = segments.len();
            segments.push(
                read()
                    .ok_or_else(|| self.wrong(format!("segment {number} lies beyond the end")))?,
            );
        }
        Ok(segments)
    }
}
