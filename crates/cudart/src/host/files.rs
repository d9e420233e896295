//! Opening files: the system's random devices are replaced by a file of fixed
//! bytes, which is read from a place of its own each time.

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{FILE, mode_t};
use upset_agent::config;

use super::holding::{Holding, host};
use super::random;
use super::system::{self, Real};

/// Bytes of the file. Reads come to its end after half of that at the earliest.
pub const LEN: u64 = 1 << 20;

/// What is in the file.
pub fn bytes() -> Vec<u8> {
    (0..LEN / 8).flat_map(|n| random::word(0, n).to_le_bytes()).collect()
}

/// The replacement for a path; nothing for all paths but two.
fn instead(held: Option<Holding>, path: *const c_char) -> Option<(&'static CStr, i64)> {
    /// How often a device was opened.
    static OPENED: AtomicU64 = AtomicU64::new(0);
    let held = held?;
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller's path.
    let path = unsafe { CStr::from_ptr(path) };
    if path != c"/dev/urandom" && path != c"/dev/random" {
        return None;
    }
    let file = system::variable(config::RANDOM)?;
    // SAFETY: what follows the value is the zero byte that ends it.
    let file = unsafe { CStr::from_ptr(file.as_ptr().cast()) };
    let number = OPENED.fetch_add(1, Ordering::Relaxed);
    let place = random::word(held.used().seed(), u64::MAX / 2 + number) % (LEN / 2);
    Some((file, place as i64))
}

/// Goes to a place in a file that was just opened.
fn at(fd: c_int, place: i64) -> c_int {
    if fd >= 0 {
        // SAFETY: a system call on a descriptor of ours.
        unsafe { libc::lseek(fd, place, libc::SEEK_SET) };
    }
    fd
}

/// Nothing is written to the bytes: who opens a device to write reads as well.
fn reading(flags: c_int) -> c_int {
    flags & !(libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND | libc::O_EXCL)
}

type Open = unsafe extern "C" fn(*const c_char, c_int, mode_t) -> c_int;
type OpenAt = unsafe extern "C" fn(c_int, *const c_char, c_int, mode_t) -> c_int;
type Stream = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut FILE;

fn open_by(
    real: &Real,
    held: Option<Holding>,
    path: *const c_char,
    flags: c_int,
    mode: mode_t,
) -> c_int {
    // SAFETY: the library's own, as it declares it; a mode that is not needed is
    // not looked at.
    let Some(f) = (unsafe { real.get::<Open>() }) else { return absent() };
    match instead(held, path) {
        // SAFETY: a path that ends with a zero byte.
        Some((file, place)) => at(unsafe { f(file.as_ptr(), reading(flags), 0) }, place),
        // SAFETY: the call as it came.
        None => unsafe { f(path, flags, mode) },
    }
}

fn open_at(
    real: &Real,
    held: Option<Holding>,
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: mode_t,
) -> c_int {
    // SAFETY: as above.
    let Some(f) = (unsafe { real.get::<OpenAt>() }) else { return absent() };
    match instead(held, path) {
        // SAFETY: a path that ends with a zero byte.
        Some((file, place)) => at(unsafe { f(folder, file.as_ptr(), reading(flags), 0) }, place),
        // SAFETY: the call as it came.
        None => unsafe { f(folder, path, flags, mode) },
    }
}

fn stream(
    real: &Real,
    held: Option<Holding>,
    path: *const c_char,
    mode: *const c_char,
) -> *mut FILE {
    // SAFETY: as above.
    let Some(f) = (unsafe { real.get::<Stream>() }) else {
        absent();
        return std::ptr::null_mut();
    };
    match instead(held, path) {
        Some((file, place)) => {
            // SAFETY: strings that end with a zero byte, and the stream that was
            // just made of them.
            unsafe {
                let stream = f(file.as_ptr(), c"r".as_ptr());
                if !stream.is_null() {
                    libc::fseeko(stream, place, libc::SEEK_SET);
                }
                stream
            }
        }
        // SAFETY: the call as it came.
        None => unsafe { f(path, mode) },
    }
}

fn absent() -> c_int {
    system::set_errno(libc::ENOSYS);
    -1
}

static OPEN: Real = Real::new(c"open");
static OPENAT: Real = Real::new(c"openat");
static FOPEN: Real = Real::new(c"fopen");

// On x86-64 the forms with 64 in their names are the plain ones, and those with
// a 2 are what checks that a mode is there where it must be.
host! {
    /// Opens a file.
    fn open as "open" |held| (path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        open_by(&OPEN, held, path, flags, mode)
    }

    /// Opens a file.
    fn open64 as "open64" |held| (path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        open_by(&OPEN, held, path, flags, mode)
    }

    /// Opens a file.
    fn open_2 as "__open_2" |held| (path: *const c_char, flags: c_int) -> c_int {
        open_by(&OPEN, held, path, flags, 0)
    }

    /// Opens a file.
    fn open64_2 as "__open64_2" |held| (path: *const c_char, flags: c_int) -> c_int {
        open_by(&OPEN, held, path, flags, 0)
    }

    /// Opens a file in a folder.
    fn openat as "openat" |held| (folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        open_at(&OPENAT, held, folder, path, flags, mode)
    }

    /// Opens a file in a folder.
    fn openat64 as "openat64" |held| (folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        open_at(&OPENAT, held, folder, path, flags, mode)
    }

    /// Opens a stream.
    fn fopen as "fopen" |held| (path: *const c_char, mode: *const c_char) -> *mut FILE {
        stream(&FOPEN, held, path, mode)
    }

    /// Opens a stream.
    fn fopen64 as "fopen64" |held| (path: *const c_char, mode: *const c_char) -> *mut FILE {
        stream(&FOPEN, held, path, mode)
    }
}
