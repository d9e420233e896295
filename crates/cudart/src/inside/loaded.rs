//! Which files make up this process.

use std::collections::BTreeSet;
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Mutex;

/// The launcher's facade that is loaded before all others.
pub const HOST: &str = "libupset_host.so";

/// A program or library in memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loaded {
    /// What is added to the file's addresses.
    pub base: u64,
    /// The file.
    pub path: PathBuf,
}

/// What was looked at, and the loader's counts of files by then.
#[derive(Default)]
struct Known {
    came: u64,
    went: u64,
    all: BTreeSet<Loaded>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Those that may have come since the last time. One that went and came back can
/// be at the same place, with fresh bytes: where some went, all may be new.
pub fn new() -> Vec<Loaded> {
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let known = known.get_or_insert_default();
    let mut now = Known::default();
    // SAFETY: the callback gets what it is declared for, and runs before this
    // returns.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut now).cast()) };
    if now.came == known.came {
        return Vec::new();
    }
    let is_new = |l: &&Loaded| now.went != known.went || !known.all.contains(*l);
    let new = now.all.iter().filter(is_new).cloned().collect();
    *known = now;
    new
}

/// The folder of the facades: where the launcher's library is that was loaded before
/// all others.
pub fn facades() -> Option<PathBuf> {
    let known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let is_host = |l: &&Loaded| l.path.file_name().is_some_and(|name| name == HOST);
    Some(known.as_ref()?.all.iter().find(is_host)?.path.parent()?.to_path_buf())
}

/// Notes a file. Nothing here may call the loader, which is at work.
unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, known: *mut c_void) -> c_int {
    // SAFETY: the loader's description of a file, and the place of `new`.
    let (info, known) = unsafe { (&*info, &mut *known.cast::<Known>()) };
    (known.came, known.went) = (info.dlpi_adds, info.dlpi_subs);
    let name = match info.dlpi_name.is_null() {
        true => c"",
        // SAFETY: the loader's names end with a zero byte.
        false => unsafe { CStr::from_ptr(info.dlpi_name) },
    };
    let path = match name.to_bytes() {
        // The program, or what the kernel provides: which is no file.
        b"" if known.all.is_empty() => PathBuf::from("/proc/self/exe"),
        b"" => return 0,
        name => PathBuf::from(OsStr::from_bytes(name)),
    };
    known.all.insert(Loaded { base: info.dlpi_addr, path });
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_its_libraries_are_found_once() {
        let first = new();
        assert!(first.iter().any(|l| l.path.as_os_str() == "/proc/self/exe"), "{first:?}");
        assert!(first.iter().any(|l| l.path.to_string_lossy().contains("libc.so")), "{first:?}");
        assert_eq!(new(), []);
    }
}
