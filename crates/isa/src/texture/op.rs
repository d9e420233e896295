//! What a texture instruction asks for, with its operands as single registers:
//! their order in the encoding is the instruction set's matter.

use crate::{ConstAddr, PredSrc, RZ};

/// Shape of what a fetch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexDim {
    /// One coordinate.
    D1,
    /// Two.
    D2,
    /// Three.
    D3,
    /// A direction that meets one of six faces.
    Cube,
    /// Layers of one coordinate.
    Array1D,
    /// Layers of two.
    Array2D,
    /// Layers of six faces.
    ArrayCube,
}

impl TexDim {
    /// Coordinates.
    pub fn coordinates(self) -> usize {
        match self {
            TexDim::D1 | TexDim::Array1D => 1,
            TexDim::D2 | TexDim::Array2D => 2,
            TexDim::D3 | TexDim::Cube | TexDim::ArrayCube => 3,
        }
    }

    /// Is there a layer number beside them?
    pub fn is_layered(self) -> bool {
        matches!(self, TexDim::Array1D | TexDim::Array2D | TexDim::ArrayCube)
    }
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexKind {
    /// A filtered sample at floating-point coordinates.
    Sample,
    /// One texel at integer coordinates.
    Fetch,
    /// One channel of the four texels that a filter would use.
    Gather(u8),
}

/// Where the handle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexHandle {
    /// In a constant bank.
    Constant(ConstAddr),
    /// In a register of each lane.
    Register(u8),
    /// In a uniform register.
    Uniform(u8),
    /// Nowhere: code has computed the address. The first two coordinates are its
    /// lowest byte and what is above it; the predicate says that it is outside.
    Address(PredSrc),
}

/// Level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lod {
    /// The first level.
    Zero,
    /// In a register: a float, or an integer where coordinates are.
    Register(u8),
    /// From the differences between lanes.
    Implicit,
    /// From gradients in registers.
    Gradients([u8; 4]),
}

/// A texture fetch. Two channels go to the destination, two more to the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexOp {
    /// What is read.
    pub kind: TexKind,
    /// Shape.
    pub dim: TexDim,
    /// The texture.
    pub handle: TexHandle,
    /// Registers of the coordinates; [`RZ`] for those that the shape lacks.
    pub coords: [u8; 3],
    /// Register of the layer number; [`RZ`] without layers.
    pub layer: u8,
    /// Level of detail.
    pub lod: Lod,
    /// Channel mask, bit 0 = R.
    pub channels: u8,
    /// Second destination register ([`RZ`] = none).
    pub dst2: u8,
}

impl TexOp {
    /// Every vector register that is read.
    pub fn registers(&self) -> impl Iterator<Item = u8> {
        let handle = if let TexHandle::Register(r) = self.handle { r } else { RZ };
        let lod = match self.lod {
            Lod::Zero | Lod::Implicit => [RZ; 4],
            Lod::Register(r) => [r, RZ, RZ, RZ],
            Lod::Gradients(all) => all,
        };
        let [x, y, z] = self.coords;
        let all = [handle, self.layer, x, y, z, lod[0], lod[1], lod[2], lod[3]];
        all.into_iter().filter(|&r| r != RZ)
    }
}
