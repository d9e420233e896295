//! Launches as a host asks for them, and when they ran.

/// Geometry of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// CTAs in x, y, z.
    pub grid: [u32; 3],
    /// Threads per CTA in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per CTA.
    pub shared_bytes: u32,
    /// All CTAs must be resident at once, so that they can wait for each other.
    pub cooperative: bool,
}

/// One launch that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpan {
    /// Kernel.
    pub kernel: String,
    /// First cycle.
    pub start: u64,
    /// One past the last cycle.
    pub end: u64,
}
