//! Sizes, positions and copies in up to three dimensions (`driver_types.h`;
//! the same in CUDA 11, 12 and 13).

use super::{Address, Handle, MemcpyKind};

/// `struct cudaExtent`: elements of an array, or bytes and rows of linear memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Elements, or bytes.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// `struct cudaPos`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pos {
    /// Elements, or bytes.
    pub x: usize,
    /// Rows.
    pub y: usize,
    /// Slices.
    pub z: usize,
}

/// `struct cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PitchedPtr {
    /// First byte.
    pub ptr: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Width that was asked for.
    pub xsize: usize,
    /// Rows from slice to slice.
    pub ysize: usize,
}

/// `struct cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memcpy3DParms {
    /// Source array, or null.
    pub src_array: Handle,
    /// Where to begin there.
    pub src_pos: Pos,
    /// Source in linear memory.
    pub src_ptr: PitchedPtr,
    /// Target array, or null.
    pub dst_array: Handle,
    /// Where to begin there.
    pub dst_pos: Pos,
    /// Target in linear memory.
    pub dst_ptr: PitchedPtr,
    /// How much.
    pub extent: Extent,
    /// Direction.
    pub kind: MemcpyKind,
}

/// `struct cudaMemcpy3DPeerParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memcpy3DPeerParms {
    /// Source array, or null.
    pub src_array: Handle,
    /// Where to begin there.
    pub src_pos: Pos,
    /// Source in linear memory.
    pub src_ptr: PitchedPtr,
    /// Device that holds the source.
    pub src_device: i32,
    /// Target array, or null.
    pub dst_array: Handle,
    /// Where to begin there.
    pub dst_pos: Pos,
    /// Target in linear memory.
    pub dst_ptr: PitchedPtr,
    /// Device that holds the target.
    pub dst_device: i32,
    /// How much.
    pub extent: Extent,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_those_of_the_c_header() {
        assert_eq!(size_of::<PitchedPtr>(), 32);
        assert_eq!(size_of::<Memcpy3DParms>(), 160);
        assert_eq!(offset_of!(Memcpy3DParms, kind), 152);
        assert_eq!(offset_of!(Memcpy3DPeerParms, dst_array), 72);
        assert_eq!(size_of::<Memcpy3DPeerParms>(), 168);
    }
}
