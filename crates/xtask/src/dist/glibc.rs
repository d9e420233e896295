//! Which C library programs need: the newest version among those of the symbols
//! that they import.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader};

use crate::Outcome;

/// The oldest that releases run with: Rust's own library asks for it. Told in
/// docs/packages.md.
pub const OLDEST: (u32, u32) = (2, 17);

/// Distributions by the version of their C library, oldest first.
const SYSTEMS: [((u32, u32), &str); 7] = [
    ((2, 17), "RHEL 7, Debian 8, Ubuntu 14.04"),
    ((2, 28), "Debian 10, RHEL 8, Ubuntu 20.04"),
    ((2, 31), "Debian 11, Ubuntu 20.04, RHEL 9"),
    ((2, 34), "RHEL 9, Ubuntu 22.04, Debian 12"),
    ((2, 35), "Ubuntu 22.04, Debian 12"),
    ((2, 36), "Debian 12, Ubuntu 24.04"),
    ((2, 39), "Ubuntu 24.04, Debian 13"),
];

/// `: RHEL 9, Ubuntu 22.04, Debian 12 and newer`.
pub fn since(version: (u32, u32)) -> String {
    let system = SYSTEMS.iter().find(|(has, _)| *has >= version);
    system.map_or(String::new(), |(_, names)| format!(": {names} and newer"))
}

/// The version that all of them together need.
pub fn needed(programs: &[&PathBuf]) -> Outcome<(u32, u32)> {
    let mut newest = (0, 0);
    for program in programs {
        newest = newest.max(of(program)?);
    }
    match newest {
        (0, 0) => Err("no program names a version of glibc: is it linked with another?".into()),
        found => Ok(found),
    }
}

/// The shared libraries that any of them needs, by name.
pub fn libraries(programs: &[&PathBuf]) -> Outcome<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for program in programs {
        let told = |e: &dyn Display| format!("{}: {e}", program.display());
        let bytes = fs::read(program).map_err(|e| told(&e))?;
        all.extend(named(&bytes).map_err(|e| told(&e))?);
    }
    Ok(all)
}

fn of(program: &Path) -> Outcome<(u32, u32)> {
    let told = |e: &dyn Display| format!("{}: {e}", program.display());
    let bytes = fs::read(program).map_err(|e| told(&e))?;
    newest(&bytes).map_err(|e| told(&e))
}

fn named(data: &[u8]) -> object::Result<Vec<String>> {
    let elf = FileHeader64::<Endianness>::parse(data)?;
    let endian = elf.endian()?;
    let sections = elf.sections(endian, data)?;
    let Some((entries, strings)) = sections.dynamic(endian, data)? else { return Ok(Vec::new()) };
    let strings = sections.strings(endian, data, strings)?;
    let needed = entries.iter().filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
    needed
        .map(|entry| Ok(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned()))
        .collect()
}

fn newest(data: &[u8]) -> object::Result<(u32, u32)> {
    let elf = FileHeader64::<Endianness>::parse(data)?;
    let endian = elf.endian()?;
    let sections = elf.sections(endian, data)?;
    let mut newest = (0, 0);
    let Some((mut libraries, strings)) = sections.gnu_verneed(endian, data)? else {
        return Ok(newest);
    };
    let strings = sections.strings(endian, data, strings)?;
    while let Some((_, mut versions)) = libraries.next()? {
        while let Some(version) = versions.next()? {
            let name = version.name(endian, strings)?;
            if let Some(found) = std::str::from_utf8(name).ok().and_then(version_of) {
                newest = newest.max(found);
            }
        }
    }
    Ok(newest)
}

/// `GLIBC_2.34` is 2.34; versions of other libraries, and private ones, are none.
fn version_of(name: &str) -> Option<(u32, u32)> {
    let mut words = name.strip_prefix("GLIBC_")?.split('.');
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered_as_numbers() {
        assert_eq!(version_of("GLIBC_2.34"), Some((2, 34)));
        assert_eq!(version_of("GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(version_of("GLIBC_PRIVATE"), None);
        assert_eq!(version_of("GCC_3.0"), None);
        assert!(version_of("GLIBC_2.9") < version_of("GLIBC_2.34"));
        assert!(since((2, 33)).contains("RHEL 9"));
        assert!(since((2, 35)).starts_with(": Ubuntu 22.04"));
    }

    #[test]
    fn the_page_names_the_oldest() {
        let page = include_str!("../../../../docs/packages.md");
        let (major, minor) = OLDEST;
        let told = format!("glibc {major}.{minor} or newer{}", since(OLDEST));
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&told), "docs/packages.md does not say: {told}");
    }
}
