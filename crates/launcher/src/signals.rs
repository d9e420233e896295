//! Signals while a program runs: what somebody sends to us is meant for it.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

/// Signals that are passed on.
const PASSED: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// The program; 0 before and after.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// A signal that came before the program did; 0 if none.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Passes signals on as long as it lives.
pub struct Passing {
    before: Vec<(libc::c_int, libc::sigaction)>,
}

impl Passing {
    /// From now on signals are passed on. Those that we were told to ignore
    /// stay ignored, by the program as well.
    pub fn start() -> Passing {
        let mut before = Vec::new();
        for signal in PASSED {
            // SAFETY: a zeroed sigaction is a valid one; the calls only read
            // and write the structures given. The handler does what a signal
            // handler may.
            unsafe {
                let mut old: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, std::ptr::null(), &mut old) != 0
                    || old.sa_sigaction == libc::SIG_IGN
                {
                    continue;
                }
                let mut new: libc::sigaction = std::mem::zeroed();
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    pass;
                new.sa_sigaction = handler as libc::sighandler_t;
                new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                if libc::sigaction(signal, &new, std::ptr::null_mut()) == 0 {
                    before.push((signal, old));
                }
            }
        }
        Passing { before }
    }

    /// The program is there.
    pub fn to(&self, pid: u32) {
        CHILD.store(pid as i32, Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if early != 0 {
            // SAFETY: sends a signal to our own child, which is not reaped yet.
            unsafe { libc::kill(pid as i32, early) };
        }
    }

    /// The program is gone (but not reaped, so its number is not another's).
    pub fn to_nobody(&self) {
        CHILD.store(0, Ordering::SeqCst);
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        for (signal, old) in &self.before {
            // SAFETY: puts back what was there.
            unsafe { libc::sigaction(*signal, old, std::ptr::null_mut()) };
        }
        EARLY.store(0, Ordering::SeqCst);
    }
}

/// The terminal gives its signals to the whole group, the program included;
/// what a process sends is for us alone, and goes on to the program.
extern "C" fn pass(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the system passes valid information.
    if unsafe { (*info).si_code } == libc::SI_KERNEL {
        return;
    }
    match CHILD.load(Ordering::SeqCst) {
        0 => EARLY.store(signal, Ordering::SeqCst),
        // SAFETY: `kill` may be called here; the child is not reaped before
        // `to_nobody`, and this runs on the thread that waits for it. The
        // error number belongs to the code that was interrupted.
        child => unsafe {
            let errno = libc::__errno_location();
            let kept = *errno;
            libc::kill(child, signal);
            *errno = kept;
        },
    }
}

/// Keeps all signals from this thread, and from those it starts, while `f` runs.
pub fn blocked<T>(f: impl FnOnce() -> T) -> T {
    // SAFETY: signal sets are plain data, initialised by the calls.
    let old = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        old
    };
    let value = f();
    // SAFETY: puts back the mask that was there.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &old, std::ptr::null_mut()) };
    value
}

/// Whoever started us may have had us ignore the end of children, which then
/// leaves no status. From now on it does; says whether it was ignored.
pub fn notice_children() -> bool {
    // SAFETY: changes the action of a signal that has no handler of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) == libc::SIG_IGN }
}

/// Whether a child has ended; it is not reaped.
pub fn has_ended(pid: u32) -> bool {
    // SAFETY: the structure is plain data that the call fills.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
        // Nothing is filled in while it lives; one that is gone is an error.
        libc::waitid(libc::P_PID, pid, &mut info, flags) != 0 || info.si_pid() != 0
    }
}

/// Waits until a child has ended, without reaping it.
pub fn wait(pid: u32) -> io::Result<()> {
    loop {
        // SAFETY: the structure is plain data that the call fills.
        let done = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, pid, &mut info, libc::WEXITED | libc::WNOWAIT)
        };
        if done == 0 {
            return Ok(());
        }
        let e = io::Error::last_os_error();
        if e.kind() != io::ErrorKind::Interrupted {
            return Err(e);
        }
    }
}
