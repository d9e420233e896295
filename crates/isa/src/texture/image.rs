//! A texture: texels in memory, and how they are read.

use super::format::TexFormat;
use super::texels::Texels;
use crate::trap::TrapKind;

/// Reads `len` bytes (1, 2 or 4) of global memory as a little-endian number.
pub type Read<'a> = dyn FnMut(u64, usize) -> Result<u32, TrapKind> + 'a;

/// What happens outside the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// Repeat (normalised coordinates only).
    Wrap,
    /// Nearest edge texel.
    Clamp,
    /// Repeat mirrored (normalised coordinates only).
    Mirror,
    /// The border's colour.
    Border,
}

/// A level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// First texel in global memory.
    pub addr: u64,
    /// Texels per row; rows; slices, layers or faces.
    pub size: [u32; 3],
    /// Bytes from row to row, or from one row of blocks to the next.
    pub pitch: u64,
    /// The order of its texels.
    pub texels: Texels,
}

impl Level {
    /// A level whose texels lie row after row.
    pub fn rows(addr: u64, size: [u32; 3], pitch: u64) -> Level {
        Level { addr, size, pitch, texels: Texels::Rows }
    }

    /// Bytes from slice to slice.
    pub fn slice(&self) -> u64 {
        self.texels.slice(self.pitch, self.size[1].into())
    }

    /// Where byte `x` of row `y` of slice `z` is.
    #[inline]
    pub fn address(&self, x: u64, y: u64, z: u64) -> u64 {
        let within = self.texels.offset(self.pitch, x, y);
        self.addr.wrapping_add(z.wrapping_mul(self.slice())).wrapping_add(within)
    }
}

/// A texture: memory plus how to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// First texel in global memory.
    pub addr: u64,
    /// Texels per row; rows; slices, layers or faces.
    pub size: [u32; 3],
    /// Bytes from row to row, or from one row of blocks to the next.
    pub pitch: u64,
    /// The order of its texels.
    pub texels: Texels,
    /// Levels after the first.
    pub mipmaps: Vec<Level>,
    /// Texel format.
    pub format: TexFormat,
    /// Integers are read as fractions of their range.
    pub normalized_read: bool,
    /// Coordinates run from 0 to 1.
    pub normalized_coords: bool,
    /// Linear filtering.
    pub linear_filter: bool,
    /// Behaviour outside, per dimension.
    pub address: [AddressMode; 3],
    /// What a border reads, in register form.
    pub border: [u32; 4],
    /// Linear filtering between levels.
    pub linear_levels: bool,
    /// Added to the level of detail.
    pub level_bias: f32,
    /// Lowest and highest level of detail.
    pub level_clamp: [f32; 2],
}

impl Texture {
    /// A one-dimensional texture over linear memory, as `cudaBindTexture` makes it.
    pub fn linear(addr: u64, bytes: u64, format: TexFormat) -> Texture {
        let texels = u32::try_from(bytes / format.bytes().max(1)).unwrap_or(u32::MAX);
        Texture::new(Level::rows(addr, [texels, 1, 1], bytes), format)
    }

    /// A texture of one level, read point by point as its texels are; outside is zero.
    pub fn new(level: Level, format: TexFormat) -> Texture {
        Texture {
            addr: level.addr,
            size: level.size,
            pitch: level.pitch,
            texels: level.texels,
            mipmaps: Vec::new(),
            format,
            normalized_read: false,
            normalized_coords: false,
            linear_filter: false,
            address: [AddressMode::Border; 3],
            border: [0; 4],
            linear_levels: false,
            level_bias: 0.0,
            level_clamp: [0.0; 2],
        }
    }

    /// A level, the last one beyond it.
    pub(super) fn level(&self, i: usize) -> Level {
        let last = self.mipmaps.len();
        match i.min(last).checked_sub(1) {
            Some(i) => self.mipmaps[i],
            None => {
                let Texture { addr, size, pitch, texels, .. } = *self;
                Level { addr, size, pitch, texels }
            }
        }
    }

    /// The texel at integer coordinates; zero outside.
    pub(super) fn load(
        &self,
        read: &mut Read<'_>,
        at: [i64; 3],
        level: u32,
    ) -> Result<[u32; 4], TrapKind> {
        Ok(self.texel(read, &self.level(level as usize), at)?.unwrap_or([0; 4]))
    }

    /// One texel as four channels in register form; none outside.
    pub(super) fn texel(
        &self,
        read: &mut Read<'_>,
        level: &Level,
        at: [i64; 3],
    ) -> Result<Option<[u32; 4]>, TrapKind> {
        let inside = at.iter().zip(level.size).all(|(&c, n)| c >= 0 && c < i64::from(n));
        if !inside {
            return Ok(None);
        }
        let [x, y, z] = at.map(|c| c as u64);
        let addr = level.address(x * self.format.bytes(), y, z);
        let step = u64::from(self.format.bits / 8);
        let is_float = self.format.reads_float(self.normalized_read);
        let mut out = [0, 0, 0, if is_float { 1f32.to_bits() } else { 1 }];
        for (i, o) in out.iter_mut().enumerate().take(usize::from(self.format.channels)) {
            let raw = read(addr.wrapping_add(i as u64 * step), step as usize)?;
            *o = self.format.convert(raw, self.normalized_read);
        }
        Ok(Some(out))
    }
}
