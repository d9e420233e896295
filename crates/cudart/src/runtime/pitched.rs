//! Copies and fills of rectangles and boxes.

use super::state::Runtime;
use super::volume::{Bytes, Volume};
use crate::abi::MemcpyKind;
use crate::error::{Error, Result};

/// Alignment of rows that `cudaMallocPitch` gives, as current GPUs do
/// (`cudaDeviceProp::texturePitchAlignment` is smaller; the allocator's is this).
pub const PITCH: u64 = 512;

impl Runtime {
    /// Memory for `rows` rows of `width` bytes: its address and pitch.
    pub fn malloc_rows(&mut self, width: u64, rows: u64) -> Result<(u64, u64)> {
        if width == 0 || rows == 0 {
            return Ok((0, 0));
        }
        let pitch = width.checked_next_multiple_of(PITCH).ok_or(Error::MEMORY_ALLOCATION)?;
        let bytes = pitch.checked_mul(rows).ok_or(Error::MEMORY_ALLOCATION)?;
        Ok((self.malloc(bytes)?, pitch))
    }

    /// Copies a box, row by row.
    pub fn copy_box(
        &mut self,
        to: Volume,
        from: Volume,
        bytes: Bytes,
        kind: MemcpyKind,
    ) -> Result<()> {
        if bytes.is_empty() {
            // The direction is still looked at.
            return self.copy(to.at, from.at, 0, kind);
        }
        let b = bytes.joined(&[to, from]);
        b.each_run(&[to, from], |(x, y, z), n| {
            let n = usize::try_from(n).map_err(|_| Error::INVALID_VALUE)?;
            self.copy(to.address(x, y, z), from.address(x, y, z), n, kind)
        })
    }

    /// Sets the bytes of a box.
    pub fn fill_box(&mut self, to: Volume, value: u8, bytes: Bytes) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let b = bytes.joined(&[to]);
        b.each_run(&[to], |(x, y, z), n| {
            let n = usize::try_from(n).map_err(|_| Error::INVALID_VALUE)?;
            self.fill(to.address(x, y, z), value, n)
        })
    }
}
