//! Whose the runtime is: the process that made it.

use std::sync::atomic::{AtomicU32, Ordering};

/// The process that made the runtime; 0 before.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Nobody has made it yet.
    Nobody,
    /// This process.
    Us,
    /// A process that this one was forked from.
    Parent,
}

/// Whose the runtime is, seen from this process.
pub fn owner() -> Owner {
    match OWNER.load(Ordering::Acquire) {
        0 => Owner::Nobody,
        owner if owner == std::process::id() => Owner::Us,
        _ => Owner::Parent,
    }
}

/// The runtime is this process's from now on: it makes it, or goes on where its
/// parent was, as the child of a fork of ours.
pub fn adopt() {
    OWNER.store(std::process::id(), Ordering::Release);
}
