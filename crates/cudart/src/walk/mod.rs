//! What is said between a process that walks the fault-free run and the one
//! that started it, so that faulty runs split from it.
//!
//! ```text
//! starter            walker                       child
//!   Walk{to} ──────►  runs to that cycle
//!            ◄──────  There (or Unsafe)
//!   Split+3 fds ───►  forks ───────────────────►  goes on with its order
//!            ◄──────  Forked{pid}
//!            ◄──────  Ended{…}                    ends
//!   GoOn ──────────►  reaps the child
//!   Walk{to} ──────►  …
//! ```

mod channel;

use std::io;
use std::os::fd::RawFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use upset_trial::walk::FileId;

pub use channel::{receive, send};

/// What a walker is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToWalker {
    /// Go on, and stop before anything happens in this cycle.
    Walk {
        /// The cycle.
        to: u64,
    },
    /// Fork. With it come the child's socket for records, its standard output
    /// and its standard error.
    Split {
        /// The child's order.
        order: PathBuf,
    },
    /// The child is dealt with, or there will be none.
    GoOn,
}

/// What a walker says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromWalker {
    /// It is where it should be, and can be forked.
    There {
        /// The run that is to split, where the walker found that it must; else
        /// the one that it was sent there for.
        run: Option<u64>,
    },
    /// It cannot be forked without harm.
    Unsafe {
        /// What it is or does; the program is the sentence's subject.
        why: String,
    },
    /// There is a child.
    Forked {
        /// Its number, and that of its group, until [`ToWalker::GoOn`].
        pid: u32,
    },
    /// The child has ended.
    Ended {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
}

/// Which file a descriptor of this process is.
pub fn file_id(fd: RawFd) -> io::Result<FileId> {
    let meta = std::fs::metadata(format!("/proc/self/fd/{fd}"))?;
    Ok(FileId { device: meta.dev(), inode: meta.ino() })
}
