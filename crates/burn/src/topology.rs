//! What shares what on a chip, as far as a board knows it.

/// Which SMs share a TPC: as probed, or as the model's chip has it. `None` where
/// nobody knows; it is never assumed.
pub type Tpcs = Option<Vec<Vec<u32>>>;

/// Where an address of device memory is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPlace {
    /// Memory channel.
    pub channel: u32,
    /// L2 slice, counted over the chip.
    pub slice: u32,
    /// Channels of the chip.
    pub channels: u32,
    /// Slices of the chip.
    pub slices: u32,
}

/// FP32 pipes by compute capability, as far as NVIDIA has said: 64 FP32 lanes
/// an SM are one of 16 lanes for each of four sub-cores, 128 are two.
pub fn fp32_pipes(sm: u32) -> Option<u32> {
    match sm {
        70 | 72 | 75 | 80 => Some(1),
        86 | 87 | 89 | 90 => Some(2),
        _ => None,
    }
}
