//! What the library tells the `upset` that launched the application: one JSON
//! record per message over an inherited socket, as things happen, so that
//! nothing is lost when the application dies.

use std::os::fd::RawFd;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use upset_device::KernelStats;
use upset_trial::{End, Outcome};

use crate::config;

/// One message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Message {
    /// The process it is about.
    pub pid: u32,
    /// What happened.
    pub record: Record,
}

/// What happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Record {
    /// The device was made.
    Started,
    /// A launch ended: the kernel's sums over all launches so far.
    Kernel(Box<KernelStats>),
    /// A launch ended in a trap.
    Trap {
        /// Cause and place.
        message: String,
        /// The CUDA error the application gets.
        error: String,
        /// The cause is something this tool lacks, not the program.
        lacking: bool,
        /// What that makes of a faulty run.
        end: End,
    },
    /// Cycles of a run with an order so far.
    Cycles {
        /// That many.
        cycles: u64,
    },
    /// PTX was turned into machine code.
    Converted {
        /// By whom: name and release.
        by: String,
        /// Digest of the code.
        digest: String,
    },
    /// A function of the API that we lack was called.
    Missing {
        /// Its name.
        name: String,
    },
    /// A call returned an error that the program has not asked for.
    Unasked {
        /// The function.
        call: String,
        /// The error.
        error: String,
    },
    /// The program asked for an error that calls have returned.
    Asked {
        /// The error.
        error: String,
    },
    /// Something about the program that its user should know.
    Note {
        /// One sentence.
        message: String,
        /// The program needs something this tool lacks.
        lacking: bool,
    },
    /// The program has used a function whose answers are held.
    Held {
        /// Its name.
        name: String,
    },
    /// A run with a fault is the fault-free one from here on; the process ends.
    Converged(Box<Outcome>),
    /// The library itself failed; the process ends.
    Failed {
        /// What went wrong.
        message: String,
    },
    /// A process without an order ends in an orderly way.
    Ended {
        /// Digest of the bytes copied to the host.
        output_digest: String,
        /// Digest of memory, cycles and statistics.
        digest: String,
    },
}

/// The socket, if there is one.
fn socket() -> Option<RawFd> {
    static SOCKET: OnceLock<Option<RawFd>> = OnceLock::new();
    *SOCKET.get_or_init(|| std::env::var(config::REPORT_FD).ok()?.parse().ok())
}

/// Whether somebody listens.
pub fn is_heard() -> bool {
    socket().is_some()
}

/// Sends a record; without a listener nothing happens.
pub fn send(record: Record) {
    let Some(fd) = socket() else { return };
    let message = Message { pid: std::process::id(), record };
    let Ok(bytes) = serde_json::to_vec(&message) else { return };
    if !deliver(fd, &bytes) {
        // Whoever started this run is gone; nobody waits for its result.
        // SAFETY: ends the process at once, touching nothing of ours.
        unsafe { libc::_exit(ORPHANED) }
    }
}

/// Sends bytes; false when the listener went away. A descriptor that the
/// program closed, or made something else of, says nothing about the listener.
fn deliver(fd: RawFd, bytes: &[u8]) -> bool {
    loop {
        // SAFETY: the buffer lives through the call; a descriptor that is closed
        // or something else by now only makes the call fail. NOSIGNAL keeps a
        // listener that went away from killing the application.
        let sent =
            unsafe { libc::send(fd, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
        if sent >= 0 {
            return true;
        }
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::EINTR) => {}
            // A listener that died with messages unread resets the connection;
            // one that had read them all leaves a broken pipe.
            error => return !matches!(error, Some(libc::EPIPE | libc::ECONNRESET)),
        }
    }
}

/// Exit code of a failure of ours, as `upset` documents it.
pub const OUR_FAILURE: i32 = 4;
/// Exit code of a program whose `upset` went away.
pub const ORPHANED: i32 = 130;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    /// A socket as the launcher makes it: whole messages.
    fn pair() -> [OwnedFd; 2] {
        let mut fds = [0; 2];
        // SAFETY: the array has room for the two descriptors.
        let made =
            unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET, 0, fds.as_mut_ptr()) };
        assert_eq!(made, 0);
        // SAFETY: both are open and nobody else's.
        fds.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
    }

    #[test]
    fn a_listener_that_died_is_noticed_at_once_whether_it_had_read_all_or_not() {
        for read in [true, false] {
            let [receiver, sender] = pair();
            assert!(deliver(sender.as_raw_fd(), b"first"));
            let mut receiver = std::fs::File::from(receiver);
            if read {
                assert_eq!(receiver.read(&mut [0; 16]).expect("a message"), 5);
            }
            drop(receiver);
            assert!(!deliver(sender.as_raw_fd(), b"second"), "read: {read}");
        }
    }

    #[test]
    fn a_descriptor_that_is_something_else_by_now_is_no_dead_listener() {
        let (_reader, writer) = std::io::pipe().expect("a pipe");
        assert!(deliver(writer.as_raw_fd(), b"lost"));
    }
}
