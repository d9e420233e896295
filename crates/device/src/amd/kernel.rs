//! A kernel in device memory.

use upset_gcn::container::Kernel;

/// A kernel in device memory.
pub(super) struct LoadedKernel {
    /// As its file describes it.
    pub about: Kernel,
    /// Address of its first instruction.
    pub entry: u64,
    /// Address of what it is given at launches: arguments, and what goes with them.
    pub block: u64,
}
