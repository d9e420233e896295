//! The real system, without the C library's functions that we stand for.

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute_copy;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What an environment variable says; nothing when it is empty.
pub fn variable(name: &str) -> Option<&'static [u8]> {
    let mut text = [0u8; 64];
    text.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
    let name = CStr::from_bytes_until_nul(&text).ok()?;
    // SAFETY: a name that ends with a zero byte; what comes back lives as long
    // as nobody changes the environment, and is read at once.
    unsafe {
        let value = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes()).filter(|v| !v.is_empty())
    }
}

/// Whether a library is in the process.
pub fn is_loaded(name: &CStr) -> bool {
    // SAFETY: a name that ends with a zero byte; nothing is loaded, and what was
    // counted once more is counted back.
    unsafe {
        let handle = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        !handle.is_null() && libc::dlclose(handle) == 0
    }
}

/// A message to whoever launched the program; if it cannot be sent, nobody
/// listens.
pub fn send(fd: c_int, bytes: &[u8]) {
    // SAFETY: the buffer lives through the call; a descriptor that is closed or
    // something else by now only makes it fail.
    unsafe { libc::send(fd, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
}

/// A function or variable of a library itself.
pub struct Real {
    library: &'static CStr,
    name: &'static CStr,
    at: AtomicPtr<c_void>,
}

impl Real {
    /// One of that name in the C library.
    pub const fn new(name: &'static CStr) -> Real {
        Real::of(c"libc.so.6", name)
    }

    /// One of that name in another library.
    pub const fn of(library: &'static CStr, name: &'static CStr) -> Real {
        Real { library, name, at: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Where it is, if the library is there and has it.
    ///
    /// # Safety
    /// `F` is a pointer to what the library declares under that name.
    pub unsafe fn get<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        let mut at = self.at.load(Ordering::Relaxed);
        if at.is_null() {
            // SAFETY: names that end with a zero byte. By its handle, so that it
            // is the library's own and not ours.
            at = unsafe {
                let how = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
                let handle = libc::dlopen(self.library.as_ptr(), how);
                match handle.is_null() {
                    true => ptr::null_mut(),
                    false => libc::dlsym(handle, self.name.as_ptr()),
                }
            };
            self.at.store(at, Ordering::Relaxed);
        }
        // SAFETY: of the same size, and of that type, as the caller promises.
        (!at.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, F>(&at) })
    }
}

/// The calling thread's `errno`.
pub fn set_errno(code: c_int) {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() = code };
}

/// A real clock, in nanoseconds.
pub fn real_clock(id: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a system call that fills a structure of ours.
    let done = unsafe { libc::syscall(libc::SYS_clock_gettime, id, &raw mut time) };
    (done == 0).then(|| nanoseconds(&time)).flatten()
}

/// Really sleeps.
pub fn really_sleep(time: u64) {
    let time = timespec(time);
    // SAFETY: a system call that reads a structure of ours.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, ptr::null_mut::<c_void>()) };
}

/// Nanoseconds of a time that is not negative.
pub fn nanoseconds(time: &libc::timespec) -> Option<u64> {
    let (s, ns) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    (ns < NS).then(|| s.saturating_mul(NS).saturating_add(ns))
}

/// The other way round.
pub fn timespec(time: u64) -> libc::timespec {
    libc::timespec { tv_sec: (time / NS) as libc::time_t, tv_nsec: (time % NS) as libc::c_long }
}

/// Nanoseconds of a second.
pub const NS: u64 = 1_000_000_000;
