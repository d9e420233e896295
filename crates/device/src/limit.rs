//! Sizes that a host may choose.

/// A size that a host may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The buffer that `printf` and `assert` write to.
    PrintfFifo,
    /// The heap of `malloc`.
    MallocHeap,
    /// Local memory per thread, for calls whose depth the compiler does not know.
    Stack,
}
