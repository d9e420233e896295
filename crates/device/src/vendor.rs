//! What both vendors' devices do, each in its own way.

use crate::amd::wave_text;
use crate::journal::Event;
use crate::{
    Args, Device, DeviceError, FunctionId, Instruction, KernelInfo, Launch, Memory, ModuleId,
};

impl Device {
    /// Whether it executes AMD's machine code.
    pub fn is_amd(&self) -> bool {
        self.amd.is_some()
    }

    /// Loads machine code: a cubin or fat binary, or a code object of AMD's.
    pub fn load_module(&mut self, image: &[u8]) -> Result<ModuleId, DeviceError> {
        let given = if upset_gcn::container::is_amd(image) { "AMD's" } else { "NVIDIA's" };
        let chip = || self.chip.chip.name.clone();
        match (self.is_amd(), given == "AMD's") {
            (false, false) => self.load_cubin(image),
            (false, true) => {
                Err(DeviceError::OtherVendor { chip: chip(), runs: "NVIDIA's", given })
            }
            (true, false) if upset_sass::container::open(image).is_ok() => {
                Err(DeviceError::OtherVendor { chip: chip(), runs: "AMD's", given })
            }
            (true, _) => {
                let id = self.load_code_object(image)?;
                self.note(|_| Event::Module { image: image.to_vec() });
                Ok(id)
            }
        }
    }

    /// Finds a kernel by its (mangled) name.
    pub fn function(&self, module: ModuleId, name: &str) -> Result<FunctionId, DeviceError> {
        if !self.is_amd() {
            return self.cuda_function(module, name);
        }
        match self.kernel_names(module).iter().position(|k| *k == name) {
            Some(kernel) => Ok(FunctionId { module: module.0, kernel }),
            None => Err(DeviceError::NoKernel {
                name: name.to_string(),
                available: self.kernel_names(module).join(", "),
            }),
        }
    }

    /// Names of a module's kernels.
    pub fn kernel_names(&self, module: ModuleId) -> Vec<&str> {
        match &self.amd {
            Some(amd) => amd.kernel_names(module),
            None => self.cuda_names(module).collect(),
        }
    }

    /// Runs a kernel to its end.
    pub fn launch(
        &mut self,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), DeviceError> {
        let ran = match self.is_amd() {
            true => self.launch_waves(function, launch, args),
            false => self.launch_cuda(function, launch, args),
        };
        self.hear();
        ran
    }

    /// What a kernel needs.
    pub fn kernel(&self, function: FunctionId) -> KernelInfo {
        match &self.amd {
            Some(amd) => amd.kernel_info(function),
            None => self.cuda_kernel(function),
        }
    }

    /// The instruction that was loaded to an address.
    pub fn instruction(&self, address: u64) -> Option<Instruction> {
        match self.is_amd() {
            true => self.wave_instruction(address),
            false => self.cuda_instruction(address),
        }
    }

    /// A word in words.
    pub(crate) fn text_of(&self, bits: u128, pc: u64) -> String {
        match self.is_amd() {
            true => wave_text([bits as u32, (bits >> 32) as u32]),
            false => self.cuda_text(bits, pc),
        }
    }

    /// What an address belongs to.
    pub fn memory_at(&self, address: u64) -> Memory {
        match self.is_amd() {
            true => self.wave_memory_at(address),
            false => self.cuda_memory_at(address),
        }
    }
}
