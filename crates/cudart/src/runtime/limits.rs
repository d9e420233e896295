//! How large a launch may be.

/// Largest grid in x, y, z; the same on all supported chips (CUDA C++
/// programming guide, technical specifications per compute capability).
pub const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Largest block in x, y, z.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Shared bytes a block may use without asking for more.
pub const DEFAULT_SHARED: u32 = 48 * 1024;
