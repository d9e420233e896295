//! Modules as a host uses them: kernels, variables, textures.

use super::module::{LoadedModule, SymbolAt};
use crate::journal::Event;
use crate::{DevPtr, Device, DeviceError, FunctionId, ModuleId, Texture};

impl Device {
    /// Compute capability as a number: 70, 75, 80, 90.
    pub fn arch_number(&self) -> u32 {
        self.chip.sm_number().unwrap_or_default()
    }

    /// Loads a cubin or fat binary.
    pub(crate) fn load_cubin(&mut self, image: &[u8]) -> Result<ModuleId, DeviceError> {
        let module = LoadedModule::load(
            image,
            &self.chip,
            self.nvidia.encoding,
            &mut self.storage,
            &mut self.nvidia.ranges,
            &mut self.nvidia.syscalls,
        )?;
        self.nvidia.modules.push(module);
        self.note(|_| Event::Module { image: image.to_vec() });
        Ok(ModuleId(self.nvidia.modules.len() - 1))
    }

    /// Finds a kernel by its (mangled) name.
    pub(crate) fn cuda_function(
        &self,
        module: ModuleId,
        name: &str,
    ) -> Result<FunctionId, DeviceError> {
        let kernels = &self.nvidia.modules[module.0].kernels;
        match kernels.iter().position(|k| k.name == name) {
            Some(kernel) => Ok(FunctionId { module: module.0, kernel }),
            None => Err(DeviceError::NoKernel {
                name: name.to_string(),
                available: kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// Writes a `__device__` or `__constant__` variable.
    pub fn upload_symbol(
        &mut self,
        module: ModuleId,
        name: &str,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let at = self.nvidia.modules[module.0].symbol(name, offset, bytes.len() as u64)?;
        match at {
            SymbolAt::Global(addr) => {
                self.storage.write(addr, bytes)?;
            }
            SymbolAt::Bank(bank, at) => {
                self.nvidia.modules[module.0].write_bank(bank, at, bytes, &mut self.storage)?;
            }
        }
        self.note(|_| Event::UploadSymbol {
            name: name.to_string(),
            offset,
            bytes: bytes.to_vec(),
        });
        Ok(())
    }

    /// Reads a `__device__` or `__constant__` variable. The bytes count as output.
    pub fn download_symbol(
        &mut self,
        module: ModuleId,
        name: &str,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        match self.nvidia.modules[module.0].symbol(name, offset, bytes.len() as u64)? {
            SymbolAt::Global(addr) => {
                self.storage.read(addr, bytes)?;
            }
            SymbolAt::Bank(bank, at) => {
                self.nvidia.modules[module.0].read_bank(bank, at, bytes, &mut self.storage)?;
            }
        }
        self.outputs.copied(bytes);
        Ok(())
    }

    /// Binds a texture reference.
    pub fn bind_texture(
        &mut self,
        module: ModuleId,
        name: &str,
        texture: Texture,
    ) -> Result<(), DeviceError> {
        let (addr, bytes) = (texture.addr, texture.pitch);
        let handle = self.nvidia.textures.add(texture);
        self.nvidia.modules[module.0].bind(name, &[handle], &mut self.storage)?;
        self.note(|d| Event::BindTexture {
            name: name.to_string(),
            at: d.pointer_or_null(DevPtr(addr)),
            bytes,
        });
        Ok(())
    }

    /// Binds a surface reference of code that finds texels itself (sm_35) to the
    /// image that these words describe.
    pub fn bind_surface_words(
        &mut self,
        module: ModuleId,
        name: &str,
        words: &[u32; 8],
    ) -> Result<(), DeviceError> {
        self.nvidia.modules[module.0].bind(name, words, &mut self.storage)
    }

    /// Makes a texture object; its handle is passed to kernels as a 64-bit argument.
    pub fn texture_object(&mut self, texture: Texture) -> u64 {
        u64::from(self.nvidia.textures.add(texture))
    }

    /// Address and size of a `__device__` or `__constant__` variable.
    pub fn variable(&self, module: ModuleId, name: &str) -> Result<(DevPtr, u64), DeviceError> {
        self.nvidia.modules[module.0].variable(name).map(|(addr, size)| (DevPtr(addr), size))
    }

    /// File and line of the instruction at a byte offset of a function, if the
    /// code came with a line table.
    pub fn source_line(&self, function: &str, offset: u64) -> Option<(&str, u32)> {
        self.nvidia.modules.iter().find_map(|m| m.source_line(function, offset))
    }

    /// Whether any code came with a line table.
    pub fn has_source_lines(&self) -> bool {
        self.nvidia.modules.iter().any(|m| m.has_lines())
    }

    /// Names of a module's kernels.
    pub(crate) fn cuda_names(&self, module: ModuleId) -> impl Iterator<Item = &str> {
        self.nvidia.modules[module.0].kernels.iter().map(|k| k.name.as_str())
    }
}
