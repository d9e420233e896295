//! Values of a whole warp.

/// Lanes of a warp.
pub const WARP: usize = 32;
/// One 32-bit register of a whole warp.
pub type Lanes = [u32; WARP];
/// One bit per lane: a predicate register of a warp, or an active mask.
pub type Mask = u32;
