//! CUDA arrays behind opaque handles: making, freeing, copying.

use upset_device::Texels;

use super::array::{Array, ROW, flag};
use super::format::format_of;
use super::state::Runtime;
use super::volume::{Bytes, Volume};
use crate::abi::{Address, ChannelDesc, Extent, Handle, MemcpyKind, PitchedPtr, Pos};
use crate::error::{Error, Result};

/// Chips before it have no unit that finds texels of surfaces: code does.
const FIRST_WITH_SURFACE_UNIT: u32 = 50;

/// Checks the shape of an array.
fn check(extent: Extent, flags: u32) -> Result<()> {
    let Extent { width, height, depth } = extent;
    if flags & flag::LACKING != 0 {
        return Err(Error::NOT_SUPPORTED);
    }
    let known = flag::LAYERED | flag::CUBEMAP | flag::WITHOUT_EFFECT;
    if flags & !known != 0 || width == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let fine = if flags & flag::CUBEMAP != 0 {
        let layers = if flags & flag::LAYERED != 0 { depth.is_multiple_of(6) } else { depth == 6 };
        width == height && depth > 0 && layers
    } else if flags & flag::LAYERED != 0 {
        depth > 0
    } else {
        depth == 0 || height > 0
    };
    if fine { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

impl Runtime {
    /// Makes an array.
    pub fn make_array(
        &mut self,
        channels: ChannelDesc,
        extent: Extent,
        flags: u32,
    ) -> Result<Handle> {
        let array = self.allocate_array(channels, extent, flags)?;
        Ok(self.images.arrays.add(array))
    }

    fn allocate_array(
        &mut self,
        channels: ChannelDesc,
        extent: Extent,
        flags: u32,
    ) -> Result<Array> {
        let texel = format_of(channels)?.texel.bytes();
        check(extent, flags)?;
        let texels = match self.device.arch_number() < FIRST_WITH_SURFACE_UNIT {
            true => Texels::Blocks,
            false => Texels::Rows,
        };
        let row = (extent.width as u64).checked_mul(texel);
        let row = row.and_then(|row| row.checked_next_multiple_of(ROW));
        let pitch = row.and_then(|row| texels.pitch(row)).ok_or(Error::MEMORY_ALLOCATION)?;
        // Twice the rows that they may be, in blocks of eight.
        let size = |n: usize| n.max(8) as u64;
        let most = size(extent.height).checked_mul(size(extent.depth).saturating_mul(2));
        most.and_then(|rows| rows.checked_mul(pitch)).ok_or(Error::MEMORY_ALLOCATION)?;
        let array = Array { channels, extent, flags, at: 0, pitch, texel, texels, level: false };
        let at = self.malloc(array.volume().slice * array.slices())?;
        Ok(Array { at, ..array })
    }

    /// An array by its handle.
    pub fn array(&self, array: Handle) -> Result<&Array> {
        self.images.arrays.get(array)
    }

    /// Frees an array; null is allowed.
    pub fn free_array(&mut self, array: Handle) -> Result<()> {
        if array == 0 {
            return Ok(());
        }
        if self.array(array)?.level {
            return Err(Error::INVALID_VALUE);
        }
        let array = self.images.arrays.remove(array)?;
        self.free(Address(array.at))
    }

    /// Makes a mipmapped array: each level half as large as the one before.
    pub fn make_mipmaps(
        &mut self,
        channels: ChannelDesc,
        extent: Extent,
        levels: u32,
        flags: u32,
    ) -> Result<Handle> {
        let is_layered = flags & (flag::LAYERED | flag::CUBEMAP) != 0;
        let half = |n: usize, level: u32| if n == 0 { 0 } else { (n >> level.min(63)).max(1) };
        let at = |level: u32| Extent {
            width: half(extent.width, level),
            height: half(extent.height, level),
            depth: if is_layered { extent.depth } else { half(extent.depth, level) },
        };
        let longest = extent.width.max(extent.height);
        let longest = if is_layered { longest } else { longest.max(extent.depth) };
        // As many as halving makes different, however many were asked for.
        let levels = levels.clamp(1, longest.max(1).ilog2() + 1);
        let mut made = Vec::new();
        for level in 0..levels {
            match self.allocate_array(channels, at(level), flags) {
                Ok(array) => made.push(Array { level: true, ..array }),
                Err(e) => {
                    for array in made {
                        let _ = self.free(Address(array.at));
                    }
                    return Err(e);
                }
            }
        }
        let made = made.into_iter().map(|a| self.images.arrays.add(a)).collect();
        Ok(self.images.mipmaps.add(made))
    }

    /// A level of a mipmapped array.
    pub fn level(&self, mipmaps: Handle, level: u32) -> Result<Handle> {
        let levels = self.images.mipmaps.get(mipmaps)?;
        levels.get(level as usize).copied().ok_or(Error::INVALID_VALUE)
    }

    /// Frees a mipmapped array; null is allowed.
    pub fn free_mipmaps(&mut self, mipmaps: Handle) -> Result<()> {
        if mipmaps == 0 {
            return Ok(());
        }
        for level in self.images.mipmaps.remove(mipmaps)? {
            let array = self.images.arrays.remove(level)?;
            self.free(Address(array.at))?;
        }
        Ok(())
    }

    /// A rectangle of an array; `x` and the width in bytes.
    pub fn rectangle(&self, array: Handle, x: usize, y: usize, bytes: Bytes) -> Result<Volume> {
        self.array(array)?.part(x as u64, y as u64, 0, bytes)
    }

    /// A box of an array; `x` and the width in bytes.
    pub fn array_part(
        &self,
        array: Handle,
        (x, y, z): (u64, u64, u64),
        bytes: Bytes,
    ) -> Result<Volume> {
        self.array(array)?.part(x, y, z, bytes)
    }

    /// One side of a three-dimensional copy.
    pub fn side_of(
        &self,
        array: Handle,
        pos: Pos,
        linear: PitchedPtr,
        bytes: Bytes,
    ) -> Result<Volume> {
        let (x, y, z) = (pos.x as u64, pos.y as u64, pos.z as u64);
        match (array != 0, linear.ptr.0 != 0) {
            (true, false) => {
                let array = self.array(array)?;
                let x = x.checked_mul(array.texel).ok_or(Error::INVALID_VALUE)?;
                array.part(x, y, z, bytes)
            }
            (false, true) => {
                let reaches = u64::saturating_add;
                let (pitch, rows) = (linear.pitch as u64, linear.ysize as u64);
                let several = bytes.height > 1 || bytes.depth > 1;
                if (several && pitch < reaches(x, bytes.width))
                    || (bytes.depth > 1 && rows < reaches(y, bytes.height))
                {
                    return Err(Error::INVALID_VALUE);
                }
                let slice = pitch.checked_mul(rows).ok_or(Error::INVALID_VALUE)?;
                Ok(Volume::slices(linear.ptr, pitch, slice).from(x, y, z))
            }
            _ => Err(Error::INVALID_VALUE),
        }
    }

    /// The size of a three-dimensional copy in bytes: its width counts texels
    /// where an array takes part.
    pub fn size_of_copy(&self, to: Handle, from: Handle, extent: Extent) -> Result<Bytes> {
        let texel = |array: Handle| match array {
            0 => Ok(None),
            array => self.array(array).map(|a| Some(a.texel)),
        };
        let texel = match (texel(to)?, texel(from)?) {
            (Some(a), Some(b)) if a != b => return Err(Error::INVALID_VALUE),
            (a, b) => a.or(b).unwrap_or(1),
        };
        let width = (extent.width as u64).checked_mul(texel).ok_or(Error::INVALID_VALUE)?;
        Ok(Bytes { width, height: extent.height as u64, depth: extent.depth as u64 })
    }

    /// Copies bytes into an array, filling row after row.
    pub fn copy_to_array(
        &mut self,
        (array, x, y): (Handle, usize, usize),
        from: Address,
        count: usize,
        kind: MemcpyKind,
    ) -> Result<()> {
        let pieces = self.array(array)?.pieces(x as u64, y as u64, count as u64)?;
        pieces
            .into_iter()
            .try_for_each(|(at, done, n)| self.copy(at, from.offset(done), n as usize, kind))
    }

    /// Copies bytes out of an array, row after row.
    pub fn copy_from_array(
        &mut self,
        to: Address,
        (array, x, y): (Handle, usize, usize),
        count: usize,
        kind: MemcpyKind,
    ) -> Result<()> {
        let pieces = self.array(array)?.pieces(x as u64, y as u64, count as u64)?;
        pieces
            .into_iter()
            .try_for_each(|(at, done, n)| self.copy(to.offset(done), at, n as usize, kind))
    }

    /// Copies bytes from array to array, each row after row.
    pub fn copy_between_arrays(
        &mut self,
        (to, to_x, to_y): (Handle, usize, usize),
        (from, from_x, from_y): (Handle, usize, usize),
        count: usize,
        kind: MemcpyKind,
    ) -> Result<()> {
        let count = count as u64;
        let targets = self.array(to)?.pieces(to_x as u64, to_y as u64, count)?;
        let sources = self.array(from)?.pieces(from_x as u64, from_y as u64, count)?;
        for &(target, t, t_len) in &targets {
            for &(source, s, s_len) in &sources {
                let (start, end) = (t.max(s), (t + t_len).min(s + s_len));
                if start < end {
                    let n = (end - start) as usize;
                    self.copy(target.offset(start - t), source.offset(start - s), n, kind)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_the_flags() {
        let e = |width, height, depth| Extent { width, height, depth };
        assert!(check(e(8, 0, 0), 0).is_ok());
        assert!(check(e(8, 4, 0), 0).is_ok());
        assert!(check(e(8, 4, 2), 0).is_ok());
        assert!(check(e(8, 0, 2), 0).is_err());
        assert!(check(e(8, 0, 2), flag::LAYERED).is_ok());
        assert!(check(e(8, 4, 0), flag::LAYERED).is_err());
        assert!(check(e(8, 8, 6), flag::CUBEMAP).is_ok());
        assert!(check(e(8, 4, 6), flag::CUBEMAP).is_err());
        assert!(check(e(8, 8, 12), flag::CUBEMAP | flag::LAYERED).is_ok());
        assert_eq!(check(e(8, 4, 0), 0x40), Err(Error::NOT_SUPPORTED));
    }
}
