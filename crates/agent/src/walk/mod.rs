//! What is said between a process that walks the fault-free run and the one
//! that started it, so that faulty runs split from it.
//!
//! ```text
//! starter            walker                       child
//!            ◄──────  Leaves{run} (or Cannot)
//!   Split+3 fds ───►  forks ───────────────────►  goes on as that run
//!            ◄──────  Forked{pid}
//!            ◄──────  Ended{…}                    ends
//!   GoOn ──────────►  reaps the child, walks on
//! ```

mod channel;

use std::io;
use std::os::fd::RawFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use upset_device::Seen;
use upset_trial::walk::FileId;

pub use channel::{receive, send};

/// What a walker is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToWalker {
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
    /// A run must leave the fault-free one here, and can: it is waited for what
    /// to do.
    Leaves {
        /// Its number.
        run: u64,
        /// What its first change hit, if that was to be told.
        seen: Option<Box<Seen>>,
    },
    /// A run must leave, but the process cannot be forked without harm. It walks
    /// on without that run when it is told to.
    Cannot {
        /// Its number.
        run: u64,
        /// What its first change hit, if that was to be told.
        seen: Option<Box<Seen>>,
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
    /// There is no child: the process could not be forked.
    Failed {
        /// Why.
        why: String,
    },
}

/// Which file a descriptor of this process is.
pub fn file_id(fd: RawFd) -> io::Result<FileId> {
    let meta = std::fs::metadata(format!("/proc/self/fd/{fd}"))?;
    Ok(FileId { device: meta.dev(), inode: meta.ino() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_arrives() {
        let seen = Some(Box::new(Seen { launch: Some(3), ..Seen::default() }));
        for said in [
            FromWalker::Leaves { run: u64::MAX, seen: seen.clone() },
            FromWalker::Cannot { run: 0, seen, why: "has a pipe open".into() },
            FromWalker::Ended { code: None, signal: Some(9) },
        ] {
            let text = serde_json::to_string(&said).expect("JSON");
            assert_eq!(serde_json::from_str::<FromWalker>(&text).expect("the same"), said);
        }
    }
}
