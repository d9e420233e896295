//! Surfaces: arrays that kernels write by coordinates.

use upset_device::Texture;

use super::format::format_of;
use super::state::Runtime;
use super::texture::level_of;
use crate::abi::{Address, Handle, ResourceDesc, resource};
use crate::error::{Error, Result};

impl Runtime {
    /// An array as the device's surfaces name it.
    fn surface_of(&self, array: Handle) -> Result<Texture> {
        // An H200 does not ask whether the array was made for this.
        let array = self.array(array)?;
        Ok(Texture::new(level_of(array)?, format_of(array.channels)?.texel))
    }

    /// Makes a surface object.
    pub fn make_surface(&mut self, from: ResourceDesc) -> Result<u64> {
        if from.kind != resource::ARRAY {
            return Err(Error::INVALID_VALUE);
        }
        // Its code computes addresses of blocks itself; arrays here are rows.
        if self.device.arch_number() < 50 {
            self.tell("surfaces are not supported for code of sm_35".into(), true);
            return Err(Error::NOT_SUPPORTED);
        }
        let surface = self.surface_of(from.at)?;
        let handle = self.device.texture_object(surface);
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
            _ => Ok(()),
        }
    }

    /// Binds a surface reference to an array.
    pub fn bind_surface(&mut self, host: Address, array: Handle) -> Result<()> {
        let (module, name) = self.surface_reference(host)?;
        let surface = self.surface_of(array)?;
        self.device.bind_texture(module, &name, surface).map_err(|_| Error::INVALID_SURFACE)
    }
}
