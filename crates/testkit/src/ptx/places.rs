//! Sizes of the memories that random programs work on.

/// Bytes of the input, a power of two.
pub const INPUT: u32 = 1 << 14;
/// Bytes of a thread's own place in global memory.
pub const OWN: u32 = 32;
/// Words that all threads reduce into, in global and shared memory each.
pub const TARGETS: u32 = 32;
/// Bytes of a thread's slot in each buffer of shared memory.
pub const SLOT: u32 = 16;
/// Words of constant memory.
pub const CONSTANTS: u32 = 256;
