//! Fat binaries: code for several architectures, compressed or not, alone in a
//! file or in a section of a host program.

use super::ContainerError;
use super::bytes::{Bytes, u16_at, u32_at, u64_at};
use super::compression::{self, UnpackError};
use super::elf::{Elf, malformed};

/// First word of a container.
pub const MAGIC: u32 = 0xba55_ed50;
/// First word of the wrapper that a host program hands to its runtime.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// Largest entry after unpacking.
const MAX_UNPACKED: u64 = 256 << 20;
/// LZ4 cannot shrink more than 255-fold, Zstandard rarely shrinks code more than 20-fold.
const MAX_RATIO: u64 = 1024;
const CONTAINER: u64 = 16;
const ENTRY: u64 = 64;
/// Several images compressed together (CUDA 13, `-concat`).
const KIND_CONCATENATED: u16 = 256;

const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
const FLAG_ACCELERATED: u64 = 0x10_0000;

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// PTX text.
    Ptx,
    /// A cubin.
    Elf,
    /// Something else, by number.
    Other(u16),
}

/// How an entry is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// LZ4 block.
    Lz4,
    /// Zstandard frame.
    Zstd,
}

/// One image of a fat binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: EntryKind,
    /// Compute capability: 75 for sm_75 or compute_75.
    pub sm: u32,
    /// Uses features of exactly that architecture (sm_90a): runs on no other.
    pub accelerated: bool,
    /// All flags, as in the file.
    pub flags: u64,
    /// How it is stored.
    pub compression: Compression,
    /// File offset of the entry's header.
    pub offset: u64,
    /// Number of the container within the file.
    pub container: usize,
    /// What is stored.
    stored: &'a [u8],
    /// Size after unpacking.
    unpacked: u64,
    /// The part of the unpacked bytes that is this image.
    part: (u64, u64),
}

/// The entries of all containers in `bytes`, which may be a fat binary, or a
/// section of a host program that holds several one after the other.
pub fn parse(bytes: &[u8]) -> Result<Vec<Entry<'_>>, ContainerError> {
    let mut entries = Vec::new();
    parse_at(bytes, 0, bytes.len() as u64, &mut entries)?;
    if entries.is_empty() {
        return Err(malformed("fat binary", 0, "it holds no image".into()));
    }
    Ok(entries)
}

/// The entries of all fat binaries inside a host program or object.
pub fn parse_host(bytes: &[u8]) -> Result<Vec<Entry<'_>>, ContainerError> {
    let elf = Elf::parse(bytes)?;
    let mut entries = Vec::new();
    for name in [".nv_fatbin", "__nv_relfatbin"] {
        if let Some(section) = elf.section(name) {
            let end = section.offset.saturating_add(section.data.len() as u64);
            parse_at(bytes, section.offset, end, &mut entries)?;
        }
    }
    if entries.is_empty() {
        return Err(ContainerError::Unrecognised {
            found: format!(
                "a host program (ELF machine {}) without a .nv_fatbin section",
                elf.machine
            ),
        });
    }
    Ok(entries)
}

/// Address of the container that a wrapper points to.
pub fn wrapped_address(wrapper: &[u8]) -> Result<u64, ContainerError> {
    let record = Bytes(wrapper).slice(0, 24, || "fat binary wrapper".into())?;
    match u32_at(record, 0) {
        WRAPPER_MAGIC => Ok(u64_at(record, 8)),
        magic => Err(malformed(
            "fat binary wrapper",
            0,
            format!("magic {magic:#x} instead of {WRAPPER_MAGIC:#x}"),
        )),
    }
}

/// Size of a container, header included; `header` are its first 16 bytes.
pub fn container_size(header: &[u8]) -> Result<u64, ContainerError> {
    let record = Bytes(header).slice(0, CONTAINER, || "fat binary header".into())?;
    match u32_at(record, 0) {
        MAGIC => Ok(u64_at(record, 8).saturating_add(u16_at(record, 6).into())),
        magic => Err(malformed(
            "fat binary header",
            0,
            format!("magic {magic:#x} instead of {MAGIC:#x}"),
        )),
    }
}

fn parse_at<'a>(
    bytes: &'a [u8],
    start: u64,
    end: u64,
    entries: &mut Vec<Entry<'a>>,
) -> Result<(), ContainerError> {
    let file = Bytes(bytes);
    let mut at = start;
    let first = entries.last().map_or(0, |e| e.container + 1);
    for container in first.. {
        // Linkers pad between containers.
        while at < end && bytes.get(at as usize) == Some(&0) {
            at += 1;
        }
        if at >= end {
            break;
        }
        let header = file.slice(at, CONTAINER, || "fat binary header".into())?;
        let (magic, version, head) =
            (u32_at(header, 0), u16_at(header, 4), u64::from(u16_at(header, 6)));
        if magic != MAGIC {
            return Err(malformed(
                "fat binary header",
                at,
                format!("magic {magic:#x} instead of {MAGIC:#x}"),
            ));
        }
        if version != 1 || head < CONTAINER {
            return Err(ContainerError::Unsupported {
                place: "fat binary header".into(),
                offset: at,
                what: format!("version {version} with a header of {head} bytes"),
                remedy: "build with CUDA 11, 12 or 13".into(),
            });
        }
        let size = head.saturating_add(u64_at(header, 8));
        file.slice(at, size, || "fat binary".into())?;
        parse_entries(file, at + head, at + size, container, entries)?;
        at += size;
    }
    Ok(())
}

fn parse_entries<'a>(
    file: Bytes<'a>,
    mut at: u64,
    end: u64,
    container: usize,
    entries: &mut Vec<Entry<'a>>,
) -> Result<(), ContainerError> {
    while at < end {
        let header = file.slice(at, ENTRY, || "fat binary entry".into())?;
        let (head, payload) = (u64::from(u32_at(header, 4)), u64_at(header, 8));
        let next = head
            .checked_add(payload)
            .and_then(|size| at.checked_add(size))
            .filter(|&next| next <= end);
        let (Some(next), true) = (next, head >= ENTRY) else {
            let problem =
                format!("header of {head} and payload of {payload} bytes don't fit the container");
            return Err(malformed("fat binary entry", at, problem));
        };
        let stored = file.slice(at + head, payload, || "payload of a fat binary entry".into())?;
        let entry = read_entry(header, stored, at, container)?;
        if u16_at(header, 0) == KIND_CONCATENATED {
            let table =
                file.slice(at + ENTRY, head - ENTRY, || "table of a concatenated entry".into())?;
            entries.extend(parts(&entry, table)?);
        } else {
            entries.push(entry);
        }
        at = next;
    }
    Ok(())
}

fn read_entry<'a>(
    header: &[u8],
    stored: &'a [u8],
    offset: u64,
    container: usize,
) -> Result<Entry<'a>, ContainerError> {
    let flags = u64_at(header, 40);
    let compression = match (flags & FLAG_LZ4 != 0, flags & FLAG_ZSTD != 0) {
        (false, false) => Compression::None,
        (true, _) => Compression::Lz4,
        (false, true) => Compression::Zstd,
    };
    let (stored, unpacked) = match compression {
        Compression::None => (stored, stored.len() as u64),
        // Payloads are padded to eight bytes.
        _ => {
            let packed = u32_at(header, 16) as usize;
            let used = stored.get(..packed).filter(|_| packed > 0).ok_or_else(|| {
                malformed(
                    "fat binary entry",
                    offset,
                    format!("{packed} compressed bytes in a payload of {}", stored.len()),
                )
            })?;
            (used, u64_at(header, 56))
        }
    };
    let limit = MAX_UNPACKED.min((stored.len() as u64).saturating_mul(MAX_RATIO));
    if compression != Compression::None && unpacked > limit {
        let place = "compressed fat binary entry".into();
        return Err(ContainerError::TooLarge { place, offset, size: unpacked, limit });
    }
    let kind = match u16_at(header, 0) {
        1 => EntryKind::Ptx,
        2 => EntryKind::Elf,
        other => EntryKind::Other(other),
    };
    Ok(Entry {
        kind,
        sm: u32_at(header, 28),
        accelerated: flags & FLAG_ACCELERATED != 0,
        flags,
        compression,
        offset,
        container,
        stored,
        unpacked,
        part: (0, unpacked),
    })
}

/// The images of a concatenated entry: a count, the table's size, and for each
/// image a header in which the place of the header size holds its offset.
fn parts<'a>(whole: &Entry<'a>, table: &[u8]) -> Result<Vec<Entry<'a>>, ContainerError> {
    let count = u32_at(table, 0);
    let records = table.get(8..).unwrap_or(&[]).chunks_exact(ENTRY as usize);
    if records.len() < count as usize {
        let problem =
            format!("{count} concatenated images, but room for {} descriptions", records.len());
        return Err(malformed("fat binary entry", whole.offset, problem));
    }
    let part = |record: &[u8]| {
        let (start, size) = (u64::from(u32_at(record, 4)), u64_at(record, 8));
        let end =
            start.checked_add(size).filter(|&end| end <= whole.unpacked).ok_or_else(|| {
                let problem = format!(
                    "image at {start:#x} of {size} bytes exceeds the {} unpacked ones",
                    whole.unpacked
                );
                malformed("fat binary entry", whole.offset, problem)
            })?;
        let described = read_entry(record, whole.stored, whole.offset, whole.container);
        let (kind, sm, flags) =
            described.map_or((EntryKind::Other(0), 0, 0), |e| (e.kind, e.sm, e.flags));
        let accelerated = flags & FLAG_ACCELERATED != 0;
        Ok(Entry { kind, sm, flags, accelerated, part: (start, end), ..*whole })
    };
    records.take(count as usize).map(part).collect()
}

impl Entry<'_> {
    /// The image: a cubin, or PTX text.
    pub fn image(&self) -> Result<Vec<u8>, ContainerError> {
        let size = self.unpacked as usize;
        let unpacked = match self.compression {
            Compression::None => Ok(self.stored.to_vec()),
            Compression::Lz4 => compression::lz4(self.stored, size),
            Compression::Zstd => compression::zstd(self.stored, size),
        };
        let mut bytes = unpacked.map_err(|e| match e {
            UnpackError::Corrupt(at) => malformed(
                "compressed fat binary entry",
                self.offset,
                format!("bad data after {at} compressed bytes"),
            ),
            UnpackError::Size => malformed(
                "compressed fat binary entry",
                self.offset,
                format!("it does not unpack to the {size} bytes that its header says"),
            ),
        })?;
        let (start, end) = self.part;
        bytes.truncate(end as usize);
        bytes.drain(..(start as usize).min(bytes.len()));
        Ok(bytes)
    }
}

impl std::fmt::Display for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let suffix = if self.accelerated { "a" } else { "" };
        match self.kind {
            EntryKind::Ptx => write!(f, "compute_{}{suffix} (PTX)", self.sm),
            EntryKind::Elf => write!(f, "sm_{}{suffix}", self.sm),
            EntryKind::Other(kind) => write!(f, "image of kind {kind} for sm_{}{suffix}", self.sm),
        }
    }
}

/// Whether machine code for `code` runs on a device of `sm`: same major
/// version, minor not newer. Code of sm_30 and sm_32 is encoded as that of the
/// generation before sm_35, which nothing here reads.
pub fn runs_on(code: u32, sm: u32) -> bool {
    code / 10 == sm / 10 && code <= sm && !(30..35).contains(&code)
}

/// The image that a device of compute capability `sm` runs: its own machine
/// code, else that of the nearest lower minor version.
pub fn choose<'e, 'a>(entries: &'e [Entry<'a>], sm: u32) -> Result<&'e Entry<'a>, ContainerError> {
    let runs = |e: &&Entry<'_>| {
        e.kind == EntryKind::Elf && runs_on(e.sm, sm) && (e.sm == sm || !e.accelerated)
    };
    // The first of equals, as it stands in the file.
    if let Some(best) = entries.iter().filter(runs).rev().max_by_key(|e| e.sm) {
        return Ok(best);
    }
    let list = |entries: &mut dyn Iterator<Item = &Entry<'_>>| {
        let mut names: Vec<String> = entries.map(|e| e.to_string()).collect();
        names.sort();
        names.dedup();
        names.join(", ")
    };
    let ptx = list(&mut entries.iter().filter(|e| e.is_ptx_for(sm)));
    match ptx.is_empty() {
        false => Err(ContainerError::NeedsPtx { sm, ptx }),
        true => Err(ContainerError::NoCode { sm, has: list(&mut entries.iter()) }),
    }
}

/// The PTX that code for a device of compute capability `sm` is made from: the
/// newest that the device knows.
pub fn choose_ptx<'e, 'a>(entries: &'e [Entry<'a>], sm: u32) -> Option<&'e Entry<'a>> {
    entries.iter().filter(|e| e.is_ptx_for(sm)).rev().max_by_key(|e| e.sm)
}

impl Entry<'_> {
    fn is_ptx_for(&self, sm: u32) -> bool {
        self.kind == EntryKind::Ptx && (self.sm == sm || !self.accelerated && self.sm < sm)
    }
}
