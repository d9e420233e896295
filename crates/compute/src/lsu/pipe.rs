//! The load/store pipe's queue.

use std::collections::VecDeque;

/// The load/store pipe shared by the sub-cores.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    pub queue: VecDeque<u32>,
    /// First cycle at which it takes another instruction.
    pub free: u64,
    /// A `Serve` is scheduled.
    pub scheduled: bool,
    /// The head waits for a miss to return.
    pub blocked: bool,
}
