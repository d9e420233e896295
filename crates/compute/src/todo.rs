//! What an SM has to do, and when.

/// What the SM has to do at a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Todo {
    /// A wide multiply-add computes.
    Compute(u32),
    /// Write a computed result.
    Write(u32),
    /// Lower a dependence counter of a warp slot.
    Lower { slot: u16, counter: u8 },
    /// A memory instruction has read its operands and computed its addresses.
    Arrive(u32),
    /// The load/store pipe takes its next instruction.
    Serve,
    /// A texture fetch or constant load goes to its cache.
    Lookup(u32),
    /// A memory instruction's result is written.
    Complete(u32),
    /// What a finished CTA held is free for the next.
    Vacate(u32),
    /// Barrier counters were changed from outside: all are compared again.
    Settle,
}
