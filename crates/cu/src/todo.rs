//! What a compute unit has to do, and when.

/// What a compute unit has to do at a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Todo {
    /// A vector memory instruction reads the data that it stores.
    Take(u32),
    /// The vector memory pipe takes its next instruction.
    Serve,
    /// A memory instruction's result is written.
    Complete(u32),
    /// An LDS instruction has its turn.
    Share(u32),
    /// A scalar read goes to its cache.
    Lookup(u32),
    /// What a finished work-group held is free for the next.
    Vacate(u32),
    /// Barrier counters were changed from outside: all are compared again.
    Settle,
}
