//! A CUDA array: texels in device memory.

use upset_device::Texels;

use super::volume::{Bytes, Volume};
use crate::abi::{Address, ChannelDesc, Extent};
use crate::error::{Error, Result};

/// Rows of an array begin at multiples of this: a sector of a cache line.
pub(super) const ROW: u64 = 32;

/// Flags of `cudaMalloc3DArray`.
pub mod flag {
    /// Layers of one or two dimensions.
    pub const LAYERED: u32 = 0x01;
    /// Six faces, or six per layer.
    pub const CUBEMAP: u32 = 0x04;
    /// Flags that change nothing here: surfaces, gathers, colour targets.
    pub const WITHOUT_EFFECT: u32 = 0x02 | 0x08 | 0x20;
    /// Sparse arrays and deferred mapping.
    pub const LACKING: u32 = 0x40 | 0x80;
}

/// An array.
#[derive(Clone, Debug)]
pub struct Array {
    /// Texel format.
    pub channels: ChannelDesc,
    /// Size as it was asked for: dimensions that it lacks are zero.
    pub extent: Extent,
    /// Flags it was made with.
    pub flags: u32,
    /// First texel.
    pub at: u64,
    /// Bytes from row to row, or from one row of blocks to the next.
    pub pitch: u64,
    /// Bytes of a texel.
    pub texel: u64,
    /// Their order.
    pub texels: Texels,
    /// Level of a mipmapped array, whose memory is not its own.
    pub level: bool,
}

impl Array {
    /// Rows of a slice or layer.
    pub fn rows(&self) -> u64 {
        self.extent.height.max(1) as u64
    }

    /// Slices or layers.
    pub fn slices(&self) -> u64 {
        self.extent.depth.max(1) as u64
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        self.extent.width as u64 * self.texel
    }

    /// Its memory.
    pub fn volume(&self) -> Volume {
        let slice = self.texels.slice(self.pitch, self.rows());
        Volume::image(Address(self.at), self.pitch, slice, self.texels)
    }

    /// The part that begins at a byte, row and slice, if it is inside.
    pub(super) fn part(&self, x: u64, y: u64, z: u64, bytes: Bytes) -> Result<Volume> {
        let within = |at: u64, n: u64, size: u64| at.checked_add(n).is_some_and(|end| end <= size);
        if within(x, bytes.width, self.row_bytes())
            && within(y, bytes.height, self.rows())
            && within(z, bytes.depth, self.slices())
        {
            Ok(self.volume().from(x, y, z))
        } else {
            Err(Error::INVALID_VALUE)
        }
    }

    /// Pieces of the array that `count` bytes from a byte and a row on cover: each piece's address, and where it begins among the bytes.
    pub fn pieces(&self, x: u64, y: u64, count: u64) -> Result<Vec<(Address, u64, u64)>> {
        let row = self.row_bytes();
        let (mut x, mut y, mut done) = (x, y, 0);
        if count > 0 && x >= row {
            return Err(Error::INVALID_VALUE);
        }
        let mut pieces = Vec::new();
        while done < count {
            if y >= self.rows() {
                return Err(Error::INVALID_VALUE);
            }
            let volume = self.volume().from(x, y, 0);
            let n = volume.run(0, (row - x).min(count - done));
            pieces.push((volume.address(0, 0, 0), done, n));
            (x, done) = (x + n, done + n);
            if x == row {
                (x, y) = (0, y + 1);
            }
        }
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(width: usize, height: usize, depth: usize) -> Array {
        let channels = ChannelDesc { bits: [32, 0, 0, 0], kind: 2 };
        let extent = Extent { width, height, depth };
        let pitch = (width as u64 * 4).next_multiple_of(ROW);
        let texels = Texels::Rows;
        Array { channels, extent, flags: 0, at: 0x1000, pitch, texel: 4, texels, level: false }
    }

    #[test]
    fn bytes_flow_from_row_to_row() {
        let a = array(4, 3, 0);
        let at = |x: u64, y: u64| Address(0x1000 + y * 32 + x);
        assert_eq!(
            a.pieces(8, 0, 28),
            Ok(vec![(at(8, 0), 0, 8), (at(0, 1), 8, 16), (at(0, 2), 24, 4)])
        );
        assert_eq!(a.pieces(8, 2, 12), Err(Error::INVALID_VALUE), "past the last row");
        assert_eq!(a.pieces(16, 0, 4), Err(Error::INVALID_VALUE), "beside the row");
        assert_eq!(a.pieces(0, 0, 0), Ok(vec![]));
    }

    #[test]
    fn parts_are_inside_or_refused() {
        let a = array(4, 3, 2);
        let b = Bytes { width: 8, height: 2, depth: 1 };
        assert_eq!(a.part(8, 1, 1, b).map(|v| v.at), Ok(Address(0x1000 + 96 + 32 + 8)));
        assert!(a.part(12, 1, 1, b).is_err());
        assert!(a.part(8, 2, 1, b).is_err());
        assert!(a.part(8, 1, 2, b).is_err());
        assert!(a.part(u64::MAX, 0, 0, b).is_err());
    }
}
