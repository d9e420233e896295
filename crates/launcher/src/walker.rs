//! A program whose process walks the fault-free run: seen from the one that
//! started it. Faulty runs split from it one after the other, where the walk
//! says that they must.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use upset_agent::config;
use upset_agent::walk::{FromWalker, ToWalker, file_id, receive, send};
use upset_device::Seen;
use upset_trial::Reference;
use upset_trial::order::{Files, Order};
use upset_trial::walk::{FileId, Job, Walk};

use crate::confined::{Limits, Ran, confine, kill_group};
use crate::process::{cannot_start, prepare};
use crate::records::Records;
use crate::streams::Streams;
use crate::{End, Launch, LaunchError, signals, socket};

/// How often it is looked whether the walker lives.
const TICK: Duration = Duration::from_millis(50);

/// A walking program.
pub struct Walker {
    process: Child,
    control: OwnedFd,
    streams: Streams,
    limits: Limits,
    run_limits: Limits,
}

/// How far a walk is.
#[derive(Debug)]
pub enum Arrived {
    /// A run must leave, and can be split off.
    Leaves {
        /// Its number.
        run: u64,
        /// What its first change hit, if that was to be told.
        seen: Option<Box<Seen>>,
    },
    /// A run must leave and cannot be split off without harm.
    Cannot {
        /// Its number.
        run: u64,
        /// What its first change hit, if that was to be told.
        seen: Option<Box<Seen>>,
        /// Why.
        why: String,
    },
    /// The process has ended; none when it was ended because it took too long.
    Ended(Option<End>),
}

/// What a walker is started with.
#[derive(Debug)]
pub struct Start<'a> {
    /// The program. Its file must be absolute: it starts in another folder.
    pub launch: Launch<'a>,
    /// Where it runs.
    pub folder: &'a Path,
    /// The root of its folders.
    pub root: &'a Path,
    /// Its order, to be given here; what concerns the walk is added.
    pub files: &'a Files,
    /// What to do.
    pub order: Order,
    /// Some runs hold bits.
    pub holds: bool,
    /// The runs.
    pub jobs: Vec<Job>,
    /// What they are judged by.
    pub reference: Reference,
    /// What it may use: it takes all ghosts along.
    pub limits: Limits,
    /// What each run that splits from it may use.
    pub run_limits: Limits,
}

impl Walker {
    /// Starts the program. Must be called from a thread that outlives the
    /// walker: the program dies with it.
    pub fn start(start: Start<'_>) -> Result<Walker, LaunchError> {
        let ours = |what: &'static str| move |e: io::Error| LaunchError::ours(what, &e);
        let inherited = inherited();
        let (receiver, sender) = socket::pair()?;
        let (control, theirs) = socket::pair()?;
        let (out, stdout) = io::pipe().map_err(ours("make a pipe"))?;
        let (err, stderr) = io::pipe().map_err(ours("make a pipe"))?;
        let known = |fd: RawFd| file_id(fd).map_err(ours("look at a pipe"));
        let walk = Walk {
            starter: std::process::id(),
            number: theirs.number(),
            socket: known(theirs.number())?,
            report_number: sender.number(),
            report: known(sender.number())?,
            stdout: known(stdout.as_raw_fd())?,
            stderr: known(stderr.as_raw_fd())?,
            inherited,
            root: start.root.canonicalize().map_err(ours("find the program's folder"))?,
            holds: start.holds,
            jobs: start.jobs,
            reference: start.reference,
            processor_seconds: start.run_limits.processor_seconds,
        };
        let order = Order { walk: Some(walk), ..start.order };
        start.files.give(&order).map_err(ours("write the program's order"))?;
        let mut command = start.launch.command(&sender);
        command
            .env(config::TRIAL, start.files.order())
            .env("PWD", start.folder)
            .current_dir(start.folder)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .process_group(0);
        let (parent, fds) = (std::process::id(), [sender.number(), theirs.number()]);
        let seconds = start.limits.processor_seconds;
        let children_ignored = signals::notice_children();
        // SAFETY: the closure makes a few system calls and nothing else.
        unsafe {
            command.pre_exec(move || {
                prepare(parent, fds[0], children_ignored)?;
                socket::keep(fds[1])?;
                confine(seconds)
            });
        }
        let process = command.spawn().map_err(|e| cannot_start(start.launch.file, &e))?;
        let streams = Streams::new(out.into(), err.into(), receiver, &start.limits)
            .map_err(ours("read from the program"))?;
        let Start { limits, run_limits, .. } = start;
        Ok(Walker { process, control: control.into(), streams, limits, run_limits })
    }

    /// Waits until a run must leave, or for the end.
    pub fn walk(&mut self) -> Arrived {
        match self.hear(None) {
            Some(FromWalker::Leaves { run, seen }) => Arrived::Leaves { run, seen },
            Some(FromWalker::Cannot { run, seen, why }) => Arrived::Cannot { run, seen, why },
            Some(
                FromWalker::Forked { .. } | FromWalker::Ended { .. } | FromWalker::Failed { .. },
            )
            | None => {
                self.wait();
                Arrived::Ended(self.end())
            }
        }
    }

    /// Waits for the end of one that has closed its line, as long as it may take.
    fn wait(&mut self) {
        let start = Instant::now();
        while !self.is_gone() && start.elapsed() < self.limits.wall {
            self.streams.wait(-1, TICK);
            self.streams.take_some();
        }
    }

    /// Splits a run from it, which takes its order here, and waits for that
    /// run's end. None when the walker is gone, and the run with it. After
    /// this, and after what the run left was looked at, comes
    /// [`Walker::go_on`].
    pub fn split(&mut self, order: &Path) -> Result<Option<Ran>, LaunchError> {
        let ours = |e: io::Error| LaunchError::ours("make a pipe", &e);
        let (receiver, sender) = socket::pair()?;
        let (out, stdout) = io::pipe().map_err(ours)?;
        let (err, stderr) = io::pipe().map_err(ours)?;
        // It stands still: what it has said by now is what the run has said.
        self.streams.take_all();
        let mut run = Streams::new(out.into(), err.into(), receiver, &self.run_limits)
            .map_err(|e| LaunchError::ours("read from the program", &e))?;
        run.begin_with(&self.streams);
        let split = ToWalker::Split { order: order.to_path_buf() };
        let files = [sender.number(), stdout.as_raw_fd(), stderr.as_raw_fd()];
        let sent = self.say(&split, &files);
        drop((sender, stdout, stderr));
        let pid = match (sent, self.hear(None)) {
            (Ok(()), Some(FromWalker::Forked { pid })) => pid,
            (Ok(()), Some(FromWalker::Failed { why })) => {
                return Err(LaunchError::ours("fork the program", &io::Error::other(why)));
            }
            _ => return Ok(None),
        };
        let ended = self.hear(Some(&mut run));
        // The walker has not waited for it yet, so the group is still this run's.
        kill_group(pid);
        let end = match ended {
            Some(FromWalker::Ended { code: Some(code), .. }) => Some(End::Exit(code as u8)),
            Some(FromWalker::Ended { signal: Some(signal), .. }) => Some(End::Signal(signal)),
            _ if self.is_gone() => return Ok(None),
            // It took too long; now it ends.
            _ => {
                self.hear(Some(&mut run));
                None
            }
        };
        run.take_all();
        Ok(Some(run.ran(end)))
    }

    /// The last run, or that there is none, is dealt with.
    pub fn go_on(&mut self) {
        // If it is gone, that shows at the next step.
        let _ = self.say(&ToWalker::GoOn, &[]);
    }

    fn say(&self, what: &ToWalker, files: &[RawFd]) -> io::Result<()> {
        send(self.control.as_raw_fd(), what, files)
    }

    /// What it has said so far; all of it once it has ended.
    pub fn records(&mut self) -> &Records {
        self.streams.take_all();
        self.streams.records()
    }

    /// The next message; meanwhile, what the walker or a run says is taken. None
    /// when the walker is gone, or when it takes too long.
    fn hear(&mut self, mut run: Option<&mut Streams>) -> Option<FromWalker> {
        let start = Instant::now();
        let wall = if run.is_some() { self.run_limits.wall } else { self.limits.wall };
        loop {
            let streams = run.as_deref_mut().unwrap_or(&mut self.streams);
            let says = streams.wait(self.control.as_raw_fd(), TICK);
            streams.take_some();
            if says {
                return receive(self.control.as_raw_fd()).ok().flatten().map(|(m, _)| m);
            }
            if self.is_gone() || start.elapsed() > wall {
                return None;
            }
        }
    }

    /// Whether its process has ended.
    fn is_gone(&self) -> bool {
        signals::has_ended(self.process.id())
    }

    /// How its process ended; none when it must be ended.
    fn end(&mut self) -> Option<End> {
        match self.is_gone() {
            true => self.process.wait().ok().map(End::from),
            false => None,
        }
    }
}

impl Drop for Walker {
    fn drop(&mut self) {
        // Not reaped unless it had ended: `wait` remembers.
        if !matches!(self.process.try_wait(), Ok(Some(_))) {
            kill_group(self.process.id());
            let _ = self.process.wait();
        }
    }
}

/// Open files that programs inherit from us, and we from whoever started us.
fn inherited() -> Vec<FileId> {
    let Ok(list) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let numbers = list.flatten().filter_map(|e| e.file_name().to_str()?.parse::<RawFd>().ok());
    let passed = |n: &RawFd| {
        // SAFETY: asks for a flag of a descriptor; one that is closed is an error.
        let flags = unsafe { libc::fcntl(*n, libc::F_GETFD) };
        *n > 2 && flags >= 0 && flags & libc::FD_CLOEXEC == 0
    };
    numbers.filter(passed).filter_map(|n| file_id(n).ok()).collect()
}
