//! Texture and surface objects.

use super::array::{channels, words};
use super::call::driver;
use crate::abi::{
    Address, ChannelDesc, Handle, In, Out, ResourceDesc, ResourceViewDesc, TextureDesc,
    TextureDescV2, resource,
};
use crate::api::surface::cudaDestroySurfaceObject;
use crate::api::texture::cudaDestroyTextureObject;
use crate::error::{Error, Result};
use crate::runtime::TextureObject;

/// `CUDA_RESOURCE_DESC`; of linear memory and rows the structure's words are size,
/// or width, height and pitch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    kind: i32,
    at: Handle,
    format: i32,
    channels: u32,
    sizes: [usize; 3],
    reserved: [u64; 11],
    flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Texture {
    address: [i32; 3],
    filter: i32,
    flags: u32,
    anisotropy: u32,
    mipmap_filter: i32,
    bias: f32,
    least_level: f32,
    most_level: f32,
    border: [f32; 4],
    reserved: [i32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`: that of the runtime API, with room behind it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    first: ResourceViewDesc,
    reserved: [u32; 16],
}

/// Flags of a texture.
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED_COORDINATES: u32 = 2;
const SRGB: u32 = 0x10;
const EXACT_LEVELS: u32 = 0x20;
const SEAMLESS_CUBES: u32 = 0x40;
/// `cudaChannelFormatKindFloat`.
const FLOAT: i32 = 2;

impl Resource {
    fn description(&self) -> Result<ResourceDesc> {
        let at = Address(self.at);
        Ok(match self.kind {
            resource::ARRAY => ResourceDesc::array(self.at),
            resource::MIPMAPPED_ARRAY => ResourceDesc::mipmaps(self.at),
            resource::LINEAR => {
                ResourceDesc::linear(at, channels(self.format, self.channels)?, self.sizes[0])
            }
            resource::PITCH_2D => {
                ResourceDesc::rows(at, channels(self.format, self.channels)?, self.sizes)
            }
            _ => return Err(Error::INVALID_VALUE),
        })
    }

    fn of(desc: &ResourceDesc) -> Resource {
        let is_linear = desc.kind == resource::LINEAR || desc.kind == resource::PITCH_2D;
        let (format, channels) = if is_linear { words(desc.channels) } else { (0, 0) };
        let sizes = if is_linear { [desc.width, desc.height, desc.pitch] } else { [0; 3] };
        let (kind, at) = (desc.kind, desc.at);
        Resource { kind, at, format, channels, sizes, reserved: [0; 11], flags: 0 }
    }
}

impl Texture {
    /// As the runtime API says it; integers are fractions unless the flags say
    /// otherwise.
    fn description(&self, texels: ChannelDesc) -> TextureDescV2 {
        let has = |flag: u32| i32::from(self.flags & flag != 0);
        let fractions = texels.kind != FLOAT && has(READ_AS_INTEGER) == 0 && texels.bits[0] < 32;
        let first = TextureDesc {
            address_mode: self.address,
            filter_mode: self.filter,
            read_mode: fractions.into(),
            srgb: has(SRGB),
            border_color: self.border,
            normalized_coords: has(NORMALIZED_COORDINATES),
            max_anisotropy: self.anisotropy,
            mipmap_filter_mode: self.mipmap_filter,
            mipmap_level_bias: self.bias,
            min_mipmap_level_clamp: self.least_level,
            max_mipmap_level_clamp: self.most_level,
            disable_trilinear_optimization: has(EXACT_LEVELS),
        };
        TextureDescV2 { first, seamless_cubemap: has(SEAMLESS_CUBES) }
    }
}

driver! {
    sync fn cuTexObjectCreate(
        out: Out<u64>, resource: In<Resource>, texture: In<Texture>, view: In<View>,
    ) |rt| {
        let resource = resource.get()?.description()?;
        let texels = match resource.kind {
            resource::ARRAY => rt.array(resource.at)?.channels,
            resource::MIPMAPPED_ARRAY => rt.array(rt.level(resource.at, 0)?)?.channels,
            _ => resource.channels,
        };
        let texture = texture.get()?.description(texels);
        let view = if view.is_null() { None } else { Some(view.get()?.first) };
        out.set(rt.make_texture(TextureObject { resource, texture, view })?)
    }

    same fn cuTexObjectDestroy(texture: u64) {
        cudaDestroyTextureObject(texture)
    }

    sync fn cuTexObjectGetResourceDesc(out: Out<Resource>, texture: u64) |rt| {
        out.set(Resource::of(&rt.texture(texture)?.resource))
    }

    sync fn cuSurfObjectCreate(out: Out<u64>, resource: In<Resource>) |rt| {
        let resource = resource.get()?.description()?;
        out.set(rt.make_surface(resource)?)
    }

    same fn cuSurfObjectDestroy(surface: u64) {
        cudaDestroySurfaceObject(surface)
    }

    sync fn cuSurfObjectGetResourceDesc(out: Out<Resource>, surface: u64) |rt| {
        out.set(Resource::of(&rt.surface(surface)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_those_of_the_c_header() {
        assert_eq!(size_of::<Resource>(), 144);
        assert_eq!(offset_of!(Resource, flags), 136);
        assert_eq!(size_of::<Texture>(), 104);
        assert_eq!(offset_of!(Texture, border), 40);
        assert_eq!(size_of::<View>(), 112);
    }
}
