//! Whether a process can be forked in the middle of a program, apart from its
//! open files: whatever its child would lack or share.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use upset_trial::walk::Walk;

/// Looks at this process; the error says why a child would not do as it does.
pub fn check(walk: &Walk) -> Result<(), String> {
    if upset_fork::has_children() {
        return Err("has child processes when the GPU is used".into());
    }
    if handles_children() {
        return Err("handles the ends of child processes (SIGCHLD)".into());
    }
    let threads = threads().map_err(|e| format!("cannot be forked: {e}"))?;
    if threads > 1 {
        return Err(format!("runs {threads} threads when the GPU is used"));
    }
    if has_timers() {
        return Err("has a timer running when the GPU is used".into());
    }
    let maps = fs::read_to_string("/proc/self/maps")
        .map_err(|e| format!("cannot be looked at (/proc/self/maps): {e}"))?;
    match shared_memory(&maps, &walk.root) {
        Some(what) => Err(what),
        None => Ok(()),
    }
}

/// The threads that are there, after those that libraries keep for later have gone.
fn threads() -> io::Result<usize> {
    // What stays once stays: asking again at every run would cost a fork each.
    static STAYED: AtomicBool = AtomicBool::new(false);
    let threads = upset_fork::threads();
    if threads == 1 || STAYED.load(Ordering::Relaxed) {
        return Ok(threads);
    }
    let threads = upset_fork::put_threads_away()?;
    STAYED.store(threads > 1, Ordering::Relaxed);
    Ok(threads)
}

/// The end of a child would be told to the program.
fn handles_children() -> bool {
    // SAFETY: a zeroed sigaction is a valid one; the call only fills it.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, std::ptr::null(), &raw mut now) != 0
            || now.sa_sigaction != libc::SIG_DFL
    }
}

/// Timers stay with the parent.
fn has_timers() -> bool {
    let armed = |which| {
        // SAFETY: a zeroed itimerval is a valid one; the call only fills it.
        unsafe {
            let mut now: libc::itimerval = std::mem::zeroed();
            libc::getitimer(which, &raw mut now) == 0
                && (now.it_value.tv_sec, now.it_value.tv_usec) != (0, 0)
        }
    };
    // Not every kernel tells of the timers of `timer_create`.
    let created = fs::read("/proc/self/timers").is_ok_and(|text| !text.is_empty());
    created || [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF].into_iter().any(armed)
}

/// Memory that parent and child would both write, or that would not follow a
/// file of the working folder into the child's copy of it.
fn shared_memory(maps: &str, root: &Path) -> Option<String> {
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(access) = words.nth(1) else { continue };
        // Offset, device and inode come before the path, which may have spaces.
        let path = words.nth(2).and_then(|_| line.find('/')).map_or("", |at| &line[at..]);
        if access.ends_with('s') && access.contains('w') {
            let what = if path.is_empty() { "memory" } else { path };
            return Some(format!("shares {what} with other processes"));
        }
        if Path::new(path).starts_with(root) {
            let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            return Some(format!("has {name}, a file that it made, mapped into its memory"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_found() {
        let found = |line: &str| shared_memory(line, Path::new("/runs/first"));
        let private = "7f00-7f01 rw-p 00000000 08:01 42   /lib/libc.so.6\n7f02-7f03 rw-p 0 00:00 0";
        assert_eq!(found(private), None);
        assert_eq!(found("7f00-7f01 r--s 00000000 08:01 42   /data/in put"), None);
        let shared = "7f00-7f01 rw-s 00000000 00:01 42   /dev/shm/a b";
        assert_eq!(found(shared).as_deref(), Some("shares /dev/shm/a b with other processes"));
        let own = "7f00-7f01 r--p 00000000 08:01 42   /runs/first/folder/out";
        assert!(found(own).is_some_and(|w| w.starts_with("has out, a file that it made")));
    }

    #[test]
    fn this_process_has_no_timers_and_looks_after_no_children() {
        assert!(!handles_children() && !has_timers());
    }
}
