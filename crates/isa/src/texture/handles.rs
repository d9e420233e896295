//! Which texture a handle names.

use super::image::Texture;
use crate::trap::TrapKind;

/// Textures by handle; index 0 names nothing.
#[derive(Clone, Debug, Default)]
pub struct Textures {
    entries: Vec<Option<Texture>>,
}

/// Bits of a handle that index the texture headers; the rest name the sampler.
const HEADER_BITS: u32 = 20;

impl Textures {
    /// Adds a texture and returns its handle.
    pub fn add(&mut self, t: Texture) -> u32 {
        if self.entries.is_empty() {
            self.entries.push(None);
        }
        self.entries.push(Some(t));
        self.entries.len() as u32 - 1
    }

    /// Removes a texture.
    pub fn remove(&mut self, handle: u32) {
        if let Some(e) = self.entries.get_mut(handle as usize) {
            *e = None;
        }
    }

    /// What a handle names.
    pub fn get(&self, handle: u32) -> Result<&Texture, TrapKind> {
        self.entries
            .get((handle & ((1 << HEADER_BITS) - 1)) as usize)
            .and_then(Option::as_ref)
            .ok_or(TrapKind::InvalidTexture(handle))
    }
}
