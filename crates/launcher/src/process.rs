//! The program's process, from start to end.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::LaunchError;
use crate::records::Records;
use crate::signals::{self, Passing};
use crate::socket::{self, Receiver, Sender};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With an exit code.
    Exit(u8),
    /// By a signal.
    Signal(i32),
}

impl End {
    /// Whether somebody else ended it: the user, or a machine short of memory.
    pub fn was_killed(self) -> bool {
        matches!(self, End::Signal(libc::SIGKILL | libc::SIGTERM | libc::SIGINT))
    }
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> End {
        match (status.code(), status.signal()) {
            (Some(code), _) => End::Exit(code as u8),
            (None, signal) => End::Signal(signal.unwrap_or(libc::SIGKILL)),
        }
    }
}

/// Runs a command until it ends and takes its messages all the while, so that
/// it never waits for us.
pub fn run(
    mut command: Command,
    file: &Path,
    receiver: Receiver,
    sender: Sender,
) -> Result<(End, Records), LaunchError> {
    let parent = std::process::id();
    let fd = sender.number();
    let children_ignored = signals::notice_children();
    // SAFETY: the closure makes a few system calls and nothing else.
    unsafe { command.pre_exec(move || prepare(parent, fd, children_ignored)) };
    let passing = Passing::start();
    let mut child = command.spawn().map_err(|e| cannot_start(file, &e))?;
    passing.to(child.id());
    // Its end is the program's alone, so that we see when it is closed.
    drop(sender);
    let mut records = Records::default();
    let end = std::thread::scope(|scope| {
        let reader = signals::blocked(|| {
            scope.spawn(|| receiver.take_all(|message| records.take_bytes(message)))
        });
        let waited = signals::wait(child.id());
        passing.to_nobody();
        let status = waited.and_then(|()| child.wait());
        // Children of the program may live on: we do not wait for them.
        receiver.close();
        let _ = reader.join();
        status
    });
    drop(passing);
    let status = end.map_err(|e| LaunchError::ours("wait for the program", &e))?;
    Ok((End::from(status), records))
}

/// Between fork and exec: the program dies with us, and keeps its socket.
pub(crate) fn prepare(parent: u32, fd: RawFd, children_ignored: bool) -> io::Result<()> {
    // SAFETY: system calls without memory of ours.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err(io::Error::last_os_error());
        }
        // We may have been killed before the call: then no signal comes.
        if libc::getppid() as u32 != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        if children_ignored {
            libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        }
    }
    socket::keep(fd)
}

pub(crate) fn cannot_start(file: &Path, e: &io::Error) -> LaunchError {
    let name = file.display();
    match e.raw_os_error() {
        // The file is there: what is missing is what runs it.
        Some(libc::ENOENT) => LaunchError::input(format!(
            "cannot start {name}: its loader or interpreter does not exist"
        )),
        _ => LaunchError::input(format!("cannot start {name}: {e}")),
    }
}

/// Ends this process by a signal, so that whoever started it sees the same
/// status as the program's own. The program left its core, if any; we leave none.
pub fn die_of(signal: i32) -> ! {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: system calls with data that lives through them; the signal's
    // default action ends the process.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::kill(libc::getpid(), signal);
    }
    // A signal that does not end a process cannot have ended the program; as
    // shells do.
    std::process::exit(128 + signal)
}

/// Name of a signal, as in `SIGSEGV`.
pub fn signal_name(signal: i32) -> String {
    let known = [
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGQUIT, "SIGQUIT"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGUSR2, "SIGUSR2"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGXCPU, "SIGXCPU"),
        (libc::SIGXFSZ, "SIGXFSZ"),
        (libc::SIGSYS, "SIGSYS"),
    ];
    match known.iter().find(|(n, _)| *n == signal) {
        Some((_, name)) => (*name).to_string(),
        None => format!("signal {signal}"),
    }
}
