//! Modules as a host uses them.

use super::module::LoadedModule;
use crate::{Device, DeviceError, ModuleId};

impl Device {
    /// Loads a code object.
    pub(crate) fn load_code_object(&mut self, image: &[u8]) -> Result<ModuleId, DeviceError> {
        let module = LoadedModule::load(image, &mut self.storage)?;
        let Some(amd) = &mut self.amd else { return Ok(ModuleId(0)) };
        amd.modules.push(module);
        Ok(ModuleId(amd.modules.len() - 1))
    }
}
