//! The socket between the program's process and this one: whole messages, kept
//! by the system when their sender dies.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::LaunchError;

/// Largest message; a kernel's record has a few thousand bytes.
const LONGEST: usize = 1 << 18;
/// Where the program's end is put: programs that count on the next free
/// number, or close a range and open anew, do not come this far.
const HIGH: RawFd = 900;

/// Our end.
pub struct Receiver(OwnedFd);

/// The program's end.
pub struct Sender(OwnedFd);

/// A connected pair; neither is inherited unless [`Sender::keep`] is called.
pub fn pair() -> Result<(Receiver, Sender), LaunchError> {
    let mut fds = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the array has room for the two descriptors.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, fds.as_mut_ptr()) } < 0 {
        return Err(LaunchError::ours("make a socket", &io::Error::last_os_error()));
    }
    // SAFETY: both are open and nobody else's.
    let [ours, theirs] = fds.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
    let theirs = raised(theirs);
    let room: libc::c_int = 4 * LONGEST as libc::c_int;
    // SAFETY: the option's value is an int that lives through the call. The
    // system gives what it allows; its default suffices as well.
    unsafe {
        libc::setsockopt(
            theirs.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_SNDBUF,
            (&raw const room).cast(),
            size_of_val(&room) as libc::socklen_t,
        );
    }
    Ok((Receiver(ours), Sender(theirs)))
}

/// The same socket under a high number, if there is one.
fn raised(fd: OwnedFd) -> OwnedFd {
    // SAFETY: makes a new descriptor of an open one.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, HIGH) } {
        high if high >= 0 => {
            // SAFETY: it is new and nobody else's.
            unsafe { OwnedFd::from_raw_fd(high) }
        }
        _ => fd,
    }
}

impl From<Receiver> for OwnedFd {
    fn from(receiver: Receiver) -> OwnedFd {
        receiver.0
    }
}

impl Sender {
    /// The number the program knows it by.
    pub fn number(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Lets a descriptor through to the program. For the time between fork and
/// exec: it only makes a system call.
pub fn keep(fd: RawFd) -> io::Result<()> {
    // SAFETY: changes a flag of a descriptor.
    match unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

impl Receiver {
    /// Gives each message to `take` until all senders are gone or
    /// [`Receiver::close`] was called and what had arrived is taken.
    pub fn take_all(&self, mut take: impl FnMut(&[u8])) {
        let mut buffer = vec![0u8; LONGEST];
        loop {
            // SAFETY: the buffer is writable for its whole length.
            let n = unsafe {
                libc::recv(self.0.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0)
            };
            match usize::try_from(n) {
                Ok(0) => return,
                Ok(n) => take(buffer.get(..n).unwrap_or_default()),
                Err(_) => match io::Error::last_os_error().kind() {
                    io::ErrorKind::Interrupted => {}
                    _ => return,
                },
            }
        }
    }

    /// Gives each message that is there to `take`, and waits for none; whether
    /// there may be more some day.
    pub fn take_ready(&self, mut take: impl FnMut(&[u8])) -> bool {
        let mut buffer = vec![0u8; LONGEST];
        loop {
            let (at, len) = (buffer.as_mut_ptr().cast(), buffer.len());
            // SAFETY: the buffer is writable for its whole length.
            let n = unsafe { libc::recv(self.number(), at, len, libc::MSG_DONTWAIT) };
            match usize::try_from(n) {
                Ok(0) => return false,
                Ok(n) => take(buffer.get(..n).unwrap_or_default()),
                Err(_) => match io::Error::last_os_error().kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock => return true,
                    _ => return false,
                },
            }
        }
    }

    /// Its number.
    pub fn number(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// From now on nobody can send; what arrived before can still be taken.
    pub fn close(&self) {
        // SAFETY: a system call on our own descriptor.
        unsafe { libc::shutdown(self.0.as_raw_fd(), libc::SHUT_RD) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(to: &Sender, bytes: &[u8]) -> isize {
        // SAFETY: the buffer lives through the call.
        unsafe { libc::send(to.number(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) }
    }

    #[test]
    fn what_was_sent_before_the_end_arrives_and_nothing_after() {
        let (receiver, sender) = pair().expect("a pair");
        let long = vec![7u8; 64 << 10];
        assert_eq!(send(&sender, &long), 64 << 10);
        assert_eq!(send(&sender, b"last"), 4);
        receiver.close();
        assert_eq!(send(&sender, b"late"), -1);
        let mut got = Vec::new();
        // The sender is still open: closing ended it.
        receiver.take_all(|m| got.push(m.to_vec()));
        assert_eq!(got, [long, b"last".to_vec()]);
    }

    #[test]
    fn a_reader_that_waits_is_woken() {
        let (receiver, _sender) = pair().expect("a pair");
        std::thread::scope(|s| {
            let waits = s.spawn(|| receiver.take_all(|_| {}));
            std::thread::sleep(std::time::Duration::from_millis(20));
            receiver.close();
            waits.join().expect("it ends");
        });
    }
}
