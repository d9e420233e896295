//! Finding our library.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol, ReadCache};
use upset_cudart::{api, driver};

use crate::carried;
use crate::error::LaunchError;
use crate::facade::{LIBRARY, host_names, symbol};
use crate::paths::{absolute, caches};

/// Says where the library is, when it is elsewhere.
pub const VARIABLE: &str = "UPSET_CUDART";

/// The library that CUDA programs load.
pub fn library() -> Result<PathBuf, LaunchError> {
    fitting(find(LIBRARY, VARIABLE, carried::bytes())?)
}

/// A library that programs load: where the variable says, or where it is built
/// or installed together with this program, or else the one whose bytes this
/// program carries.
pub fn find(name: &str, variable: &str, carried: Option<&[u8]>) -> Result<PathBuf, LaunchError> {
    if let Some(said) = env::var_os(variable).filter(|v| !v.is_empty()) {
        let said = PathBuf::from(said);
        let file = if said.is_dir() { said.join(name) } else { said };
        return match file.is_file() {
            true => Ok(absolute(&file)),
            false => Err(LaunchError::input(format!(
                "{variable} says {}, but there is no such library",
                file.display()
            ))),
        };
    }
    let program = env::current_exe().map_err(|e| LaunchError::ours("find this program", &e))?;
    let beside = program.parent().unwrap_or(Path::new("/"));
    let found = newest(&[beside.join(name), beside.join("deps").join(name)])
        .or_else(|| newest(&[beside.join("../lib/upset").join(name)]))
        .or_else(|| newest(&[beside.join("../lib").join(name)]));
    let found = match (found, carried.filter(|bytes| !bytes.is_empty())) {
        (Some(found), _) => found,
        (None, Some(bytes)) => carried::put_down(name, bytes, &caches()?)?,
        (None, None) => {
            return Err(LaunchError::input(format!(
                "{name} is neither beside {} nor in lib/upset: build it with \
                 `cargo build --release`, or say where it is with {variable}",
                program.display()
            )));
        }
    };
    Ok(found.canonicalize().unwrap_or(found))
}

/// A build may leave an older copy beside the program: the last one counts.
fn newest(files: &[PathBuf]) -> Option<PathBuf> {
    let made =
        |f: &&PathBuf| fs::metadata(f).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    // Of equals, the first.
    files.iter().rev().filter(|f| f.is_file()).max_by_key(made).cloned()
}

/// The library, if it has all that the facades of this program jump to: one of
/// another version would end the program with a message of the loader's.
fn fitting(library: PathBuf) -> Result<PathBuf, LaunchError> {
    let shown = library.display();
    let file = File::open(&library)
        .map_err(|e| LaunchError::input(format!("cannot read {shown}: {e}")))?;
    let data = ReadCache::new(file);
    let parsed = ElfFile64::<Endianness, _>::parse(&data)
        .map_err(|e| LaunchError::input(format!("{shown} is not a shared library: {e}")))?;
    let has: BTreeSet<&str> = parsed
        .dynamic_symbols()
        .filter(|s| s.is_definition())
        .filter_map(|s| s.name().ok())
        .collect();
    let lacks = std::iter::once("missing")
        .chain(api::names())
        .chain(driver::names())
        .chain(host_names())
        .map(symbol)
        .find(|name| !has.contains(name.as_str()));
    match lacks {
        None => Ok(library),
        Some(name) => Err(LaunchError::input(format!(
            "{shown} does not belong to this upset (it lacks {name}): build both together with \
             `cargo build --release`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_copy_counts() {
        let dir = tempfile::tempdir().expect("a folder");
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        assert_eq!(newest(&[a.clone(), b.clone()]), None);
        fs::write(&b, b"").expect("written");
        assert_eq!(newest(&[a.clone(), b.clone()]), Some(b.clone()));
        fs::hard_link(&b, &a).expect("linked");
        assert_eq!(newest(&[a.clone(), b.clone()]), Some(a.clone()));
        fs::remove_file(&a).expect("removed");
        fs::write(&a, b"").expect("written");
        let old = SystemTime::UNIX_EPOCH;
        File::options().write(true).open(&a).and_then(|f| f.set_modified(old)).expect("set");
        assert_eq!(newest(&[a, b.clone()]), Some(b));
    }
}
