//! Code of kernels, for those who read it.

use std::sync::Arc;

use upset_emu::Program;

use crate::{Device, ModuleId};

/// A kernel's code.
#[derive(Clone, Debug)]
pub struct KernelCode {
    /// Its name.
    pub name: String,
    /// The program that it is part of, as it sees it.
    pub program: Arc<Program>,
    /// Byte offset of its first instruction.
    pub entry: u32,
    /// First byte of its parameters in constant bank 0.
    pub parameters: u32,
}

impl Device {
    /// The code of a module's kernels; none of AMD's.
    pub fn kernel_codes(&mut self, module: ModuleId) -> Vec<KernelCode> {
        let Some(module) = self.nvidia.modules.get_mut(module.0) else { return Vec::new() };
        let kernels = 0..module.kernels.len();
        kernels
            .map(|i| {
                let program = module.prepare(i);
                let kernel = &module.kernels[i];
                KernelCode {
                    name: kernel.name.clone(),
                    program,
                    entry: kernel.entry,
                    parameters: kernel.params.base,
                }
            })
            .collect()
    }
}
