//! A shared object for x86-64 whose functions are jumps.
//!
//! Formats: System V ABI (ELF-64, AMD64 supplement); symbol versions and the
//! GNU hash table as in the Linux Standard Base.

use std::collections::BTreeSet;

use super::hash;
use super::layout::{Bytes, Section, Strings, round_up};
use super::names::{LIBRARY, symbol};

/// A function of the facade.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where it goes.
    pub target: FacadeTarget,
}

/// Where a function goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FacadeTarget {
    /// To a symbol of our library.
    Symbol(String),
    /// To the function that tells what is missing, with the name.
    Missing,
}

const PAGE: u64 = 0x1000;
const HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;
const SECTION_HEADER: u64 = 64;
const SYMBOL: u64 = 24;
const RELA: u64 = 24;
const SLOT: u64 = 8;
/// Room of a function's code.
const STUB: u64 = 16;
/// Padding between functions: breakpoints.
const INT3: u8 = 0xcc;

const SHT_PROGBITS: u32 = 1;
const SHT_STRTAB: u32 = 3;
const SHT_RELA: u32 = 4;
const SHT_HASH: u32 = 5;
const SHT_DYNAMIC: u32 = 6;
const SHT_DYNSYM: u32 = 11;
const SHT_GNU_HASH: u32 = 0x6fff_fff6;
const SHT_GNU_VERDEF: u32 = 0x6fff_fffd;
const SHT_GNU_VERSYM: u32 = 0x6fff_ffff;

const WRITE: u64 = 1;
const ALLOC: u64 = 2;
const EXEC: u64 = 4;

const R_X86_64_GLOB_DAT: u64 = 6;
/// A global function.
const GLOBAL_FUNC: u8 = 1 << 4 | 2;
/// A global symbol of no type: how undefined ones are listed.
const GLOBAL_NOTYPE: u8 = 1 << 4;
/// Version index of symbols of no version: that of the file itself.
const NO_VERSION: u16 = 1;
/// Version index of the node that is called like the library.
const VERSION: u16 = 2;

/// Versions of a facade's functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// That of the library.
    Own,
    /// None: they are taken for any.
    None,
}

/// Sections in the order of the file; the index of each is its place here.
#[derive(Clone, Copy)]
enum At {
    Hash = 1,
    GnuHash,
    DynSym,
    DynStr,
    VerSym,
    VerDef,
    Rela,
    Text,
    Dynamic,
    Got,
    ShStrTab,
}

/// Offsets of strings that the tables need.
struct Texts {
    table: Strings,
    soname: u32,
    library: u32,
    runpath: u32,
    undefined: Vec<u32>,
    defined: Vec<u32>,
}

/// The whole file. The bytes depend on the arguments alone.
pub fn shared_object(soname: &str, functions: &[Function<'_>], version: Versions) -> Vec<u8> {
    let undefined: Vec<String> = functions
        .iter()
        .map(|f| slot_symbol(&f.target))
        .collect::<BTreeSet<String>>()
        .into_iter()
        .collect();
    let mut defined: Vec<&str> = functions.iter().map(|f| f.name).collect();
    hash::sort(&mut defined);
    let targets: Vec<&FacadeTarget> = defined
        .iter()
        .filter_map(|name| functions.iter().find(|f| f.name == *name).map(|f| &f.target))
        .collect();

    let mut table = Strings::new();
    let texts = Texts {
        soname: table.add(soname),
        library: table.add(LIBRARY),
        runpath: table.add("$ORIGIN"),
        undefined: undefined.iter().map(|s| table.add(s)).collect(),
        defined: defined.iter().map(|s| table.add(s)).collect(),
        table,
    };
    let first = 1 + undefined.len();
    let symbols = (first + defined.len()) as u64;
    let mut sections = place(vec![
        filled(section("", 0, 0, 0, 0), Bytes::default()),
        filled(section(".hash", SHT_HASH, ALLOC, 8, 4), hash::sysv_table(first, &defined)),
        filled(section(".gnu.hash", SHT_GNU_HASH, ALLOC, 8, 0), hash::gnu_table(first, &defined)),
        sized(section(".dynsym", SHT_DYNSYM, ALLOC, 8, SYMBOL), symbols * SYMBOL),
        filled(section(".dynstr", SHT_STRTAB, ALLOC, 1, 0), texts.table.0.clone()),
        filled(
            section(".gnu.version", SHT_GNU_VERSYM, ALLOC, 2, 2),
            versions(first, symbols, version),
        ),
        filled(
            section(".gnu.version_d", SHT_GNU_VERDEF, ALLOC, 8, 0),
            version_definitions(soname, texts.soname),
        ),
        sized(section(".rela.dyn", SHT_RELA, ALLOC, 8, RELA), undefined.len() as u64 * RELA),
        sized(section(".text", SHT_PROGBITS, ALLOC | EXEC, 16, 0), defined.len() as u64 * STUB),
        sized(section(".dynamic", SHT_DYNAMIC, ALLOC | WRITE, 8, 16), DYNAMIC_ENTRIES * 16),
        sized(section(".got", SHT_PROGBITS, ALLOC | WRITE, 8, SLOT), undefined.len() as u64 * SLOT),
        filled(section(".shstrtab", SHT_STRTAB, 0, 1, 0), Bytes::default()),
    ]);
    let at = |sections: &[Section], s: At| sections[s as usize].at;
    let got = at(&sections, At::Got);
    let text = at(&sections, At::Text);
    // What a missing function says is its name, which the string table has.
    let names = at(&sections, At::DynStr);
    let slot = |target: &FacadeTarget| {
        let wanted = slot_symbol(target);
        let i = undefined.iter().position(|s| *s == wanted).unwrap_or(0) as u64;
        got + i * SLOT
    };

    sections[At::DynSym as usize].data = symbol_table(&texts, text);
    sections[At::Rela as usize].data = relocations(undefined.len() as u64, got);
    sections[At::Got as usize].data.pad_to(undefined.len() * SLOT as usize, 0);
    let code = &mut sections[At::Text as usize].data;
    for (i, target) in targets.iter().enumerate() {
        stub(code, text, names + u64::from(texts.defined[i]), target, slot(target));
        code.pad_to((i + 1) * STUB as usize, INT3);
    }
    let dynamic = dynamic(&texts, &sections);
    sections[At::Dynamic as usize].data = dynamic;
    write(sections)
}

fn slot_symbol(target: &FacadeTarget) -> String {
    match target {
        FacadeTarget::Symbol(name) => name.clone(),
        FacadeTarget::Missing => symbol("missing"),
    }
}

fn section(name: &'static str, kind: u32, flags: u64, align: u64, entry: u64) -> Section {
    let link = match kind {
        SHT_HASH | SHT_GNU_HASH | SHT_GNU_VERSYM | SHT_RELA => At::DynSym as u32,
        SHT_DYNSYM | SHT_DYNAMIC | SHT_GNU_VERDEF => At::DynStr as u32,
        _ => 0,
    };
    // First global symbol, or the number of version definitions.
    let info = match kind {
        SHT_DYNSYM => 1,
        SHT_GNU_VERDEF => 2,
        _ => 0,
    };
    Section::new(name, kind, flags, align, 0).links(link, info, entry)
}

fn sized(mut s: Section, size: u64) -> Section {
    s.size = size;
    s
}

fn filled(mut s: Section, data: Bytes) -> Section {
    s.size = data.len();
    s.data = data;
    s
}

/// Number of program headers: three to load, the dynamic section, what becomes
/// read-only, the stack.
const SEGMENTS: u64 = 6;

/// Gives each section its place; parts with other rights begin on a page.
fn place(mut sections: Vec<Section>) -> Vec<Section> {
    let mut at = HEADER + SEGMENTS * PROGRAM_HEADER;
    let mut rights = ALLOC;
    for s in sections.iter_mut().skip(1) {
        if s.flags != rights && s.flags & ALLOC != 0 {
            at = round_up(at, PAGE);
            rights = s.flags;
        }
        at = round_up(at, s.align);
        s.at = at;
        at += s.size;
    }
    sections
}

/// Version of each symbol.
fn versions(first: usize, symbols: u64, version: Versions) -> Bytes {
    let mut out = Bytes::default();
    let defined = match version {
        Versions::Own => VERSION,
        Versions::None => NO_VERSION,
    };
    (0..symbols).for_each(|i| out.u16(if i < first as u64 { 0 } else { defined }));
    out
}

/// The file itself and the node that is called like it.
fn version_definitions(soname: &str, name: u32) -> Bytes {
    const BASE: u16 = 1;
    const DEFINITION: u32 = 20;
    const NAME: u32 = 8;
    let mut out = Bytes::default();
    for (flags, index, next) in [(BASE, 1, DEFINITION + NAME), (0, VERSION, 0)] {
        out.u16(1);
        out.u16(flags);
        out.u16(index);
        out.u16(1);
        out.u32(hash::sysv(soname));
        out.u32(DEFINITION);
        out.u32(next);
        out.u32(name);
        out.u32(0);
    }
    out
}

fn symbol_table(texts: &Texts, text: u64) -> Bytes {
    let mut out = Bytes::default();
    let mut symbol = |name: u32, info: u8, section: u16, value: u64, size: u64| {
        out.u32(name);
        out.0.extend([info, 0]);
        out.u16(section);
        out.u64(value);
        out.u64(size);
    };
    symbol(0, 0, 0, 0, 0);
    texts.undefined.iter().for_each(|&name| symbol(name, GLOBAL_NOTYPE, 0, 0, 0));
    for (i, &name) in texts.defined.iter().enumerate() {
        symbol(name, GLOBAL_FUNC, At::Text as u16, text + i as u64 * STUB, STUB);
    }
    out
}

/// One slot for each undefined symbol.
fn relocations(undefined: u64, got: u64) -> Bytes {
    let mut out = Bytes::default();
    for i in 0..undefined {
        out.u64(got + i * SLOT);
        out.u64((i + 1) << 32 | R_X86_64_GLOB_DAT);
        out.u64(0);
    }
    out
}

/// The code of one function.
fn stub(code: &mut Bytes, text: u64, name: u64, target: &FacadeTarget, slot: u64) {
    // Distances count from the end of the instruction, which they end.
    let mut relative = |opcode: &[u8], to: u64| {
        code.0.extend(opcode);
        let next = text + code.len() + 4;
        code.u32(to.wrapping_sub(next) as u32);
    };
    if *target == FacadeTarget::Missing {
        relative(&[0x48, 0x8d, 0x3d], name); // lea name(%rip), %rdi
    }
    relative(&[0xff, 0x25], slot); // jmp *slot(%rip)
}

const DYNAMIC_ENTRIES: u64 = 18;

fn dynamic(texts: &Texts, sections: &[Section]) -> Bytes {
    const BIND_NOW: u64 = 8;
    const NOW: u64 = 1;
    let s = |at: At| &sections[at as usize];
    let entries: [(u64, u64); DYNAMIC_ENTRIES as usize] = [
        (1, u64::from(texts.library)),                // NEEDED
        (14, u64::from(texts.soname)),                // SONAME
        (29, u64::from(texts.runpath)),               // RUNPATH
        (4, s(At::Hash).at),                          // HASH
        (0x6fff_fef5, s(At::GnuHash).at),             // GNU_HASH
        (5, s(At::DynStr).at),                        // STRTAB
        (10, s(At::DynStr).size),                     // STRSZ
        (6, s(At::DynSym).at),                        // SYMTAB
        (11, SYMBOL),                                 // SYMENT
        (7, s(At::Rela).at),                          // RELA
        (8, s(At::Rela).size),                        // RELASZ
        (9, RELA),                                    // RELAENT
        (0x6fff_fff0, s(At::VerSym).at),              // VERSYM
        (0x6fff_fffc, s(At::VerDef).at),              // VERDEF
        (0x6fff_fffd, u64::from(s(At::VerDef).info)), // VERDEFNUM
        (30, BIND_NOW),                               // FLAGS
        (0x6fff_fffb, NOW),                           // FLAGS_1
        (0, 0),
    ];
    let mut out = Bytes::default();
    for (tag, value) in entries {
        out.u64(tag);
        out.u64(value);
    }
    out
}

/// Headers and sections as one file.
fn write(mut sections: Vec<Section>) -> Vec<u8> {
    let mut names = Strings::new();
    let name_at: Vec<u32> =
        sections.iter().map(|s| if s.name.is_empty() { 0 } else { names.add(s.name) }).collect();
    let last = &mut sections[At::ShStrTab as usize];
    last.size = names.0.len();
    last.data = names.0;
    let table = round_up(last.at + last.size, 8);

    let mut out = Bytes::default();
    header(&mut out, table, sections.len() as u16);
    program_headers(&mut out, &sections);
    for s in &sections {
        out.pad_to(s.at as usize, 0);
        out.0.extend(&s.data.0);
    }
    out.pad_to(table as usize, 0);
    for (s, name) in sections.iter().zip(name_at) {
        out.u32(name);
        out.u32(s.kind);
        out.u64(s.flags);
        out.u64(if s.flags & ALLOC != 0 { s.at } else { 0 });
        out.u64(s.at);
        out.u64(s.size);
        out.u32(s.link);
        out.u32(s.info);
        out.u64(s.align);
        out.u64(s.entry);
    }
    out.0
}

fn header(out: &mut Bytes, section_table: u64, sections: u16) {
    const SHARED_OBJECT: u16 = 3;
    const X86_64: u16 = 62;
    // 64 bits, little-endian, version 1, System V.
    out.0.extend([0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.u16(SHARED_OBJECT);
    out.u16(X86_64);
    out.u32(1);
    out.u64(0);
    out.u64(HEADER);
    out.u64(section_table);
    out.u32(0);
    out.u16(HEADER as u16);
    out.u16(PROGRAM_HEADER as u16);
    out.u16(SEGMENTS as u16);
    out.u16(SECTION_HEADER as u16);
    out.u16(sections);
    out.u16(At::ShStrTab as u16);
}

fn program_headers(out: &mut Bytes, sections: &[Section]) {
    const LOAD: u32 = 1;
    const DYNAMIC: u32 = 2;
    const GNU_STACK: u32 = 0x6474_e551;
    const GNU_RELRO: u32 = 0x6474_e552;
    const X: u32 = 1;
    const W: u32 = 2;
    const R: u32 = 4;
    let s = |at: At| &sections[at as usize];
    let end = |at: At| s(at).at + s(at).size;
    let writable = (s(At::Dynamic).at, end(At::Got));
    let segments: [(u32, u32, (u64, u64), u64); SEGMENTS as usize] = [
        (LOAD, R, (0, end(At::Rela)), PAGE),
        (LOAD, R | X, (s(At::Text).at, end(At::Text)), PAGE),
        (LOAD, R | W, writable, PAGE),
        (DYNAMIC, R | W, (s(At::Dynamic).at, end(At::Dynamic)), 8),
        // Slots never change once they are filled.
        (GNU_RELRO, R, writable, 1),
        (GNU_STACK, R | W, (0, 0), 16),
    ];
    for (kind, flags, (from, to), align) in segments {
        out.u32(kind);
        out.u32(flags);
        out.u64(from);
        out.u64(from);
        out.u64(from);
        out.u64(to - from);
        // Whole pages, so that all of it can be made read-only.
        let whole = if (from, to) == writable { PAGE } else { 1 };
        out.u64(round_up(to - from, whole));
        out.u64(align);
    }
}
