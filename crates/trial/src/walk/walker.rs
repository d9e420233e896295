//! A program's process that walks the fault-free run: what it must know to do
//! so, and to fork without harm.

use std::os::fd::RawFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Job;
use crate::Reference;

/// What the walking process is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    /// The process that started it: only a child of that one may walk, since its
    /// end is what is looked at.
    pub starter: u32,
    /// Number of the inherited socket over which it is told what to do.
    pub number: RawFd,
    /// That socket.
    pub socket: FileId,
    /// Number of the inherited socket that records go to.
    pub report_number: RawFd,
    /// That socket.
    pub report: FileId,
    /// Its standard output.
    pub stdout: FileId,
    /// Its standard error.
    pub stderr: FileId,
    /// Open files that it has from its starter's starter: all runs share them.
    pub inherited: Vec<FileId>,
    /// The root of its working folder, without links.
    pub root: PathBuf,
    /// Bits are held in some runs: the machine must be watched.
    pub holds: bool,
    /// The runs that are to be made.
    pub jobs: Vec<Job>,
    /// What they are judged by.
    pub reference: Reference,
    /// Processor time that each of them may use, in seconds.
    pub processor_seconds: u64,
}

/// Which file something is: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The number on it.
    pub inode: u64,
}
