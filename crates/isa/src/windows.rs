//! Where shared and local memory appear among generic addresses.

use crate::Space;

/// Where shared and local memory appear in the generic address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Generic base of shared memory.
    pub shared: u64,
    /// Generic base of local memory.
    pub local: u64,
}

/// Size of the shared and local windows in the generic address space.
pub const WINDOW: u64 = 1 << 24;

/// The space a generic address lies in.
#[inline]
pub fn space_of(addr: u64, windows: &Windows) -> Space {
    if addr.wrapping_sub(windows.shared) < WINDOW {
        Space::Shared
    } else if addr.wrapping_sub(windows.local) < WINDOW {
        Space::Local
    } else {
        Space::Global
    }
}
