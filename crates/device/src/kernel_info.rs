//! What a kernel needs.

/// Registers, memory, barriers and parameters of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name as in the module.
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared bytes per CTA, without what the system reserves.
    pub shared_bytes: u32,
    /// Local bytes per thread, as far as the compiler knows them.
    pub local_bytes: u32,
    /// Bytes of `__constant__` variables.
    pub constant_bytes: u64,
    /// Named barriers.
    pub barriers: u32,
    /// Most threads per block that it was compiled for, where it says so.
    pub max_threads: Option<u32>,
    /// Offset and size of each parameter in the parameter block.
    pub params: Vec<(u32, u32)>,
}
