//! The parts of ELF that cubins and host programs need: 64-bit, little-endian,
//! sections, symbols and relocations. Everything borrows from the file, so a
//! hostile header cannot make it allocate more than a small multiple of the
//! file's own size.

use super::ContainerError;
use super::bytes::{Bytes, text_at, u16_at, u32_at, u64_at};

/// `e_machine` of cubins.
pub(super) const EM_CUDA: u16 = 190;
/// `e_type` of a relocatable object.
pub(super) const ET_REL: u16 = 1;
const SHT_NOBITS: u32 = 8;
/// Global, local and shared memory in objects for the device linker.
const SHT_CUDA_GLOBAL: u32 = 0x7000_0007;
const SHT_CUDA_LOCAL: u32 = 0x7000_0009;
const SHT_CUDA_SHARED: u32 = 0x7000_000a;
const SHT_SYMTAB: u32 = 2;
const SHT_RELA: u32 = 4;
const SHT_REL: u32 = 9;
const SHT_SYMTAB_SHNDX: u32 = 18;
const SHN_XINDEX: u16 = 0xffff;

const HEADER: u64 = 64;
const SECTION: u64 = 64;
const SYMBOL: usize = 24;

/// An ELF file.
#[derive(Debug)]
pub(super) struct Elf<'a> {
    len: usize,
    pub os_abi: u8,
    pub abi_version: u8,
    pub kind: u16,
    pub machine: u16,
    pub flags: u32,
    pub sections: Vec<Section<'a>>,
}

/// A section and its bytes.
#[derive(Clone, Debug)]
pub(super) struct Section<'a> {
    pub name: &'a str,
    pub kind: u32,
    pub flags: u64,
    pub offset: u64,
    pub size: u64,
    pub link: u32,
    pub info: u32,
    pub align: u64,
    pub data: &'a [u8],
}

/// A symbol as it stands in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSymbol<'a> {
    pub name: &'a str,
    pub kind: u8,
    pub other: u8,
    pub section: u32,
    pub value: u64,
    pub size: u64,
}

/// A relocation as it stands in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawRelocation {
    pub offset: u64,
    pub symbol: u32,
    pub number: u32,
    pub addend: Option<i64>,
}

impl<'a> Elf<'a> {
    pub fn parse(data: &'a [u8]) -> Result<Self, ContainerError> {
        let file = Bytes(data);
        let header = file.slice(0, HEADER, || "ELF header".into())?;
        if header.get(4..6) != Some(&[2, 1]) {
            return Err(ContainerError::Unsupported {
                place: "ELF header".into(),
                offset: 4,
                what: "an ELF file that is not 64-bit little-endian".into(),
                remedy: "build for a 64-bit host (nvcc -m64)".into(),
            });
        }
        // Program headers are not used, but stand at the end of cubins: their
        // absence betrays a file that was cut off.
        let (at, size) = (u64_at(header, 0x20), u64::from(u16_at(header, 0x36)));
        let count = u64::from(u16_at(header, 0x38));
        file.slice(at, size * count, || "program headers".into())?;
        let table = u64_at(header, 0x28);
        let mut names = u32::from(u16_at(header, 0x3e));
        let mut count = u64::from(u16_at(header, 0x3c));
        if table != 0 {
            let entry = u16_at(header, 0x3a);
            if u64::from(entry) != SECTION {
                return Err(malformed(
                    "ELF header",
                    0x3a,
                    format!("section headers of {entry} bytes instead of 64"),
                ));
            }
            // Files with very many sections keep the real numbers in section 0.
            let first = file.slice(table, SECTION, || "first section header".into())?;
            if count == 0 {
                count = u64_at(first, 0x20);
            }
            if names == u32::from(SHN_XINDEX) {
                names = u32_at(first, 0x28);
            }
        } else {
            count = 0;
        }
        let headers = file.slice(table, count.saturating_mul(SECTION), || {
            format!("table of {count} section headers")
        })?;
        let names = headers
            .chunks_exact(SECTION as usize)
            .nth(names as usize)
            .map(|h| file.slice(u64_at(h, 0x18), u64_at(h, 0x20), || "section name table".into()))
            .transpose()?
            .unwrap_or(&[]);
        let mut budget = NameBudget::new(data.len());
        let mut sections = Vec::with_capacity(headers.len() / SECTION as usize);
        for (index, h) in headers.chunks_exact(SECTION as usize).enumerate() {
            let at = table.saturating_add(index as u64 * SECTION);
            let kind = u32_at(h, 4);
            let name = match kind {
                0 => "",
                _ => text_at(names, u32_at(h, 0)).ok_or_else(|| {
                    malformed("section header", at, format!("section {index} has no name"))
                })?,
            };
            budget.spend(name, at)?;
            let (offset, size) = (u64_at(h, 0x18), u64_at(h, 0x20));
            let data = match kind {
                0 => &[][..],
                _ if zero_fill(kind) => &[][..],
                _ => file.slice(offset, size, || format!("section {name}"))?,
            };
            let align = u64_at(h, 0x30).max(1);
            sections.push(Section {
                name,
                kind,
                flags: u64_at(h, 8),
                offset,
                size,
                link: u32_at(h, 0x28),
                info: u32_at(h, 0x2c),
                align,
                data,
            });
        }
        Ok(Self {
            len: data.len(),
            os_abi: header.get(7).copied().unwrap_or(0),
            abi_version: header.get(8).copied().unwrap_or(0),
            kind: u16_at(header, 0x10),
            machine: u16_at(header, 0x12),
            flags: u32_at(header, 0x30),
            sections,
        })
    }

    pub fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// All symbols; the index is that of relocations and attributes.
    pub fn symbols(&self) -> Result<Vec<RawSymbol<'a>>, ContainerError> {
        let Some(table) = self.sections.iter().find(|s| s.kind == SHT_SYMTAB) else {
            return Ok(Vec::new());
        };
        let names = self.sections.get(table.link as usize).map_or(&[][..], |s| s.data);
        let wide =
            self.sections.iter().find(|s| s.kind == SHT_SYMTAB_SHNDX).map_or(&[][..], |s| s.data);
        let mut budget = NameBudget::new(self.len);
        let symbol = |(index, record): (usize, &[u8])| {
            let info = record.get(4).copied().unwrap_or(0);
            let section = match u16_at(record, 6) {
                SHN_XINDEX => u32_at(wide, index.saturating_mul(4)),
                section => u32::from(section),
            };
            let name = match u32_at(record, 0) {
                0 => "",
                at => text_at(names, at).ok_or_else(|| {
                    malformed(
                        table.name,
                        table.offset + (index * SYMBOL) as u64,
                        "symbol without a name".into(),
                    )
                })?,
            };
            budget.spend(name, table.offset)?;
            Ok(RawSymbol {
                name,
                kind: info & 0xf,
                other: record.get(5).copied().unwrap_or(0),
                section,
                value: u64_at(record, 8),
                size: u64_at(record, 16),
            })
        };
        table.data.chunks_exact(SYMBOL).enumerate().map(symbol).collect()
    }
}

impl Section<'_> {
    /// Whether the section has no bytes in the file.
    pub fn zero_fill(&self) -> bool {
        zero_fill(self.kind)
    }

    /// The relocations in this section, if it holds any. `info` is the section they patch.
    pub fn relocations(&self) -> impl Iterator<Item = RawRelocation> {
        let (size, explicit) = match self.kind {
            SHT_RELA => (24, true),
            SHT_REL => (16, false),
            _ => (usize::MAX, false),
        };
        self.data.chunks_exact(size).map(move |r| RawRelocation {
            offset: u64_at(r, 0),
            number: u32_at(r, 8),
            symbol: u32_at(r, 12),
            addend: explicit.then(|| u64_at(r, 16) as i64),
        })
    }
}

/// Whether sections of that type have no bytes in the file.
fn zero_fill(kind: u32) -> bool {
    matches!(kind, SHT_NOBITS | SHT_CUDA_GLOBAL | SHT_CUDA_LOCAL | SHT_CUDA_SHARED)
}

/// Names that overlap in the string table could make a small file stand for
/// gigabytes of names; honest tables hold each name about once.
struct NameBudget {
    limit: usize,
    left: usize,
}

impl NameBudget {
    fn new(file: usize) -> Self {
        let limit = file.saturating_mul(8);
        Self { limit, left: limit }
    }

    fn spend(&mut self, name: &str, offset: u64) -> Result<(), ContainerError> {
        self.left = self.left.checked_sub(name.len()).ok_or_else(|| ContainerError::TooLarge {
            place: "names".into(),
            offset,
            size: (self.limit + name.len()) as u64,
            limit: self.limit as u64,
        })?;
        Ok(())
    }
}

/// A complaint about `place`.
pub(super) fn malformed(place: &str, offset: u64, problem: String) -> ContainerError {
    ContainerError::Malformed { place: place.into(), offset, problem }
}
