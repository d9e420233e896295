//! Splitting runs from the fault-free one: the program's process is forked, and
//! the child goes on as a run of its own.
//!
//! [`Splitter::split`] is the whole of it, wherever in the simulation it is
//! called: it looks whether a child can do exactly as this process does
//! ([`process`], [`descriptors`]), forks, and waits for the child's end. In the
//! child, standard output and error, records, answers and files of the working
//! folder are its own by the time `split` returns.

mod descriptors;
mod process;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::sync::PoisonError;

use upset_device::{Device, Pauses};
use upset_fork::{Forked, Status};
use upset_state::Change;
use upset_trial::order::{Order, Underway};
use upset_trial::place::SharedPlace;
use upset_trial::walk::Walk;

use super::session;
use super::trial::fail;
use crate::report;
use crate::walk::{FromWalker, ToWalker, file_id, receive, send};
use descriptors::Open;

/// Which of the two a process is after a split.
#[derive(Debug)]
pub enum Side {
    /// The one that walks the fault-free run. The child has ended.
    Walker,
    /// A run of its own, with its order.
    Child(Box<Order>),
}

/// Splits runs from the one of this process.
pub struct Splitter {
    walk: Walk,
    place: SharedPlace,
    /// Where to stop next.
    next: u64,
}

/// Prepares a device whose run is to be walked: bits that change in cycle 0
/// change before anything is done with it.
pub fn walk(order: &mut Underway, device: &mut Device) {
    let Some((walk, place)) = order.walk() else { return };
    // Something between may have closed it; the run ends unsplit then.
    if file_id(walk.number).ok() != Some(walk.socket) {
        return;
    }
    // Not for programs that this one starts.
    // SAFETY: sets a flag of a socket of ours.
    unsafe { libc::fcntl(walk.number, libc::F_SETFD, libc::FD_CLOEXEC) };
    let mut splitter = Splitter { walk, place, next: u64::MAX };
    splitter.ask();
    for (cycle, change) in splitter.stop(0) {
        device.plan(cycle, change);
    }
    device.on_pause(Box::new(splitter));
}

impl Pauses for Splitter {
    fn next(&self) -> u64 {
        self.next
    }

    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        self.stop(cycle)
    }
}

impl Splitter {
    /// Does what is asked for in this cycle. Returns in the walker when there is
    /// nothing more to do here, and in every child with its changes.
    fn stop(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        while self.next <= cycle {
            match self.split(None) {
                Ok(Side::Child(order)) => {
                    self.next = u64::MAX;
                    return order.changes;
                }
                Ok(Side::Walker) => {}
                // Whoever hears that ends this process.
                Err(why) => self.say(&FromWalker::Unsafe { why }),
            }
            self.ask();
        }
        Vec::new()
    }

    /// Waits to be told where to go.
    fn ask(&mut self) {
        loop {
            if let (ToWalker::Walk { to }, _) = self.hear() {
                self.next = to;
                return;
            }
        }
    }

    /// Splits a run from this one, here and now: the one that was asked for, or
    /// one of this number that must leave. The error says why that cannot be
    /// done without harm; nothing has happened then.
    pub fn split(&mut self, run: Option<u64>) -> Result<Side, String> {
        if std::os::unix::process::parent_id() != self.walk.starter {
            return Err("starts the process that uses the GPU".into());
        }
        if file_id(self.walk.report_number).ok() != Some(self.walk.report) {
            return Err("closes inherited files".into());
        }
        process::check(&self.walk)?;
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner).descriptor();
        let mut ours = vec![self.walk.number, self.walk.report_number];
        ours.extend(place);
        let open = descriptors::survey(&self.walk, &ours)?;
        let folder = std::env::current_dir().map_err(|e| format!("has no working folder: {e}"))?;
        self.say(&FromWalker::There { run });
        let (order, files) = match self.hear() {
            (ToWalker::Split { order }, files) => (order, files),
            _ => return Ok(Side::Walker),
        };
        let me = std::process::id();
        let child = match upset_fork::fork() {
            Ok(Forked::Parent(child)) => child,
            Ok(Forked::Child) => {
                upset_fork::own_group();
                if !upset_fork::die_with_parent(me) {
                    upset_fork::exit_now(1);
                }
                return match self.begin(&order, &files, &open, &folder) {
                    Ok(order) => Ok(Side::Child(Box::new(order))),
                    Err(e) => fail("go on as a run of its own", &e),
                };
            }
            Err(e) => return Err(format!("cannot be forked: {e}")),
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
        Ok(Side::Walker)
    }

    /// In the child: makes everything its own that it would share.
    fn begin(
        &mut self,
        order: &Path,
        files: &[OwnedFd],
        open: &[Open],
        folder: &Path,
    ) -> io::Result<Order> {
        let [report, stdout, stderr] = files else {
            return Err(io::Error::other("its files did not arrive"));
        };
        // First: from now on, failures are the child's.
        replace(report.as_raw_fd(), self.walk.report_number)?;
        session::adopt();
        if folder.starts_with(&self.walk.root) {
            std::env::set_current_dir(folder)?;
        }
        descriptors::renew(open, stdout.as_raw_fd(), stderr.as_raw_fd())?;
        // The walker's line is not for the child.
        // SAFETY: closes a socket of ours, which the child does not use.
        unsafe { libc::close(self.walk.number) };
        self.place.lock().unwrap_or_else(PoisonError::into_inner).move_to(order)
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
