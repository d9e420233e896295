//! Arrays, textures and surfaces of the process.

use std::collections::BTreeMap;

use super::array::Array;
use super::handles::Handles;
use crate::abi::{Handle, ResourceDesc, ResourceViewDesc, TextureDescV2};

/// Arrays and textures of the process.
pub struct Images {
    /// Arrays, levels of mipmapped ones among them.
    pub arrays: Handles<Array>,
    /// Mipmapped arrays: their levels.
    pub mipmaps: Handles<Vec<Handle>>,
    /// Texture objects.
    pub(super) objects: BTreeMap<u64, TextureObject>,
    /// Surface objects.
    pub surfaces: BTreeMap<u64, ResourceDesc>,
    /// Offsets of bound texture references.
    pub(super) bound: BTreeMap<u64, u64>,
}

impl Default for Images {
    fn default() -> Self {
        Images {
            arrays: Handles::from(0x6000_0000),
            mipmaps: Handles::from(0x7000_0000),
            objects: BTreeMap::new(),
            surfaces: BTreeMap::new(),
            bound: BTreeMap::new(),
        }
    }
}

/// What a texture object was made from.
#[derive(Clone, Copy, Debug)]
pub struct TextureObject {
    /// Its texels.
    pub resource: ResourceDesc,
    /// How they are read.
    pub texture: TextureDescV2,
    /// What part of them is read, and as what.
    pub view: Option<ResourceViewDesc>,
}
