//! What a device of AMD's has besides its memory.

use upset_chip::{ChipSpec, CoreSpec};

use super::module::LoadedModule;
use crate::DeviceError;
use crate::ids::{FunctionId, ModuleId};
use crate::kernel_info::KernelInfo;
use crate::storage::Storage;

/// Machine code that the compute units of this model execute.
const ARCHS: [&str; 3] = ["gfx600", "gfx601", "gfx602"];

/// Loaded code and what it needs.
pub(crate) struct Amd {
    pub(super) modules: Vec<LoadedModule>,
    /// Address and bytes of scratch, once a kernel has needed some.
    scratch: Option<(u64, u64)>,
}

impl Amd {
    /// Nothing loaded yet; none for a chip of another vendor, and an error if
    /// its code cannot be executed.
    pub(crate) fn of(chip: &ChipSpec) -> Result<Option<Amd>, DeviceError> {
        let CoreSpec::Cu(_) = chip.core else { return Ok(None) };
        if !ARCHS.contains(&chip.chip.arch.as_str()) {
            return Err(DeviceError::UnsupportedArch {
                chip: chip.chip.name.clone(),
                arch: chip.chip.arch.clone(),
                why: "; supported of AMD's are gfx600, gfx601 and gfx602",
            });
        }
        Ok(Some(Amd { modules: Vec::new(), scratch: None }))
    }

    /// Name, first address and end of every kernel's code.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.modules.iter().flat_map(LoadedModule::functions)
    }

    /// Names of a module's kernels.
    pub(crate) fn kernel_names(&self, module: ModuleId) -> Vec<&str> {
        self.modules[module.0].kernels.iter().map(|k| k.about.name.as_str()).collect()
    }

    /// What a kernel needs.
    pub(crate) fn kernel_info(&self, function: FunctionId) -> KernelInfo {
        let k = &self.modules[function.module].kernels[function.kernel].about;
        KernelInfo {
            name: k.name.clone(),
            registers: k.abi.vgprs(),
            shared_bytes: k.abi.lds_bytes(),
            local_bytes: k.abi.scratch_bytes(),
            constant_bytes: 0,
            barriers: 1,
            max_threads: Some(k.most_items).filter(|n| *n > 0),
            params: k.arguments.iter().map(|a| (a.offset, a.bytes)).collect(),
        }
    }

    /// Memory for so many bytes of scratch.
    pub(super) fn scratch(
        &mut self,
        bytes: u64,
        storage: &mut Storage,
    ) -> Result<u64, DeviceError> {
        if let Some((addr, _)) = self.scratch.filter(|(_, has)| *has >= bytes) {
            return Ok(addr);
        }
        let addr = storage.global_mut().allocate_aligned(bytes.max(1), 4096)?;
        self.scratch = Some((addr, bytes));
        Ok(addr)
    }
}
