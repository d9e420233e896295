//! Jumps over the beginnings of functions.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Entry;
use crate::release::Release;

/// `jmp *0(%rip)` and the address that it takes.
const JUMP: u64 = 14;

/// Leads functions of the runtime inside a file to those of the facade. Nothing
/// of the file may have run yet, unless this was done before.
pub fn lead(
    base: u64,
    release: Release,
    facades: Option<&Path>,
    entries: &[Entry],
) -> Result<(), String> {
    let facade = Facade::open(release, facades)?;
    let fitting: Vec<(u64, u64)> = entries
        .iter()
        .filter(|e| e.room >= JUMP)
        .filter_map(|e| Some((base + e.at, facade.find(e.name)?)))
        .collect();
    if fitting.len() < entries.len() {
        let missing = entries.len() - fitting.len();
        return Err(format!("{missing} of its {} functions have no room for it", entries.len()));
    }
    // Where nobody knows the folder of the facades, one of them looks as NVIDIA's does.
    if fitting.iter().all(|(at, target)| at == target) {
        return Ok(());
    }
    let Some(first) = fitting.iter().map(|(at, _)| *at).min() else { return Ok(()) };
    let last = fitting.iter().map(|(at, _)| at + JUMP).max().unwrap_or(first);
    // SAFETY: code of a loaded file, which can be read.
    let is_led = |(at, target): &(u64, u64)| unsafe {
        (*at as *const [u8; JUMP as usize]).read() == jump(*target)
    };
    if fitting.iter().all(is_led) {
        return Ok(());
    }
    let pages = Pages::around(first, last);
    pages.allow(libc::PROT_READ | libc::PROT_WRITE)?;
    for (at, target) in fitting {
        // SAFETY: code of a loaded file, writable now, with as much room before
        // the next function. Nothing there has run.
        unsafe { (at as *mut [u8; JUMP as usize]).write(jump(target)) };
    }
    pages.allow(libc::PROT_READ | libc::PROT_EXEC)
}

fn jump(target: u64) -> [u8; JUMP as usize] {
    let mut code = [0xff, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    code[6..].copy_from_slice(&target.to_le_bytes());
    code
}

/// The facade of a release, which stays loaded.
struct Facade(*mut libc::c_void);

impl Facade {
    fn open(release: Release, folder: Option<&Path>) -> Result<Facade, String> {
        // By its path: NVIDIA's own library may be there, under the same name. Otherwise
        // the launcher has put the folder of the facades in front of all others.
        let path = folder.unwrap_or(Path::new("")).join(release.soname());
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: a name that ends with a zero byte.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        match handle.is_null() {
            true => Err(format!("{} cannot be loaded", release.soname())),
            false => Ok(Facade(handle)),
        }
    }

    fn find(&self, name: &str) -> Option<u64> {
        let name = CString::new(name).ok()?;
        // SAFETY: a handle that was opened and is never closed, and a name that
        // ends with a zero byte.
        let at = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!at.is_null()).then_some(at as u64)
    }
}

/// Pages of the process's memory.
struct Pages {
    at: u64,
    bytes: usize,
}

impl Pages {
    fn around(first: u64, end: u64) -> Pages {
        // SAFETY: it only asks.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(4096) as u64;
        let at = first / page * page;
        Pages { at, bytes: (end - at).next_multiple_of(page) as usize }
    }

    fn allow(&self, rights: i32) -> Result<(), String> {
        // SAFETY: pages of a loaded file's code, whose rights are given back.
        match unsafe { libc::mprotect(self.at as *mut libc::c_void, self.bytes, rights) } {
            0 => Ok(()),
            _ => Err(format!("its code cannot be changed: {}", io::Error::last_os_error())),
        }
    }
}
