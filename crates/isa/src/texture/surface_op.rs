//! What a surface instruction asks for.

use super::op::TexHandle;
use crate::{MemOp, RZ};

/// What happens to an access outside the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Loads return zero, stores are dropped.
    Ignored,
    /// The nearest place inside is accessed.
    Clamped,
    /// The kernel ends.
    Trapped,
}

/// An access to a surface: a load or store of global memory whose address
/// comes from coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceOp {
    /// What is done at the address.
    pub mem: MemOp,
    /// The surface.
    pub handle: TexHandle,
    /// Registers of byte in the row, row, and slice or layer; [`RZ`] for those
    /// that the shape lacks.
    pub coords: [u8; 3],
    /// What happens outside.
    pub outside: Outside,
}

impl SurfaceOp {
    /// Every vector register that is read for the address.
    pub fn registers(&self) -> impl Iterator<Item = u8> {
        let handle = if let TexHandle::Register(r) = self.handle { r } else { RZ };
        let [x, y, z] = self.coords;
        [handle, x, y, z].into_iter().filter(|&r| r != RZ)
    }
}
