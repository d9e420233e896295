//! Textures: descriptors and references of the API as textures of the device.

use upset_device::{AddressMode, DevPtr, Level, TexelKind, Texture};

use super::array::{Array, flag};
use super::copy::Side;
use super::format::{Format, format_of, view_format};
use super::images::TextureObject;
use super::registry;
use super::state::Runtime;
use crate::abi::{
    Address, Handle, ResourceDesc, ResourceViewDesc, TextureDesc, TextureReference, resource,
};
use crate::error::{Error, Result};

/// Alignment of a texture in linear memory (`cudaDeviceProp::textureAlignment`).
pub const ALIGNMENT: u64 = 512;
/// Alignment of its rows (`cudaDeviceProp::texturePitchAlignment`).
const PITCH_ALIGNMENT: usize = 32;

fn address_mode(mode: i32) -> Result<AddressMode> {
    match mode {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Clamp),
        2 => Ok(AddressMode::Mirror),
        3 => Ok(AddressMode::Border),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn size(n: usize) -> Result<u32> {
    u32::try_from(n.max(1)).map_err(|_| Error::INVALID_VALUE)
}

/// An array as a level of a texture.
pub fn level_of(array: &Array) -> Result<Level> {
    let e = array.extent;
    let size = [size(e.width)?, size(e.height)?, size(e.depth)?];
    Ok(Level { addr: array.at, size, pitch: array.pitch, texels: array.texels })
}

/// Applies a sampler to a texture; `dimensions` of its coordinates can leave it.
fn apply(t: &mut Texture, desc: &TextureDesc, fixed: bool, dimensions: usize) -> Result<()> {
    if !(0..=1).contains(&desc.filter_mode) || !(0..=1).contains(&desc.read_mode) {
        return Err(Error::INVALID_VALUE);
    }
    let is_integer = t.format.kind != TexelKind::Float;
    if desc.read_mode == 1 && is_integer && t.format.bits == 32 {
        return Err(Error::INVALID_NORM_SETTING);
    }
    t.normalized_read = is_integer && (fixed || desc.read_mode == 1);
    if desc.filter_mode == 1 && is_integer && !t.normalized_read {
        return Err(Error::INVALID_FILTER_SETTING);
    }
    t.normalized_coords = desc.normalized_coords != 0;
    t.linear_filter = desc.filter_mode == 1;
    for (d, to) in t.address.iter_mut().enumerate() {
        *to = match address_mode(desc.address_mode[d])? {
            // One-dimensional fetches come as two-dimensional ones with y = 0;
            // only the border lies beside the line.
            AddressMode::Border if d == 1 && dimensions == 1 => AddressMode::Border,
            _ if d >= dimensions => AddressMode::Clamp,
            // Repetition needs normalised coordinates.
            AddressMode::Wrap | AddressMode::Mirror if !t.normalized_coords => AddressMode::Clamp,
            mode => mode,
        };
    }
    t.border = desc.border_color.map(f32::to_bits);
    t.linear_levels = desc.mipmap_filter_mode == 1;
    t.level_bias = desc.mipmap_level_bias;
    t.level_clamp = [desc.min_mipmap_level_clamp, desc.max_mipmap_level_clamp];
    Ok(())
}

impl Runtime {
    /// A texture as descriptors describe it.
    fn describe_texture(
        &mut self,
        from: &ResourceDesc,
        desc: &TextureDesc,
        view: Option<&ResourceViewDesc>,
    ) -> Result<Texture> {
        if desc.srgb != 0 {
            self.tell("textures that convert from sRGB are not supported".into(), true);
            return Err(Error::NOT_SUPPORTED);
        }
        match from.kind {
            resource::ARRAY => self.texture_of_levels(&[from.at], desc, view),
            resource::MIPMAPPED_ARRAY => {
                let levels = self.images.mipmaps.get(from.at)?.clone();
                let first = view.map_or(0, |v| v.first_mipmap_level) as usize;
                let last = view.map_or(levels.len() - 1, |v| v.last_mipmap_level as usize);
                let part = levels.get(first..=last).ok_or(Error::INVALID_VALUE)?;
                if part.is_empty() || (part.len() > 1 && desc.normalized_coords == 0) {
                    return Err(Error::INVALID_VALUE);
                }
                self.texture_of_levels(part, desc, view)
            }
            resource::LINEAR => {
                self.aligned(from.pointer())?;
                let f = format_of(from.channels)?;
                let mut t = Texture::linear(from.at, from.width as u64, f.texel);
                // Linear memory is read by texel number: nothing else applies.
                let plain = TextureDesc { read_mode: desc.read_mode, ..TextureDesc::default() };
                apply(&mut t, &plain, f.normalized, 1)?;
                Ok(t)
            }
            resource::PITCH_2D => {
                self.aligned(from.pointer())?;
                let f = format_of(from.channels)?;
                let row = (from.width as u64).checked_mul(f.texel.bytes());
                if from.width == 0
                    || from.height == 0
                    || !from.pitch.is_multiple_of(PITCH_ALIGNMENT)
                    || row.is_none_or(|r| r > from.pitch as u64)
                {
                    return Err(Error::INVALID_VALUE);
                }
                let size = [size(from.width)?, size(from.height)?, 1];
                let level = Level::rows(from.at, size, from.pitch as u64);
                let mut t = Texture::new(level, f.texel);
                apply(&mut t, desc, f.normalized, 2)?;
                Ok(t)
            }
            _ => Err(Error::INVALID_VALUE),
        }
    }

    fn texture_of_levels(
        &self,
        levels: &[Handle],
        desc: &TextureDesc,
        view: Option<&ResourceViewDesc>,
    ) -> Result<Texture> {
        let base = self.array(*levels.first().ok_or(Error::INVALID_VALUE)?)?;
        let mut f = format_of(base.channels)?;
        if let Some(texel) = view_format(view.map_or(0, |v| v.format))? {
            if texel.bytes() != f.texel.bytes() {
                return Err(Error::INVALID_VALUE);
            }
            f = Format { texel, normalized: false };
        }
        let is_layered = base.flags & (flag::LAYERED | flag::CUBEMAP) != 0;
        let dimensions = match base.extent {
            e if e.height == 0 => 1,
            e if e.depth == 0 || is_layered => 2,
            _ => 3,
        };
        let mut all = Vec::new();
        for &level in levels {
            let mut level = level_of(self.array(level)?)?;
            if let Some(v) = view.filter(|_| is_layered) {
                let layers = v.last_layer.checked_sub(v.first_layer).ok_or(Error::INVALID_VALUE)?;
                if v.last_layer >= level.size[2] {
                    return Err(Error::INVALID_VALUE);
                }
                level.addr += level.slice() * u64::from(v.first_layer);
                level.size[2] = layers + 1;
            }
            all.push(level);
        }
        let mut t = Texture::new(all.remove(0), f.texel);
        t.mipmaps = all;
        apply(&mut t, desc, f.normalized, dimensions)?;
        Ok(t)
    }

    /// Refuses memory that a texture object cannot lie in.
    fn aligned(&self, at: Address) -> Result<()> {
        if self.side(at) == Side::Host || !at.0.is_multiple_of(ALIGNMENT) {
            return Err(Error::INVALID_VALUE);
        }
        Ok(())
    }

    /// Makes a texture object.
    pub fn make_texture(&mut self, from: TextureObject) -> Result<u64> {
        let view = from.view;
        let texture = self.describe_texture(&from.resource, &from.texture.first, view.as_ref())?;
        let handle = self.device.texture_object(texture);
        self.images.objects.insert(handle, from);
        Ok(handle)
    }

    /// What a texture object was made from.
    pub fn texture(&self, handle: u64) -> Result<&TextureObject> {
        self.images.objects.get(&handle).ok_or(Error::INVALID_VALUE)
    }

    /// Forgets a texture object; zero is allowed.
    pub fn forget_texture(&mut self, handle: u64) -> Result<()> {
        match self.images.objects.remove(&handle) {
            None if handle != 0 => Err(Error::INVALID_VALUE),
            _ => Ok(()),
        }
    }

    /// Binds a texture reference to a resource, as its host object says now.
    pub fn bind(&mut self, host: Address, says: &TextureReference, to: ResourceDesc) -> Result<()> {
        let normalized_read = registry::with(|r| r.normalized_reads.contains(&host.0));
        let desc = TextureDesc {
            address_mode: says.address_mode,
            filter_mode: says.filter_mode,
            read_mode: i32::from(normalized_read),
            srgb: says.srgb,
            border_color: [0.0; 4],
            normalized_coords: says.normalized,
            max_anisotropy: says.max_anisotropy,
            mipmap_filter_mode: says.mipmap_filter_mode,
            mipmap_level_bias: says.mipmap_level_bias,
            min_mipmap_level_clamp: says.min_mipmap_level_clamp,
            max_mipmap_level_clamp: says.max_mipmap_level_clamp,
            disable_trilinear_optimization: says.disable_trilinear_optimization,
        };
        let (module, name) = self.texture_reference(host)?;
        let texture = self.describe_texture(&to, &desc, None)?;
        self.device.bind_texture(module, &name, texture).map_err(|_| Error::INVALID_TEXTURE)?;
        self.images.bound.insert(host.0, 0);
        Ok(())
    }

    /// Binds a texture reference to linear memory that may begin anywhere; how
    /// far the texture's beginning lies before it.
    pub fn bind_memory(
        &mut self,
        host: Address,
        says: &TextureReference,
        mut to: ResourceDesc,
        offset_wanted: bool,
    ) -> Result<u64> {
        let offset = to.at % ALIGNMENT;
        if offset != 0 && !offset_wanted {
            return Err(Error::INVALID_VALUE);
        }
        if to.kind == resource::LINEAR {
            // As much as was asked for (by default all that can be), but not
            // beyond the allocation.
            let left = self
                .device
                .allocation(DevPtr(to.at))
                .map_or(u64::MAX, |(start, len)| start.0 + len - to.at);
            to.width = (to.width as u64).min(left).saturating_add(offset) as usize;
        } else {
            let texel = format_of(to.channels)?.texel.bytes();
            to.width += offset.div_ceil(texel) as usize;
        }
        to.at -= offset;
        self.bind(host, says, to)?;
        self.images.bound.insert(host.0, offset);
        Ok(offset)
    }

    /// Unbinds a texture reference.
    pub fn unbind(&mut self, host: Address) -> Result<()> {
        self.texture_reference(host)?;
        self.images.bound.remove(&host.0);
        Ok(())
    }

    /// How far a bound reference's memory begins after its texture.
    pub fn texture_offset(&mut self, host: Address) -> Result<u64> {
        self.texture_reference(host)?;
        self.images.bound.get(&host.0).copied().ok_or(Error::INVALID_TEXTURE_BINDING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_device::TexFormat;

    #[test]
    fn samplers_follow_the_documented_rules() {
        let texture = |kind, bits| {
            let level = Level::rows(0, [8, 8, 1], 32);
            Texture::new(level, TexFormat { channels: 1, bits, kind })
        };
        let plain = TextureDesc { address_mode: [0, 2, 3], ..TextureDesc::default() };
        let mut t = texture(TexelKind::Float, 32);
        apply(&mut t, &plain, false, 3).expect("allowed");
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        assert_eq!(t.address, [Clamp, Clamp, Border], "no repetition in texels");
        apply(&mut t, &TextureDesc { normalized_coords: 1, ..plain }, false, 2).expect("allowed");
        assert_eq!(t.address, [Wrap, Mirror, Clamp], "the third is no coordinate");
        let line = TextureDesc { address_mode: [3, 3, 3], ..plain };
        apply(&mut t, &line, false, 1).expect("allowed");
        assert_eq!(t.address, [Border, Border, Clamp], "the border lies beside a line");
        let linear = TextureDesc { filter_mode: 1, ..plain };
        let mut bytes = texture(TexelKind::Unsigned, 8);
        assert_eq!(apply(&mut bytes, &linear, false, 2), Err(Error::INVALID_FILTER_SETTING));
        let fraction = TextureDesc { read_mode: 1, ..linear };
        assert_eq!(apply(&mut bytes, &fraction, false, 2), Ok(()));
        assert!(bytes.normalized_read && bytes.linear_filter);
        let mut words = texture(TexelKind::Signed, 32);
        assert_eq!(apply(&mut words, &fraction, false, 2), Err(Error::INVALID_NORM_SETTING));
    }
}
