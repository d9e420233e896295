//! Words to the program's user, on the program's standard error: heard or not,
//! the program goes on.

use std::mem::MaybeUninit;

/// Writes a line. A standard error that is full, closed, or a pipe that nobody
/// reads is no reason for the program to end: not by a panic, nor by the signal
/// that a pipe without a reader raises.
pub fn say(text: &str) {
    let line = format!("upset: {text}\n");
    without_sigpipe(|| {
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            // SAFETY: the buffer lives through the call.
            let n = unsafe { libc::write(libc::STDERR_FILENO, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(n) {
                Ok(n) if n > 0 => rest = rest.get(n..).unwrap_or_default(),
                _ => return,
            }
        }
    });
}

/// Keeps SIGPIPE away from what is done: blocked for this thread, and taken
/// back if it was raised here.
fn without_sigpipe(f: impl FnOnce()) {
    let mut pipe = MaybeUninit::<libc::sigset_t>::uninit();
    let (mut before, mut pending) = (pipe, pipe);
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: sets that live here; each is filled before it is read.
    unsafe {
        libc::sigemptyset(pipe.as_mut_ptr());
        libc::sigaddset(pipe.as_mut_ptr(), libc::SIGPIPE);
        libc::sigemptyset(pending.as_mut_ptr());
        libc::sigpending(pending.as_mut_ptr());
        let was_pending = libc::sigismember(pending.as_ptr(), libc::SIGPIPE) == 1;
        libc::sigemptyset(before.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, pipe.as_ptr(), before.as_mut_ptr());
        f();
        if !was_pending {
            libc::sigtimedwait(pipe.as_ptr(), std::ptr::null_mut(), &now);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
    }
}
