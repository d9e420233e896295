//! Channel, resource and texture descriptors (`driver_types.h`,
//! `texture_types.h`). They are the same in CUDA 11, 12 and 13, but for
//! `cudaTextureDesc`: CUDA 12's `cudaCreateTextureObject` takes what 11.8 calls
//! `cudaTextureDesc_v2`, the same with one more field at the end. Texture and
//! surface references ended with CUDA 11.

use super::{Address, Handle};

/// `struct cudaChannelFormatDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelDesc {
    /// Bits of the channels x, y, z, w.
    pub bits: [i32; 4],
    /// `enum cudaChannelFormatKind`.
    pub kind: i32,
}

/// `enum cudaResourceType`: what holds the texels.
pub mod resource {
    /// A CUDA array.
    pub const ARRAY: i32 = 0;
    /// A mipmapped array.
    pub const MIPMAPPED_ARRAY: i32 = 1;
    /// Linear memory.
    pub const LINEAR: i32 = 2;
    /// Rows with a pitch.
    pub const PITCH_2D: i32 = 3;
}

/// `struct cudaResourceDesc`. The union's members overlap in their first two
/// fields; what an array resource does not have is unset there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ResourceDesc {
    /// `enum cudaResourceType`.
    pub kind: i32,
    padding: u32,
    /// Array, mipmapped array or device pointer.
    pub at: Handle,
    /// Texel format of linear memory.
    pub channels: ChannelDesc,
    padding_after: u32,
    /// Bytes (linear), or texels of a row (rows with a pitch).
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bytes from row to row.
    pub pitch: usize,
}

/// `struct cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDesc {
    /// `enum cudaTextureAddressMode` per dimension.
    pub address_mode: [i32; 3],
    /// `enum cudaTextureFilterMode`.
    pub filter_mode: i32,
    /// `enum cudaTextureReadMode`.
    pub read_mode: i32,
    /// Whether bytes are converted from sRGB.
    pub srgb: i32,
    /// Colour outside, with the address mode "border".
    pub border_color: [f32; 4],
    /// Whether coordinates run from 0 to 1.
    pub normalized_coords: i32,
    /// Limit of anisotropic filtering.
    pub max_anisotropy: u32,
    /// `enum cudaTextureFilterMode` between levels.
    pub mipmap_filter_mode: i32,
    /// Added to the level of detail.
    pub mipmap_level_bias: f32,
    /// Lowest level.
    pub min_mipmap_level_clamp: f32,
    /// Highest level.
    pub max_mipmap_level_clamp: f32,
    /// Whether filtering between levels must be exact.
    pub disable_trilinear_optimization: i32,
}

/// `struct cudaTextureDesc_v2`, and `struct cudaTextureDesc` from CUDA 12 on.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDescV2 {
    /// What it had before.
    pub first: TextureDesc,
    /// Whether filtering crosses the edges of a cube.
    pub seamless_cubemap: i32,
}

/// `struct cudaResourceViewDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceViewDesc {
    /// `enum cudaResourceViewFormat`.
    pub format: i32,
    padding: u32,
    /// Texels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
    /// First level.
    pub first_mipmap_level: u32,
    /// Last level.
    pub last_mipmap_level: u32,
    /// First layer.
    pub first_layer: u32,
    /// Last layer.
    pub last_layer: u32,
}

/// `struct textureReference`: the host's part of a `texture<…>` variable. The
/// program sets its fields as it likes; they count when it is bound.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TextureReference {
    /// Whether coordinates run from 0 to 1.
    pub normalized: i32,
    /// `enum cudaTextureFilterMode`.
    pub filter_mode: i32,
    /// `enum cudaTextureAddressMode` per dimension.
    pub address_mode: [i32; 3],
    /// Texel format as declared.
    pub channels: ChannelDesc,
    /// Whether bytes are converted from sRGB.
    pub srgb: i32,
    /// Limit of anisotropic filtering.
    pub max_anisotropy: u32,
    /// `enum cudaTextureFilterMode` between levels.
    pub mipmap_filter_mode: i32,
    /// Added to the level of detail.
    pub mipmap_level_bias: f32,
    /// Lowest level.
    pub min_mipmap_level_clamp: f32,
    /// Highest level.
    pub max_mipmap_level_clamp: f32,
    /// Whether filtering between levels must be exact.
    pub disable_trilinear_optimization: i32,
    reserved: [i32; 14],
}

impl ResourceDesc {
    const fn of(kind: i32, at: Handle) -> ResourceDesc {
        ResourceDesc {
            kind,
            padding: 0,
            at,
            channels: ChannelDesc { bits: [0; 4], kind: 0 },
            padding_after: 0,
            width: 0,
            height: 0,
            pitch: 0,
        }
    }

    /// An array.
    pub fn array(array: Handle) -> ResourceDesc {
        ResourceDesc::of(resource::ARRAY, array)
    }

    /// A mipmapped array.
    pub fn mipmaps(mipmaps: Handle) -> ResourceDesc {
        ResourceDesc::of(resource::MIPMAPPED_ARRAY, mipmaps)
    }

    /// Linear memory of so many bytes.
    pub fn linear(at: Address, channels: ChannelDesc, bytes: usize) -> ResourceDesc {
        ResourceDesc { channels, width: bytes, ..ResourceDesc::of(resource::LINEAR, at.0) }
    }

    /// Rows in linear memory.
    pub fn rows(
        at: Address,
        channels: ChannelDesc,
        [width, height, pitch]: [usize; 3],
    ) -> ResourceDesc {
        let rows = ResourceDesc::of(resource::PITCH_2D, at.0);
        ResourceDesc { channels, width, height, pitch, ..rows }
    }

    /// The device pointer of linear memory.
    pub fn pointer(&self) -> Address {
        Address(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_those_of_the_c_headers() {
        assert_eq!(size_of::<ChannelDesc>(), 20);
        assert_eq!(size_of::<ResourceDesc>(), 64);
        assert_eq!(offset_of!(ResourceDesc, at), 8);
        assert_eq!(offset_of!(ResourceDesc, width), 40);
        assert_eq!(offset_of!(ResourceDesc, pitch), 56);
        assert_eq!(size_of::<TextureDesc>(), 68);
        assert_eq!(size_of::<TextureDescV2>(), 72);
        assert_eq!(size_of::<ResourceViewDesc>(), 48);
        assert_eq!(offset_of!(ResourceViewDesc, last_layer), 44);
        assert_eq!(size_of::<TextureReference>(), 124);
        assert_eq!(offset_of!(TextureReference, channels), 20);
        assert_eq!(offset_of!(TextureReference, srgb), 40);
    }
}
