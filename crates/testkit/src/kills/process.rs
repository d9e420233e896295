//! Processes of a campaign: started, found again, ended, and looked for
//! afterwards.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal};

/// The variable that all processes of a round have in their environment.
const MARK: &str = "UPSET_KILLS";
/// A process that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long processes may take to follow the one that started them.
const FOLLOW: Duration = Duration::from_secs(20);

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Ended {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Code(code),
            (None, signal) => Ended::Signal(signal.unwrap_or(0)),
        }
    }
}

/// What becomes of the signal that a file over its limit sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverLimit {
    /// Writes fail.
    Fails,
    /// The process ends.
    Kills,
}

/// Starts `upset` with the mark of a round.
pub struct Starter<'a> {
    /// The program.
    pub upset: &'a Path,
    /// Tells the processes of this round from all others.
    pub mark: String,
    /// Where standard error goes.
    pub log: PathBuf,
}

impl Starter<'_> {
    /// Starts it.
    pub fn start(&self, args: &[String], over: OverLimit) -> io::Result<Running> {
        // The shell only sets what a process hands on to the program that
        // takes its place.
        let before = match over {
            OverLimit::Fails => "trap '' XFSZ; exec \"$@\"",
            OverLimit::Kills => "ulimit -c 0; exec \"$@\"",
        };
        let child = Command::new("sh")
            .args(["-c", before, "sh"])
            .arg(self.upset)
            .args(args)
            .env(MARK, &self.mark)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&self.log)?)
            .spawn()?;
        Ok(Running { child, started: Instant::now(), log: self.log.clone() })
    }

    /// Runs it to its end and gives what it printed.
    pub fn output(&self, args: &[&str]) -> Result<(Ended, String, String), String> {
        let out = Command::new(self.upset)
            .args(args)
            .env(MARK, &self.mark)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot run {}: {e}", self.upset.display()))?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((out.status.into(), text(out.stdout), text(out.stderr)))
    }

    /// All live processes with the mark.
    pub fn alive(&self) -> Vec<Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten();
        let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok());
        pids.filter_map(|pid| self.look_at(pid)).collect()
    }

    fn look_at(&self, pid: i32) -> Option<Process> {
        let wanted = format!("{MARK}={}", self.mark);
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        environment.split(|b| *b == 0).find(|v| *v == wanted.as_bytes())?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in brackets may contain blanks.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        (state != "Z" && state != "X").then_some(Process { pid, parent })
    }

    /// Sends a signal to a process if it still is one of this round.
    pub fn signal(&self, pid: i32, signal: Signal) -> bool {
        let send = || {
            // What is open is this process, whoever gets the number after it.
            let fd = rustix::process::pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
            self.look_at(pid)?;
            rustix::process::pidfd_send_signal(&fd, signal).ok()
        };
        send().is_some()
    }

    /// Waits until no process of the round is left.
    pub fn all_gone(&self) -> Result<(), String> {
        let started = Instant::now();
        loop {
            let alive = self.alive();
            if alive.is_empty() {
                return Ok(());
            }
            if started.elapsed() > FOLLOW {
                alive.iter().for_each(|p| {
                    self.signal(p.pid, Signal::KILL);
                });
                return Err(format!("processes left behind: {alive:?}"));
            }
            sleep(Duration::from_millis(2));
        }
    }
}

/// A process and the one it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// Its parent's.
    pub parent: i32,
}

/// A campaign that was started.
pub struct Running {
    child: Child,
    started: Instant,
    log: PathBuf,
}

impl Running {
    /// The coordinator's number.
    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Time since its start.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether it has ended.
    pub fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for its end; how it ended and what it said.
    pub fn wait(&mut self) -> Result<(Ended, String), String> {
        loop {
            let status = self.child.try_wait().map_err(|e| format!("cannot wait: {e}"))?;
            let said = || fs::read(&self.log).unwrap_or_default();
            if let Some(status) = status {
                return Ok((status.into(), String::from_utf8_lossy(&said()).trim().into()));
            }
            if self.age() > PATIENCE {
                self.kill();
                return Err(format!("it hangs: no end after {PATIENCE:?}"));
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Kills it, if it has not ended.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Whether it has said what is to be done about a signal.
    pub fn listens_to(&self, signal: Signal) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid()));
        let caught = status.ok().and_then(|text| {
            let of = |key| text.lines().find_map(|l| Some(l.strip_prefix(key)?.trim()));
            // Not the shell that came before it.
            of("Name:").filter(|name| *name == "upset")?;
            u64::from_str_radix(of("SigCgt:")?, 16).ok()
        });
        caught.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
    }

    /// Limits the size of the files it writes from now on.
    pub fn limit_files(&self, bytes: u64) -> bool {
        let limit = Rlimit { current: Some(bytes), maximum: None };
        rustix::process::prlimit(Pid::from_raw(self.pid()), Resource::Fsize, limit).is_ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}
