//! A program run as one of many: nothing of it reaches the terminal, nothing of
//! it stays, and it cannot go on for ever.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use upset_agent::config;

use crate::process::{cannot_start, prepare};
use crate::records::Records;
use crate::{End, Launch, LaunchError, signals, socket};

/// How often a run that goes on is looked after.
const TICK: Duration = Duration::from_millis(50);

/// What a run may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time of each of its processes, in seconds.
    pub processor_seconds: u64,
    /// Time on the clock: for hosts that wait for ever.
    pub wall: Duration,
    /// Bytes of standard output that are kept.
    pub stdout: usize,
    /// Bytes of standard error that are kept.
    pub stderr: usize,
}

/// A program to run by itself.
#[derive(Debug)]
pub struct Confined<'a> {
    /// The program. Its file must be absolute: it starts in another folder.
    pub launch: Launch<'a>,
    /// Where it runs.
    pub folder: &'a Path,
    /// Its order.
    pub order: &'a Path,
    /// What it may use.
    pub limits: Limits,
    /// Ends the run when it is set.
    pub stop: Option<&'a AtomicBool>,
}

/// A run that is over.
#[derive(Debug)]
pub struct Ran {
    /// How it ended; none when it was ended: it took too long on the clock.
    pub end: Option<End>,
    /// It was ended because somebody wanted everything to end.
    pub stopped: bool,
    /// What its CUDA calls did.
    pub records: Records,
    /// The beginning of its standard output.
    pub stdout: Vec<u8>,
    /// The beginning of its standard error.
    pub stderr: Vec<u8>,
}

impl Ran {
    /// Whether it used more processor time than it was given; in a process of
    /// its own that a script started, too.
    pub fn was_too_long(&self) -> bool {
        let by_shell = 128 + libc::SIGXCPU as u8;
        matches!(self.end, None | Some(End::Signal(libc::SIGXCPU)))
            || self.end == Some(End::Exit(by_shell))
    }

    /// Whether somebody else ended it: the user, or a machine short of memory.
    pub fn was_killed(&self) -> bool {
        self.end.is_some_and(End::was_killed)
    }
}

impl Confined<'_> {
    /// Runs it to its end. Must be called from a thread that outlives the
    /// call: the program dies with it.
    pub fn run(&self) -> Result<Ran, LaunchError> {
        let (receiver, sender) = socket::pair()?;
        let mut command = self.launch.command(&sender);
        command
            .env(config::TRIAL, self.order)
            .env("PWD", self.folder)
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // What it starts and leaves behind is found by its group.
            .process_group(0);
        let (parent, fd) = (std::process::id(), sender.number());
        let seconds = self.limits.processor_seconds;
        let children_ignored = signals::notice_children();
        // SAFETY: the closure makes a few system calls and nothing else.
        unsafe {
            command.pre_exec(move || {
                prepare(parent, fd, children_ignored)?;
                confine(seconds)
            });
        }
        let mut child = command.spawn().map_err(|e| cannot_start(self.launch.file, &e))?;
        drop(sender);
        let pid = child.id();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let mut records = Records::default();
        let over = AtomicBool::new(false);
        let (end, stopped, stdout, stderr) = std::thread::scope(|scope| {
            let reader = scope.spawn(|| receiver.take_all(|m| records.take_bytes(m)));
            let out = scope.spawn(|| drain(out.map(OwnedFd::from), self.limits.stdout, &over));
            let err = scope.spawn(|| drain(err.map(OwnedFd::from), self.limits.stderr, &over));
            let (tell, hear) = mpsc::channel();
            let waiter = scope.spawn(move || {
                let _ = tell.send(signals::wait(pid));
            });
            let (ended, stopped) = self.look_after(&hear, pid);
            // Not reaped yet, so the group is still this one's.
            kill_group(pid);
            let _ = waiter.join();
            let status = child.wait();
            receiver.close();
            over.store(true, Ordering::Release);
            let _ = reader.join();
            let taken =
                |t: std::thread::ScopedJoinHandle<'_, Vec<u8>>| t.join().unwrap_or_default();
            (status.map(|s| ended.then(|| End::from(s))), stopped, taken(out), taken(err))
        });
        let end = end.map_err(|e| LaunchError::ours("wait for the program", &e))?;
        Ok(Ran { end, stopped, records, stdout, stderr })
    }

    /// Waits for its end: whether it came by itself, and whether everything is
    /// to end.
    fn look_after(&self, hear: &mpsc::Receiver<io::Result<()>>, pid: u32) -> (bool, bool) {
        let start = Instant::now();
        loop {
            match hear.recv_timeout(TICK) {
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return (true, false),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let stopped = self.stop.is_some_and(|s| s.load(Ordering::Relaxed));
            if stopped || start.elapsed() > self.limits.wall {
                kill_group(pid);
                return (false, stopped);
            }
        }
    }
}

/// Between fork and exec: bounds on what the program may use, and no core file
/// (a crash is a result here, nothing to look into).
pub(crate) fn confine(processor_seconds: u64) -> io::Result<()> {
    let of = |soft, hard| libc::rlimit { rlim_cur: soft, rlim_max: hard };
    let cpu = of(processor_seconds, processor_seconds.saturating_add(5));
    // SAFETY: system calls with data that lives through them.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CPU, &cpu);
        libc::setrlimit(libc::RLIMIT_CORE, &of(0, 0));
    }
    Ok(())
}

pub(crate) fn kill_group(leader: u32) {
    // SAFETY: a signal to the group of a child of ours that is not reaped yet,
    // so the number is nobody else's.
    unsafe { libc::killpg(leader as libc::pid_t, libc::SIGKILL) };
}

/// Reads until the other end is closed, or until it is over and nothing more is
/// there: a process that escaped may hold the other end open. Keeps the
/// beginning and drops the rest, so that a program that prints for ever fills
/// nothing.
fn drain(from: Option<OwnedFd>, keep: usize, over: &AtomicBool) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(fd) = from else { return kept };
    let mut file = std::fs::File::from(fd);
    let mut buffer = vec![0; 1 << 16];
    // A pipe holds less than that many buffers; more is from one that escaped.
    let mut last = 64;
    loop {
        let ending = over.load(Ordering::Acquire);
        last -= i32::from(ending);
        let mut poll = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let tick = if ending { 0 } else { TICK.as_millis() as libc::c_int };
        // SAFETY: one structure that lives through the call.
        match unsafe { libc::poll(&mut poll, 1, tick) } {
            0 if ending => return kept,
            _ if last == 0 => return kept,
            0 => continue,
            _ => {}
        }
        match file.read(&mut buffer) {
            Ok(0) => return kept,
            Ok(n) => {
                let room = keep.saturating_sub(kept.len()).min(n);
                kept.extend(&buffer[..room]);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, Installed, Settings};
    use std::ffi::OsString;
    use upset_device::Mode;

    fn ran(line: &str, seconds: u64, wall: Duration, stop: Option<&AtomicBool>) -> Ran {
        let settings = Settings {
            chip: "rtx2060".into(),
            set: Vec::new(),
            mode: Mode::Timing,
            trace: None,
            counters: None,
            kernel_cycles: None,
            clock: Clock::Real,
        };
        let (name, args) = (OsString::from("sh"), [OsString::from("-c"), OsString::from(line)]);
        let confined = Confined {
            launch: Launch {
                file: Path::new("/bin/sh"),
                name: &name,
                args: &args,
                installed: &Installed::nothing(),
                preload: &[],
                settings: &settings,
            },
            folder: Path::new("/"),
            order: Path::new("/nonexistent/order"),
            limits: Limits { processor_seconds: seconds, wall, stdout: 100, stderr: 10 },
            stop,
        };
        confined.run().expect("it starts")
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_it_says_is_kept_and_its_end_told() {
        let r = ran("cat; pwd; echo $UPSET_TRIAL; echo 123456789ABC >&2; exit 7", 10, LONG, None);
        assert_eq!(r.end, Some(End::Exit(7)));
        assert_eq!(r.stdout, b"/\n/nonexistent/order\n");
        assert_eq!(r.stderr, b"123456789A");
        assert!(!r.was_killed() && !r.was_too_long() && !r.stopped);
    }

    #[test]
    fn a_host_that_computes_for_ever_is_ended() {
        let r = ran("while :; do :; done", 1, LONG, None);
        assert!(r.was_too_long() && !r.was_killed(), "{r:?}");
        // Also where a shell has started it, and has a life of its own.
        let r = ran("(while :; do :; done); exit $?", 1, LONG, None);
        assert!(r.was_too_long() && !r.was_killed(), "{r:?}");
    }

    #[test]
    fn a_host_that_waits_for_ever_is_ended_with_all_that_it_started() {
        let start = Instant::now();
        let r = ran("sleep 50 & sleep 50", 10, Duration::from_millis(200), None);
        assert!(r.end.is_none() && r.was_too_long() && !r.stopped);
        let r = ran("sleep 50", 10, LONG, Some(&AtomicBool::new(true)));
        assert!(r.end.is_none() && r.stopped);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_it_leaves_behind_is_ended() {
        let start = Instant::now();
        // The pipe stays open as long as the one in the background lives.
        let r = ran("sleep 50 & echo $!", 10, LONG, None);
        assert_eq!(r.end, Some(End::Exit(0)));
        assert!(start.elapsed() < Duration::from_secs(20));
        let pid = String::from_utf8_lossy(&r.stdout).trim().to_string();
        let lives = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit(") ").next().is_some_and(|s| !s.is_empty() && !s.starts_with(['Z', 'X']))
        };
        while lives() {
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn printing_for_ever_fills_nothing() {
        let r = ran("yes", 1, LONG, None);
        assert!(r.was_too_long());
        assert_eq!(r.stdout.len(), 100);
    }
}
