//! Splitting runs from the fault-free one: the program's process is forked, and
//! the child goes on as a run of its own.
//!
//! [`Splitter`] does so wherever in the simulation a run must leave: it looks
//! whether a child can do exactly as this process does (`process`,
//! `descriptors`), forks, and waits for the child's end. In the child,
//! standard output and error, records, answers and files of the working folder
//! are its own by the time it goes on. Which runs there are and where they leave
//! is the walk's doing (`upset_trial::walk`).

mod descriptors;
mod process;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use upset_device::{Device, Seen};
use upset_fork::{Forked, Status};
use upset_trial::Outcome;
use upset_trial::run_files::SharedRunFiles;
use upset_trial::underway::{SharedSeen, Underway};
use upset_trial::walk::{Splits, Walk, set_out};

use crate::order::fail;
use crate::owner;
use crate::report::{self, Record};
use crate::walk::{FromWalker, ToWalker, file_id, receive, send};
use descriptors::Open;

/// Splits runs from the one of this process.
pub struct Splitter {
    walk: Walk,
    place: SharedRunFiles,
    /// What the first changes of runs hit that are still followed.
    seen: SharedSeen,
    /// Whoever started the walk can be spoken to.
    has_line: bool,
    /// This process is a run of its own.
    away: bool,
}

/// Prepares a device whose run is to be walked.
pub fn walk(order: &mut Underway, device: &mut Device) {
    let Some(mut walk) = order.walk() else { return };
    // Something between may have closed it; the run ends unsplit then.
    let has_line = file_id(walk.number).ok() == Some(walk.socket);
    if has_line {
        // Not for programs that this one starts.
        // SAFETY: sets a flag of a socket of ours.
        unsafe { libc::fcntl(walk.number, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    let errand = order.errand(&mut walk).unwrap_or_else(|e| fail("read what was noted", &e));
    let (place, seen) = (order.shared_place(), order.shared_seen());
    let splitter = Splitter { walk, place, seen, has_line, away: false };
    let splitter = Arc::new(Mutex::new(splitter));
    order.set_out(set_out(device, errand, &splitter));
}

impl Splits for Splitter {
    fn split(&mut self, run: u64) -> bool {
        // What is neither told of nor faded must have left.
        if !self.has_line {
            return false;
        }
        let seen = locked(&self.seen).remove(&run).map(Box::new);
        match self.survey() {
            Ok((open, folder)) => {
                self.say(&FromWalker::Leaves { run, seen });
                match self.hear() {
                    (ToWalker::Split { order }, files) => self.fork(&order, files, &open, &folder),
                    (ToWalker::GoOn, _) => false,
                }
            }
            Err(why) => {
                self.say(&FromWalker::Cannot { run, seen, why });
                self.hear();
                false
            }
        }
    }

    fn is_away(&self) -> bool {
        self.away
    }

    fn converged(&mut self, outcome: Outcome) {
        report::send(Record::Converged(Box::new(outcome)));
        // What the program has not flushed is what it would print anyway.
        upset_fork::exit_now(0)
    }

    fn seen(&mut self, run: u64, seen: Seen) {
        locked(&self.seen).insert(run, seen);
    }
}

impl Splitter {
    /// Whether a child could do exactly as this process does: its open files and
    /// its folder. The error says why not.
    fn survey(&self) -> Result<(Vec<Open>, PathBuf), String> {
        if std::os::unix::process::parent_id() != self.walk.starter {
            return Err("starts the process that uses the GPU".into());
        }
        if file_id(self.walk.report_number).ok() != Some(self.walk.report) {
            return Err("closes inherited files".into());
        }
        process::check(&self.walk)?;
        let place = locked(&self.place).descriptor();
        let mut ours = vec![self.walk.number, self.walk.report_number];
        ours.extend(place);
        let open = descriptors::survey(&self.walk, &ours)?;
        let folder = std::env::current_dir().map_err(|e| format!("has no working folder: {e}"))?;
        Ok((open, folder))
    }

    /// Forks: true in the child. The walker waits for the child's end.
    fn fork(&mut self, order: &Path, files: Vec<OwnedFd>, open: &[Open], folder: &Path) -> bool {
        let me = std::process::id();
        let child = match upset_fork::fork() {
            Ok(Forked::Parent(child)) => child,
            Ok(Forked::Child) => {
                upset_fork::own_group();
                if !upset_fork::die_with_parent(me) {
                    upset_fork::exit_now(1);
                }
                upset_fork::limit_processor_seconds(self.walk.processor_seconds);
                if let Err(e) = self.begin(order, &files, open, folder) {
                    fail("go on as a run of its own", &e);
                }
                return true;
            }
            Err(e) => {
                self.say(&FromWalker::Failed { why: e.to_string() });
                self.hear();
                return false;
            }
        };
        // The other ends must close when the child does.
        drop(files);
        child.group();
        self.say(&FromWalker::Forked { pid: child.pid() });
        let status = child.ended().unwrap_or_else(|e| fail("wait for its child", &e));
        self.say(&match status {
            Status::Exit(code) => FromWalker::Ended { code: Some(code), signal: None },
            Status::Signal(signal) => FromWalker::Ended { code: None, signal: Some(signal) },
        });
        self.hear();
        child.wait().unwrap_or_else(|e| fail("wait for its child", &e));
        false
    }

    /// In the child: makes everything its own that it would share.
    fn begin(
        &mut self,
        order: &Path,
        files: &[OwnedFd],
        open: &[Open],
        folder: &Path,
    ) -> io::Result<()> {
        let [report, stdout, stderr] = files else {
            return Err(io::Error::other("its files did not arrive"));
        };
        // First: from now on, failures are the child's.
        replace(report.as_raw_fd(), self.walk.report_number)?;
        self.away = true;
        // What other runs hit is not the child's to tell.
        std::mem::forget(std::mem::take(&mut *locked(&self.seen)));
        owner::adopt();
        if folder.starts_with(&self.walk.root) {
            std::env::set_current_dir(folder)?;
        }
        descriptors::renew(open, stdout.as_raw_fd(), stderr.as_raw_fd())?;
        // The walker's line is not for the child.
        // SAFETY: closes a socket of ours, which the child does not use.
        unsafe { libc::close(self.walk.number) };
        locked(&self.place).move_to(order).map(|_| ())
    }

    fn say(&self, what: &FromWalker) {
        if let Err(e) = send(self.walk.number, what, &[]) {
            fail("speak to the one that started it", &e);
        }
    }

    fn hear(&self) -> (ToWalker, Vec<OwnedFd>) {
        match receive(self.walk.number) {
            Ok(Some(heard)) => heard,
            // Nobody is there any more.
            Ok(None) => upset_fork::exit_now(report::ORPHANED),
            Err(e) => fail("hear the one that started it", &e),
        }
    }
}

fn replace(new: RawFd, number: RawFd) -> io::Result<()> {
    // SAFETY: the number is that of a socket of ours, which nobody else uses.
    match unsafe { libc::dup2(new, number) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
