//! Surfaces: arrays that kernels write by coordinates.

use upset_device::{BLOCK, BLOCK_ROWS, DevPtr, Texels, Texture};

use super::array::{Array, flag};
use super::format::format_of;
use super::state::Runtime;
use super::texture::level_of;
use crate::abi::{Address, Handle, ResourceDesc, resource};
use crate::error::{Error, Result};

/// A surface as the device names it.
enum Surface {
    /// A unit finds its texels.
    Image(Box<Texture>),
    /// Code finds them by these words (sm_35, docs/kepler.md).
    Words([u32; 8]),
}

/// The words that describe an array of blocks.
fn words_of(array: &Array) -> Result<[u32; 8]> {
    // Blocks of 64 bytes by 8 rows; of layers there are none, but numbers.
    const ACROSS: u32 = 6 << 22;
    const DOWN: u32 = 3 << 22;
    const NUMBERS: u32 = 1 << 21;
    // Lower halves of both factors and of what is added: numbers of blocks.
    const HALVES: u32 = 2 << 30 | 2 << 26;
    let word = |n: u64| u32::try_from(n).map_err(|_| Error::INVALID_VALUE);
    let last = |n: u64| word(n - 1).map(|n| n & 0xf_ffff);
    let (rows, volume) = (array.rows(), array.volume());
    let is_layered = array.flags & (flag::LAYERED | flag::CUBEMAP) != 0;
    let deep = if is_layered { NUMBERS } else { 0 };
    Ok([
        word(array.at >> 8)?,
        0,
        last(array.row_bytes())? | ACROSS,
        word(array.pitch / BLOCK)? & 0xffff | HALVES,
        last(rows)? | DOWN,
        word(volume.slice >> 8)?,
        last(array.slices())? | deep,
        word(rows.div_ceil(BLOCK_ROWS))?,
    ])
}

impl Runtime {
    /// An array as the device's surfaces name it.
    fn surface_of(&self, array: Handle) -> Result<Surface> {
        // An H200 does not ask whether the array was made for this.
        let array = self.array(array)?;
        Ok(match array.texels {
            Texels::Blocks => Surface::Words(words_of(array)?),
            Texels::Rows => {
                let texel = format_of(array.channels)?.texel;
                Surface::Image(Box::new(Texture::new(level_of(array)?, texel)))
            }
        })
    }

    /// Makes a surface object: a handle, or where its words are.
    pub fn make_surface(&mut self, from: ResourceDesc) -> Result<u64> {
        if from.kind != resource::ARRAY {
            return Err(Error::INVALID_VALUE);
        }
        let handle = match self.surface_of(from.at)? {
            Surface::Image(image) => self.device.texture_object(*image),
            Surface::Words(words) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let at = self.malloc(bytes.len() as u64)?;
                self.device.upload(DevPtr(at), &bytes).map_err(|_| Error::INVALID_VALUE)?;
                at
            }
        };
        self.images.surfaces.insert(handle, from);
        Ok(handle)
    }

    /// What a surface object was made from.
    pub fn surface(&self, handle: u64) -> Result<ResourceDesc> {
        self.images.surfaces.get(&handle).copied().ok_or(Error::INVALID_VALUE)
    }

    /// Forgets a surface object; zero is allowed.
    pub fn forget_surface(&mut self, handle: u64) -> Result<()> {
        match self.images.surfaces.remove(&handle) {
            None if handle != 0 => Err(Error::INVALID_VALUE),
            // Its words.
            Some(_) if self.allocation(Address(handle)).is_some() => self.free(Address(handle)),
            _ => Ok(()),
        }
    }

    /// Binds a surface reference to an array.
    pub fn bind_surface(&mut self, host: Address, array: Handle) -> Result<()> {
        let (module, name) = self.surface_reference(host)?;
        let bound = match self.surface_of(array)? {
            Surface::Image(image) => self.device.bind_texture(module, &name, *image),
            Surface::Words(words) => self.device.bind_surface_words(module, &name, &words),
        };
        bound.map_err(|_| Error::INVALID_SURFACE)
    }
}
