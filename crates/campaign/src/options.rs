//! How and where a campaign runs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use crate::shards::ShardOf;

/// How and where a campaign runs: nothing here can change its results.
pub struct Options<'a> {
    /// The store.
    pub out: PathBuf,
    /// Whether the store is new.
    pub begin: Begin,
    /// Run this part of the campaign only.
    pub shard: Option<ShardOf>,
    /// Worker processes.
    pub jobs: usize,
    /// How a worker is started.
    pub worker: Vec<OsString>,
    /// Set when the user wants it to end.
    pub stop: &'a AtomicBool,
}

/// Whether a campaign's store is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// It is; a file that is there is refused.
    New,
    /// It is there.
    Resume,
    /// Whatever is the case: for job files, which start the same command again.
    /// Who still writes it (a job that was thought to be lost) is waited for.
    GoOn,
}
