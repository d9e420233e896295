//! Boxes of bytes: rows and slices at equal distances.

use upset_device::{BLOCK_RUN, Texels};

use crate::abi::Address;
use crate::error::Result;

/// Largest pitch (`cudaDeviceProp::memPitch`).
pub const MAX_PITCH: u64 = 0x7fff_ffff;

/// Where a box begins, and how far it is to the next row and slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    /// First byte; of blocks, those of the whole image.
    pub at: Address,
    /// Bytes from row to row, or from one row of blocks to the next.
    pub row: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
    /// The order of its bytes.
    pub texels: Texels,
    /// Of blocks: byte and row where the box begins.
    start: (u64, u64),
}

impl Volume {
    /// Rows of linear memory, without slices.
    pub fn rows(at: Address, pitch: u64) -> Volume {
        Volume::slices(at, pitch, 0)
    }

    /// Rows and slices of linear memory.
    pub fn slices(at: Address, row: u64, slice: u64) -> Volume {
        Volume::image(at, row, slice, Texels::Rows)
    }

    /// An image whose texels lie in some order.
    pub fn image(at: Address, row: u64, slice: u64, texels: Texels) -> Volume {
        Volume { at, row, slice, texels, start: (0, 0) }
    }

    /// The byte at (x, y, z).
    pub fn address(&self, x: u64, y: u64, z: u64) -> Address {
        let (x, y) = (x.wrapping_add(self.start.0), y.wrapping_add(self.start.1));
        let within = self.texels.offset(self.row, x, y);
        self.at.offset(within.wrapping_add(z.wrapping_mul(self.slice)))
    }

    /// A volume that begins at (x, y, z).
    pub fn from(self, x: u64, y: u64, z: u64) -> Volume {
        match self.texels {
            Texels::Rows => Volume { at: self.address(x, y, z), ..self },
            Texels::Blocks => {
                let at = self.at.offset(z.wrapping_mul(self.slice));
                Volume { at, start: (self.start.0 + x, self.start.1 + y), ..self }
            }
        }
    }

    /// Bytes from `x` on that follow each other in memory, of a row of `width`.
    pub(super) fn run(&self, x: u64, width: u64) -> u64 {
        match self.texels {
            Texels::Rows => width - x,
            Texels::Blocks => (BLOCK_RUN - (self.start.0 + x) % BLOCK_RUN).min(width - x),
        }
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
        if places.iter().all(|v| v.row == b.width && v.texels == Texels::Rows)
            && let Some(whole) = b.width.checked_mul(b.height)
            && (b.depth == 1 || places.iter().all(|v| v.slice == whole))
            && let Some(all) = whole.checked_mul(b.depth)
        {
            b = Bytes { width: all, height: 1, depth: 1 };
        }
        b
    }

    /// Calls `f` with each run of bytes that follow each other in all of `places`,
    /// row by row and slice by slice: where it begins, and how many bytes it has.
    pub(super) fn each_run(
        self,
        places: &[Volume],
        mut f: impl FnMut((u64, u64, u64), u64) -> Result<()>,
    ) -> Result<()> {
        for (z, y) in (0..self.depth).flat_map(|z| (0..self.height).map(move |y| (z, y))) {
            let mut x = 0;
            while x < self.width {
                let runs = places.iter().map(|place| place.run(x, self.width));
                let run = runs.min().unwrap_or(self.width - x);
                f((x, y, z), run)?;
                x += run;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_gaps_become_one() {
        let b = Bytes { width: 8, height: 4, depth: 2 };
        let dense = Volume::slices(Address(0), 8, 32);
        let gaps = Volume { row: 16, ..dense };
        let slices_apart = Volume { slice: 64, ..dense };
        let one = Bytes { width: 64, height: 1, depth: 1 };
        assert_eq!(b.joined(&[dense, dense]), one);
        assert_eq!(b.joined(&[dense, gaps]), b);
        assert_eq!(b.joined(&[slices_apart]), b);
    }

    #[test]
    fn rows_of_blocks_come_in_short_runs() {
        let blocks = Volume::image(Address(0x1000), 1024, 1024, Texels::Blocks).from(20, 9, 1);
        let rows = Volume::rows(Address(0x8000), 100);
        let mut runs = Vec::new();
        let bytes = Bytes { width: 50, height: 2, depth: 1 };
        let kept = bytes.each_run(&[blocks, rows], |(x, y, z), n| {
            runs.push((x, y, n, blocks.address(x, y, z).0 - 0x1000));
            Ok(())
        });
        assert_eq!(kept, Ok(()));
        // The second slice, its second row of blocks, row 1 and row 2 of these.
        let base = 1024 + 1024 + 0x10;
        assert_eq!(
            runs[..3],
            [(0, 0, 12, base + 0x44), (12, 0, 16, base + 0x100), (28, 0, 16, base + 0x140)]
        );
        assert_eq!(runs[3..5], [(44, 0, 6, base + 512), (0, 1, 12, base + 0x54)]);
        assert_eq!(runs.iter().map(|r| r.2).sum::<u64>(), 100);
    }

    #[test]
    fn positions_are_bytes_rows_and_slices() {
        let v = Volume::slices(Address(0x1000), 0x100, 0x400);
        assert_eq!(v.address(3, 2, 1), Address(0x1603));
        assert_eq!(v.from(3, 2, 1).address(1, 0, 0), Address(0x1604));
    }
}
