//! Boxes of bytes: rows and slices at equal distances.

use crate::abi::Address;
use crate::error::Result;

/// Largest pitch (`cudaDeviceProp::memPitch`).
pub const MAX_PITCH: u64 = 0x7fff_ffff;

/// Where a box begins, and how far it is to the next row and slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    /// First byte.
    pub at: Address,
    /// Bytes from row to row.
    pub row: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
}

impl Volume {
    /// Rows of linear memory, without slices.
    pub fn rows(at: Address, pitch: u64) -> Volume {
        Volume { at, row: pitch, slice: 0 }
    }

    /// The byte at (x, y, z).
    pub fn address(&self, x: u64, y: u64, z: u64) -> Address {
        let up = y.wrapping_mul(self.row).wrapping_add(z.wrapping_mul(self.slice));
        self.at.offset(x.wrapping_add(up))
    }

    /// A volume that begins at (x, y, z).
    pub fn from(self, x: u64, y: u64, z: u64) -> Volume {
        Volume { at: self.address(x, y, z), ..self }
    }
}

/// Size of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Bytes of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Slices.
    pub depth: u64,
}

impl Bytes {
    /// A rectangle.
    pub fn rectangle(width: usize, height: usize) -> Bytes {
        Bytes { width: width as u64, height: height as u64, depth: 1 }
    }

    pub(super) fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// The same bytes in fewer, longer rows, where they follow each other in
    /// all of `places`.
    pub(super) fn joined(self, places: &[Volume]) -> Bytes {
        let mut b = self;
        if places.iter().all(|v| v.row == b.width)
            && let Some(whole) = b.width.checked_mul(b.height)
            && (b.depth == 1 || places.iter().all(|v| v.slice == whole))
            && let Some(all) = whole.checked_mul(b.depth)
        {
            b = Bytes { width: all, height: 1, depth: 1 };
        }
        b
    }

    /// Calls `f` with each row's number, slice by slice.
    pub(super) fn each_row(self, mut f: impl FnMut(u64, u64) -> Result<()>) -> Result<()> {
        (0..self.depth).try_for_each(|z| (0..self.height).try_for_each(|y| f(y, z)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_gaps_become_one() {
        let b = Bytes { width: 8, height: 4, depth: 2 };
        let dense = Volume { at: Address(0), row: 8, slice: 32 };
        let gaps = Volume { row: 16, ..dense };
        let slices_apart = Volume { slice: 64, ..dense };
        let one = Bytes { width: 64, height: 1, depth: 1 };
        assert_eq!(b.joined(&[dense, dense]), one);
        assert_eq!(b.joined(&[dense, gaps]), b);
        assert_eq!(b.joined(&[slices_apart]), b);
    }

    #[test]
    fn positions_are_bytes_rows_and_slices() {
        let v = Volume { at: Address(0x1000), row: 0x100, slice: 0x400 };
        assert_eq!(v.address(3, 2, 1), Address(0x1603));
        assert_eq!(v.from(3, 2, 1).address(1, 0, 0), Address(0x1604));
    }
}
