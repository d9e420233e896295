//! Which C library programs need: the newest version among those of the symbols
//! that they import.

use std::fs;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::FileHeader;

use crate::Outcome;

/// Distributions by the version of their C library, oldest first.
const SYSTEMS: [((u32, u32), &str); 6] = [
    ((2, 17), "RHEL 7"),
    ((2, 28), "Debian 10, RHEL 8"),
    ((2, 31), "Debian 11, Ubuntu 20.04"),
    ((2, 34), "RHEL 9, Ubuntu 22.04, Debian 12"),
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

fn of(program: &Path) -> Outcome<(u32, u32)> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", program.display());
    let bytes = fs::read(program).map_err(|e| told(&e))?;
    let data = bytes.as_slice();
    let elf = FileHeader64::<Endianness>::parse(data).map_err(|e| told(&e))?;
    let endian = elf.endian().map_err(|e| told(&e))?;
    let sections = elf.sections(endian, data).map_err(|e| told(&e))?;
    let mut newest = (0, 0);
    let Some((mut libraries, strings)) =
        sections.gnu_verneed(endian, data).map_err(|e| told(&e))?
    else {
        return Ok(newest);
    };
    let strings = sections.strings(endian, data, strings).map_err(|e| told(&e))?;
    while let Some((_, mut versions)) = libraries.next().map_err(|e| told(&e))? {
        while let Some(version) = versions.next().map_err(|e| told(&e))? {
            let name = version.name(endian, strings).map_err(|e| told(&e))?;
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
    }
}
