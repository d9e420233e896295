//! Forking a single-threaded process that is in the middle of a simulation.
//!
//! A worker walks the fault-free run. Where a fault is to be, it forks: the
//! child goes on with the fault, the parent with the fault-free run. The
//! operating system copies only the pages that either of them changes.

use std::fs;
use std::io;

/// How often a list of threads is looked at that may still name some that ended.
const LOOKS: u32 = 100;

/// Which of the two this is.
#[derive(Debug)]
pub enum Forked {
    /// The new process.
    Child,
    /// The old one.
    Parent(Child),
}

/// A forked process.
#[derive(Debug)]
pub struct Child {
    pid: libc::pid_t,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// With an exit code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
}

impl Status {
    /// Whether somebody else ended it: the user, or a machine short of memory.
    pub fn was_killed(self) -> bool {
        matches!(self, Status::Signal(libc::SIGKILL | libc::SIGTERM | libc::SIGINT))
    }

    /// Whether it used more processor time than it was allowed.
    pub fn was_too_long(self) -> bool {
        self == Status::Signal(libc::SIGXCPU)
    }
}

/// Forks. Refused when the process has more than one thread: the child would
/// have only this one, and locks that others hold would stay locked in it.
pub fn fork() -> io::Result<Forked> {
    if threads() > 1 {
        return Err(io::Error::other("a process with several threads cannot be forked"));
    }
    // SAFETY: there is one thread (looked up above, and only this one could
    // make another), so every lock and all memory is in a state that this
    // thread left it in, and the child may go on with anything the parent could.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(Child { pid })),
    }
}

/// How many threads this process has.
pub fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

/// Has libraries put away threads of theirs that wait for work, and says how many
/// threads there are then. OpenBLAS, which NumPy brings, ends its own before every
/// fork (`pthread_atfork`) and makes new ones when it next needs them. So a child is
/// forked that ends at once.
pub fn put_threads_away() -> io::Result<usize> {
    // SAFETY: the child makes one system call and ends.
    match unsafe { libc::fork() } {
        -1 => return Err(io::Error::last_os_error()),
        0 => exit_now(0),
        pid => Child { pid }.wait()?,
    };
    // Who has waited for a thread's end may still see it in the list for a moment.
    for _ in 0..LOOKS {
        if threads() == 1 {
            break;
        }
        // SAFETY: a system call without memory; the process's own clock stands still.
        unsafe { libc::syscall(libc::SYS_sched_yield) };
    }
    Ok(threads())
}

/// Waits for the end of any child; without `wait` only for one that has ended
/// already. Gives its process number and how it ended.
pub fn wait_any(wait: bool) -> io::Result<Option<(u32, Status)>> {
    let mut status = 0;
    loop {
        let options = if wait { 0 } else { libc::WNOHANG };
        // SAFETY: the pointer is to a local variable that outlives the call.
        match unsafe { libc::waitpid(-1, &raw mut status, options) } {
            0 => return Ok(None),
            -1 => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            pid => return Ok(Some((pid as u32, status_of(status)))),
        }
    }
}

/// Waits until something can be read from standard input, or its other end is
/// closed, for so long at most.
pub fn wait_for_input(milliseconds: u16) -> io::Result<bool> {
    let mut input = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer is to one structure, a local variable that outlives the call.
    match unsafe { libc::poll(&raw mut input, 1, i32::from(milliseconds)) } {
        -1 => {
            let error = io::Error::last_os_error();
            match error.kind() {
                io::ErrorKind::Interrupted => Ok(false),
                _ => Err(error),
            }
        }
        ready => Ok(ready > 0),
    }
}

/// Processor seconds of all processes that ended below this one and were waited
/// for: in user mode, and in the kernel.
pub fn children_seconds() -> (f64, f64) {
    // SAFETY: the structure is plain data, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a local variable that outlives the call. It cannot
    // fail with this argument; zeros stay zeros if it did.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

/// Gives memory that was freed back to the system, where the allocator keeps it:
/// what a long process needed once is not counted against it for ever.
pub fn return_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it works on the allocator's own lists, under the allocator's locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn status_of(status: i32) -> Status {
    match libc::WIFSIGNALED(status) {
        true => Status::Signal(libc::WTERMSIG(status)),
        false => Status::Exit(libc::WEXITSTATUS(status)),
    }
}

impl Child {
    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.pid as u32
    }

    /// Waits for its end and leaves it unreaped: until [`Child::wait`] its number,
    /// and that of its group, are nobody else's.
    pub fn ended(&self) -> io::Result<Status> {
        loop {
            // SAFETY: the structure is plain data that the call fills.
            let (done, info) = unsafe {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                let flags = libc::WEXITED | libc::WNOWAIT;
                (libc::waitid(libc::P_PID, self.pid(), &raw mut info, flags), info)
            };
            if done == 0 {
                // SAFETY: `waitid` filled the fields of a child's end.
                let status = unsafe { info.si_status() };
                return Ok(match info.si_code {
                    libc::CLD_EXITED => Status::Exit(status),
                    _ => Status::Signal(status),
                });
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }

    /// Gives it a process group of its own. It does so itself as well
    /// ([`own_group`]); whoever is first.
    pub fn group(&self) {
        // SAFETY: a system call without memory of ours.
        unsafe { libc::setpgid(self.pid, self.pid) };
    }

    /// Waits for its end.
    pub fn wait(self) -> io::Result<Status> {
        let mut status = 0;
        loop {
            // SAFETY: the pointer is to a local variable that outlives the call.
            let done = unsafe { libc::waitpid(self.pid, &raw mut status, 0) };
            if done == self.pid {
                return Ok(status_of(status));
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}

/// Makes this process end when the one that started it does, however that ends.
/// Returns false when that one has gone already.
pub fn die_with_parent(parent: u32) -> bool {
    // SAFETY: sets a flag of this process; no memory is involved.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    std::os::unix::process::parent_id() == parent
}

/// Puts this process into a process group of its own.
pub fn own_group() {
    // SAFETY: a system call without memory of ours.
    unsafe { libc::setpgid(0, 0) };
}

/// Whether this process has children, or some that ended and are not waited for.
pub fn has_children() -> bool {
    // SAFETY: the structure is plain data that the call fills; nobody is reaped.
    let found = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_ALL, 0, &raw mut info, flags)
    };
    found == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ECHILD)
}

/// Ends this process with a signal when it has used that much processor time.
pub fn limit_processor_seconds(seconds: u64) {
    let limit = libc::rlimit { rlim_cur: seconds, rlim_max: seconds.saturating_add(5) };
    // SAFETY: the pointer is to a local variable that outlives the call.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
}

/// No core files: a crash of a faulty run is a result, not something to debug.
pub fn no_core_files() {
    let limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a local variable that outlives the call.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const limit) };
}

/// Ends this process at once: nothing is flushed, no destructor runs. For
/// children, whose buffers are copies of the parent's.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: does not return and touches no memory of ours.
    unsafe { libc::_exit(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The test harness has several threads, so forking is refused here; what
    // forks for real are the workers of a campaign, tested end to end.
    #[test]
    fn a_process_with_several_threads_is_not_forked() {
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || wait.recv());
        assert!(fork().is_err());
        drop(go);
        assert!(other.join().is_ok_and(|r| r.is_err()));
    }

    #[test]
    fn time_of_children_grows() {
        let before = children_seconds();
        let count = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        let ran = std::process::Command::new("sh").args(["-c", count]).status();
        assert!(ran.is_ok_and(|s| s.success()));
        let after = children_seconds();
        assert!(after.0 + after.1 > before.0 + before.1);
        return_freed_memory();
    }

    #[test]
    fn statuses_are_told_apart() {
        assert!(Status::Signal(9).was_killed());
        assert!(!Status::Signal(11).was_killed());
        assert!(Status::Signal(24).was_too_long());
        assert!(!Status::Exit(24).was_too_long());
    }
}
