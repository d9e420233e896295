//! Messages over a socket, with open files beside them.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest message.
const LONGEST: usize = 1 << 16;
/// Most files that come with one.
const FILES: usize = 3;
/// Room for them, aligned as the system wants it.
type Room = [u64; 8];

/// Sends a message with some open files.
pub fn send(to: RawFd, what: &impl Serialize, files: &[RawFd]) -> io::Result<()> {
    let bytes = serde_json::to_vec(what)?;
    if bytes.len() > LONGEST || files.len() > FILES {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut room: Room = [0; 8];
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let len = size_of_val(files) as libc::c_uint;
    // SAFETY: the header points to buffers that live through the call; the room
    // holds a control message with three descriptors (`CMSG_SPACE(12)` is 32),
    // and the one that is written has as many bytes as `files`.
    let sent = unsafe {
        let mut header: libc::msghdr = std::mem::zeroed();
        header.msg_iov = &raw mut part;
        header.msg_iovlen = 1;
        if !files.is_empty() {
            header.msg_control = room.as_mut_ptr().cast();
            header.msg_controllen = libc::CMSG_SPACE(len) as _;
            let control = libc::CMSG_FIRSTHDR(&raw const header);
            (*control).cmsg_level = libc::SOL_SOCKET;
            (*control).cmsg_type = libc::SCM_RIGHTS;
            (*control).cmsg_len = libc::CMSG_LEN(len) as _;
            ptr::copy_nonoverlapping(
                files.as_ptr().cast::<u8>(),
                libc::CMSG_DATA(control),
                len as usize,
            );
        }
        libc::sendmsg(to, &raw const header, libc::MSG_NOSIGNAL)
    };
    match sent {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Waits for a message; none when nobody can send one any more.
pub fn receive<T: DeserializeOwned>(from: RawFd) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut bytes = vec![0u8; LONGEST];
    let mut room: Room = [0; 8];
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    loop {
        let mut files = Vec::new();
        // SAFETY: the header points to buffers that live through the call; the
        // control messages are walked as the system laid them out, and each
        // descriptor in them is new and nobody else's.
        let got = unsafe {
            let mut header: libc::msghdr = std::mem::zeroed();
            header.msg_iov = &raw mut part;
            header.msg_iovlen = 1;
            header.msg_control = room.as_mut_ptr().cast();
            header.msg_controllen = size_of_val(&room) as _;
            let got = libc::recvmsg(from, &raw mut header, libc::MSG_CMSG_CLOEXEC);
            let mut control = match got {
                0.. => libc::CMSG_FIRSTHDR(&raw const header),
                _ => ptr::null_mut(),
            };
            while !control.is_null() {
                if (*control).cmsg_type == libc::SCM_RIGHTS {
                    let len = (*control).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                    for i in 0..len / size_of::<RawFd>() {
                        let fd = libc::CMSG_DATA(control).cast::<RawFd>().add(i).read_unaligned();
                        files.push(OwnedFd::from_raw_fd(fd));
                    }
                }
                control = libc::CMSG_NXTHDR(&raw const header, control);
            }
            got
        };
        match usize::try_from(got) {
            Ok(0) => return Ok(None),
            Ok(n) => {
                let message = serde_json::from_slice(bytes.get(..n).unwrap_or_default())?;
                return Ok(Some((message, files)));
            }
            Err(_) => {
                let e = io::Error::last_os_error();
                if e.kind() != io::ErrorKind::Interrupted {
                    return Err(e);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixDatagram;

    #[test]
    fn messages_arrive_with_their_files() {
        let (a, b) = UnixDatagram::pair().expect("a pair");
        let (mut reader, writer) = io::pipe().expect("a pipe");
        send(a.as_raw_fd(), &"here", &[writer.as_raw_fd()]).expect("sent");
        send(a.as_raw_fd(), &"none", &[]).expect("sent");
        drop(writer);
        let (text, files) = receive::<String>(b.as_raw_fd()).expect("read").expect("a message");
        assert_eq!((text.as_str(), files.len()), ("here", 1));
        for fd in files {
            std::fs::File::from(fd).write_all(b"through").expect("written");
        }
        let mut got = String::new();
        reader.read_to_string(&mut got).expect("read");
        assert_eq!(got, "through");
        let (text, files) = receive::<String>(b.as_raw_fd()).expect("read").expect("a message");
        assert_eq!((text.as_str(), files.len()), ("none", 0));
    }
}
