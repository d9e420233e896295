//! Which functions of the runtime a file has inside, and where.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, ReadCache, SymbolKind};

use crate::release::Release;

/// Sections that hold GPU code, or where it is.
const GPU_CODE: [&str; 3] = [".nv_fatbin", "__nv_relfatbin", ".nvFatBinSegment"];
/// What every file with GPU code calls.
const REGISTER: &str = "__cudaRegisterFatBinary";

/// What a file has of NVIDIA's runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Nothing, or it asks for the shared library.
    Nothing,
    /// All of it, with its functions' names. It may be that library.
    Named(Release, Vec<Entry>),
    /// All of it, but the file was stripped of the names.
    Nameless,
}

/// A function of the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Where it begins, from where the file is loaded.
    pub at: u64,
    /// Bytes from there to the next function.
    pub room: u64,
}

type Elf<'a> = ElfFile64<'a, Endianness, &'a ReadCache<File>>;

/// Looks into a file. What cannot be read has nothing inside.
pub fn look(file: File) -> Inside {
    let data = ReadCache::new(file);
    let Ok(elf) = Elf::parse(&data) else { return Inside::Nothing };
    let functions = functions(&elf);
    if functions.contains_key(REGISTER) {
        let release = release(&functions);
        return Inside::Named(release, entries(&elf, release, &functions));
    }
    let has_code = elf.sections().any(|s| s.name().is_ok_and(|n| GPU_CODE.contains(&n)));
    let asks = || elf.dynamic_symbols().any(|s| s.is_undefined() && s.name() == Ok(REGISTER));
    match has_code && !asks() {
        true => Inside::Nameless,
        false => Inside::Nothing,
    }
}

/// The functions that a file defines. What others may call is named even where it
/// was stripped: so is the shared library of the runtime.
fn defined<'a>(elf: &'a Elf<'_>) -> impl Iterator<Item = impl ObjectSymbol<'a>> {
    let all = elf.symbols().chain(elf.dynamic_symbols());
    all.filter(|s| s.is_definition() && s.kind() == SymbolKind::Text)
}

/// Those of them whose names could be the runtime's.
fn functions(elf: &Elf<'_>) -> BTreeMap<String, u64> {
    defined(elf)
        .filter_map(|s| Some((s.name().ok()?, s.address())))
        .filter(|(name, _)| name.trim_start_matches('_').starts_with("cuda"))
        .map(|(name, at)| (name.to_string(), at))
        .collect()
}

/// The release that has most of these functions: each has dropped some and added
/// others.
fn release(functions: &BTreeMap<String, u64>) -> Release {
    let has = |r: &Release| r.functions().filter(|f| functions.contains_key(*f)).count();
    // Of equals the oldest: the last of those is the first of these.
    Release::ALL.into_iter().rev().max_by_key(has).unwrap_or(Release::V11)
}

fn entries(elf: &Elf<'_>, release: Release, functions: &BTreeMap<String, u64>) -> Vec<Entry> {
    let mut ends: BTreeSet<u64> = defined(elf).map(|s| s.address()).collect();
    ends.extend(elf.sections().map(|s| s.address() + s.size()));
    let entry = |name| {
        let at = *functions.get(name)?;
        let next = ends.range(at + 1..).next()?;
        Some(Entry { name, at, room: next - at })
    };
    release.functions().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_known_by_its_functions() {
        for release in Release::ALL {
            // The names that a program has do not have to be all.
            let some: BTreeMap<String, u64> =
                release.functions().step_by(2).map(|f| (f.to_string(), 0)).collect();
            assert_eq!(super::release(&some), release);
        }
    }

    #[test]
    fn a_file_that_is_no_program_has_nothing_inside() {
        let text = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("a file");
        assert_eq!(look(text), Inside::Nothing);
        let this = File::open(std::env::current_exe().expect("a path")).expect("a file");
        assert_eq!(look(this), Inside::Nothing);
    }
}
