//! The open files of a process that forks: the child's must be its own.
//!
//! After a fork both processes have the same open files, positions included.
//! Here they are looked at before, and opened anew in the child: files of the
//! working folder in the child's copy of it (which has the old one's path by
//! then), input files where they are.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use upset_trial::walk::{FileId, Walk};

/// An open file that the child gets anew.
#[derive(Debug)]
pub struct Open {
    number: RawFd,
    /// As it was opened.
    flags: libc::c_int,
    id: FileId,
    what: What,
}

#[derive(Debug)]
enum What {
    Stdout,
    Stderr,
    /// A file, and where in it the next byte is.
    File(PathBuf, libc::off_t),
    /// The same opening under another number.
    Same(RawFd),
}

/// Looks at the open files, but for `ours`. The error says what cannot be had
/// twice; the program is its subject.
pub fn survey(walk: &Walk, ours: &[RawFd]) -> Result<Vec<Open>, String> {
    let cannot = |e: io::Error| format!("cannot be looked at (/proc/self/fd): {e}");
    let list = fs::read_dir("/proc/self/fd").map_err(cannot)?;
    let mut numbers: Vec<RawFd> =
        list.flatten().filter_map(|e| e.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    let mut open: Vec<Open> = Vec::new();
    for number in numbers.into_iter().filter(|n| !ours.contains(n)) {
        let link = format!("/proc/self/fd/{number}");
        // One of them was that of the list itself.
        let Ok(meta) = fs::metadata(&link) else { continue };
        let id = FileId { device: meta.dev(), inode: meta.ino() };
        // SAFETY: asks for flags of a descriptor; one that is closed is an error.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFL) };
        // SAFETY: as above.
        let on_exec = unsafe { libc::fcntl(number, libc::F_GETFD) };
        if flags < 0 || on_exec < 0 {
            continue;
        }
        let on_exec = if on_exec & libc::FD_CLOEXEC != 0 { libc::O_CLOEXEC } else { 0 };
        let what = if id == walk.stdout {
            What::Stdout
        } else if id == walk.stderr {
            What::Stderr
        } else if walk.inherited.contains(&id) || is_stateless(&meta) {
            continue;
        } else {
            let path = fs::read_link(&link).map_err(cannot)?;
            match what_of(number, flags, &meta, &path, walk, &open)? {
                Some(what) => what,
                None => continue,
            }
        };
        open.push(Open { number, flags: flags | on_exec, id, what });
    }
    Ok(open)
}

/// Devices that remember nothing.
fn is_stateless(meta: &fs::Metadata) -> bool {
    // null, zero, full, random, urandom (Linux allocated devices, major 1).
    let known = [3, 5, 7, 8, 9].map(|minor| libc::makedev(1, minor));
    meta.file_type().is_char_device() && known.contains(&meta.rdev())
}

/// What the child opens in place of this one; nothing where both may have it.
fn what_of(
    number: RawFd,
    flags: libc::c_int,
    meta: &fs::Metadata,
    path: &Path,
    walk: &Walk,
    open: &[Open],
) -> Result<Option<What>, String> {
    let shown = path.strip_prefix(&walk.root).unwrap_or(path).display();
    let kind = meta.file_type();
    if !kind.is_file() && !kind.is_dir() {
        let what = match () {
            () if kind.is_fifo() => "a pipe".to_string(),
            () if kind.is_socket() => "a socket".to_string(),
            () => shown.to_string(),
        };
        return Err(format!("has {what} open (file {number}) when the GPU is used"));
    }
    let inside = path.starts_with(&walk.root);
    let bare = flags & libc::O_PATH != 0;
    let writes = !bare && flags & libc::O_ACCMODE != libc::O_RDONLY;
    let here = fs::metadata(path).is_ok_and(|m| (m.dev(), m.ino()) == (meta.dev(), meta.ino()));
    if !here && (inside || writes) || path.starts_with("/proc") {
        return Err(format!("has {shown} open, which is not an ordinary file any more"));
    }
    if writes && !inside {
        return Err(format!("has {shown} open to write, outside its working folder"));
    }
    // Made without the right to be opened again.
    let needed = match flags & libc::O_ACCMODE {
        libc::O_WRONLY => 0o200,
        libc::O_RDWR => 0o600,
        _ => 0o400,
    };
    if inside && !bare && meta.mode() & needed != needed {
        return Err(format!("has {shown} open, which cannot be opened again"));
    }
    if bare {
        return Ok(inside.then(|| What::File(path.to_path_buf(), 0)));
    }
    let position = seek(number, 0, libc::SEEK_CUR)
        .map_err(|e| format!("has {shown} open, whose position is not known: {e}"))?;
    if inside && kind.is_dir() && position != 0 {
        return Err(format!("is reading the folder {shown} when the GPU is used"));
    }
    let id = FileId { device: meta.dev(), inode: meta.ino() };
    let alike = |o: &&Open| {
        o.id == id && matches!(&o.what, What::File(_, at) if *at == position && !kind.is_dir())
    };
    if let Some(same) = open.iter().filter(alike).find(|o| is_same(o.number, number, position)) {
        return Ok(Some(What::Same(same.number)));
    }
    // What lies outside is opened through the descriptor: wherever it is now.
    let path = match inside {
        true => path.to_path_buf(),
        false => PathBuf::from(format!("/proc/self/fd/{number}")),
    };
    if !inside {
        let again = reopen(&path, flags | libc::O_CLOEXEC);
        close(again.map_err(|e| format!("has {shown} open, which cannot be opened again: {e}"))?);
    }
    Ok(Some(What::File(path, position)))
}

/// Whether two descriptors share their position.
fn is_same(a: RawFd, b: RawFd, position: libc::off_t) -> bool {
    let moved = seek(a, position + 1, libc::SEEK_SET).is_ok();
    let followed = seek(b, 0, libc::SEEK_CUR).is_ok_and(|at| at == position + 1);
    let _ = seek(a, position, libc::SEEK_SET);
    moved && followed
}

/// In the child: its own files in place of its parent's.
pub fn renew(open: &[Open], stdout: RawFd, stderr: RawFd) -> io::Result<()> {
    for o in open {
        match &o.what {
            What::Stdout => put(stdout, o)?,
            What::Stderr => put(stderr, o)?,
            What::Same(other) => put(*other, o)?,
            What::File(path, position) => {
                let new = reopen(path, o.flags | libc::O_CLOEXEC)?;
                if o.flags & libc::O_PATH == 0 {
                    seek(new, *position, libc::SEEK_SET)?;
                }
                let done = put(new, o);
                close(new);
                done?;
            }
        }
    }
    Ok(())
}

/// Puts a descriptor under the number of another.
fn put(new: RawFd, o: &Open) -> io::Result<()> {
    // SAFETY: replaces a descriptor by another open one; whoever uses the number
    // finds the same file there.
    match unsafe { libc::dup3(new, o.number, o.flags & libc::O_CLOEXEC) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn reopen(path: &Path, flags: libc::c_int) -> io::Result<RawFd> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let flags = flags & !(libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC);
    // SAFETY: the path lives through the call.
    match unsafe { libc::open(path.as_ptr(), flags) } {
        fd @ 0.. => Ok(fd),
        _ => Err(io::Error::last_os_error()),
    }
}

fn close(fd: RawFd) {
    // SAFETY: opened by `reopen`, and used by nobody else.
    unsafe { libc::close(fd) };
}

fn seek(fd: RawFd, offset: libc::off_t, from: libc::c_int) -> io::Result<libc::off_t> {
    // SAFETY: a system call without memory of ours.
    match unsafe { libc::lseek(fd, offset, from) } {
        at @ 0.. => Ok(at),
        _ => Err(io::Error::last_os_error()),
    }
}
