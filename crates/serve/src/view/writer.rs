//! Who works at a store, as far as this machine's system tells.

use std::fs;
use std::path::Path;

use upset_store::Follower;

/// Somebody who writes a store.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    /// The process. Nothing is known of processes on other machines, nor where the
    /// system does not tell.
    pub process: Option<u32>,
    /// Its worker processes.
    pub workers: u32,
}

impl Writer {
    /// Who writes a store now.
    pub fn of(store: &Follower) -> Option<Writer> {
        loop {
            if !store.is_written() {
                return None;
            }
            let process = store.lock_file().and_then(|lock| holder(&lock));
            // Whoever went away between the two questions is not a writer of whom
            // nothing is known.
            if process.is_some() || store.is_written() {
                return Some(Writer { process, workers: process.map_or(0, workers) });
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn holder(lock: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let inode = fs::metadata(lock).ok()?.ino();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| {
        // 1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF
        let words: Vec<&str> = line.split_whitespace().collect();
        let (kind, pid, file) = (words.get(1)?, words.get(4)?, words.get(5)?);
        let same = file.rsplit(':').next()?.parse() == Ok(inode);
        (*kind == "FLOCK" && same).then(|| pid.parse().ok())?
    })
}

#[cfg(not(target_os = "linux"))]
fn holder(_: &Path) -> Option<u32> {
    None
}

/// Processes that were started as `upset worker PID`.
fn workers(pid: u32) -> u32 {
    let of = format!("\0worker\0{pid}\0");
    // Each thread has the children that it started.
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = threads.map(|t| fs::read_to_string(t.path().join("children")));
    let children: String = children.map(Result::unwrap_or_default).collect();
    let is_worker = |child: &&str| {
        fs::read_to_string(format!("/proc/{child}/cmdline")).is_ok_and(|line| line.ends_with(&of))
    };
    children.split_whitespace().filter(is_worker).count() as u32
}
