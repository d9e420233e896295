//! What a run says: standard output, standard error and records, taken as they
//! come, without ever waiting for any one of them.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

use crate::End;
use crate::confined::{Limits, Ran};
use crate::records::Records;
use crate::socket::Receiver;

/// Pieces that are taken at once from a run that goes on.
const PIECES: u32 = 16;
/// Pieces that are taken when it is over: a pipe holds less, and more is from a
/// process that escaped.
const LAST: u32 = 64;

/// The streams of a run.
pub(crate) struct Streams {
    out: Kept,
    err: Kept,
    /// Until all senders are gone.
    receiver: Option<Receiver>,
    records: Records,
}

/// A stream, and the beginning of what came out of it.
struct Kept {
    from: Option<File>,
    bytes: Vec<u8>,
    most: usize,
}

impl Streams {
    pub fn new(
        out: OwnedFd,
        err: OwnedFd,
        receiver: Receiver,
        limits: &Limits,
    ) -> io::Result<Streams> {
        let kept =
            |fd, most| io::Result::Ok(Kept { from: Some(unblocked(fd)?), bytes: Vec::new(), most });
        Ok(Streams {
            out: kept(out, limits.stdout)?,
            err: kept(err, limits.stderr)?,
            receiver: Some(receiver),
            records: Records::default(),
        })
    }

    /// A run that split from another has said what that one had said.
    pub fn begin_with(&mut self, other: &Streams) {
        self.out.bytes.clone_from(&other.out.bytes);
        self.err.bytes.clone_from(&other.err.bytes);
        self.records = other.records.clone();
    }

    /// Waits until there is something to take, or something to read elsewhere:
    /// whether that is so.
    pub fn wait(&self, elsewhere: RawFd, most: Duration) -> bool {
        let poll = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let file = |k: &Kept| k.from.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let receiver = self.receiver.as_ref().map_or(-1, Receiver::number);
        let mut all = [elsewhere, file(&self.out), file(&self.err), receiver].map(poll);
        // SAFETY: the structures live through the call.
        let n = unsafe {
            libc::poll(all.as_mut_ptr(), all.len() as _, most.as_millis() as libc::c_int)
        };
        n > 0 && all[0].revents != 0
    }

    /// Takes some of what there is.
    pub fn take_some(&mut self) {
        self.take(PIECES);
    }

    /// Takes all that there is. Whoever says it must have stopped.
    pub fn take_all(&mut self) {
        self.take(LAST);
    }

    fn take(&mut self, pieces: u32) {
        self.out.take(pieces);
        self.err.take(pieces);
        let records = &mut self.records;
        self.receiver.take_if(|r| !r.take_ready(|m| records.take_bytes(m)));
    }

    /// What was said.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The run is over.
    pub fn ran(self, end: Option<End>) -> Ran {
        Ran {
            end,
            stopped: false,
            records: self.records,
            stdout: self.out.bytes,
            stderr: self.err.bytes,
        }
    }
}

impl Kept {
    fn take(&mut self, pieces: u32) {
        let mut buffer = [0; 1 << 16];
        for _ in 0..pieces {
            let Some(from) = &mut self.from else { return };
            match from.read(&mut buffer) {
                Ok(0) => self.from = None,
                Ok(n) => {
                    let room = self.most.saturating_sub(self.bytes.len()).min(n);
                    self.bytes.extend(&buffer[..room]);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

/// Reads what a file has for now.
pub(crate) fn unblocked(fd: OwnedFd) -> io::Result<File> {
    // SAFETY: changes flags of an open descriptor of ours.
    let done = unsafe {
        let flags = libc::fcntl(fd.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK)
    };
    match done {
        0.. => Ok(File::from(fd)),
        _ => Err(io::Error::last_os_error()),
    }
}
