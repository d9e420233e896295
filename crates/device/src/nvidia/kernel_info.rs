//! What a kernel needs.

use upset_chip::{KernelResources, Occupancy};

use crate::{Device, FunctionId};

/// Registers, memory, barriers and parameters of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name as in the module.
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared bytes per CTA, without what the system reserves.
    pub shared_bytes: u32,
    /// Local bytes per thread, as far as the compiler knows them.
    pub local_bytes: u32,
    /// Bytes of `__constant__` variables.
    pub constant_bytes: u64,
    /// Named barriers.
    pub barriers: u32,
    /// Most threads per block that it was compiled for, where it says so.
    pub max_threads: Option<u32>,
    /// Offset and size of each parameter in the parameter block.
    pub params: Vec<(u32, u32)>,
}

impl Device {
    /// What a kernel needs.
    pub fn kernel(&self, function: FunctionId) -> KernelInfo {
        let module = &self.nvidia.modules[function.module];
        let k = &module.kernels[function.kernel];
        KernelInfo {
            name: k.name.clone(),
            registers: k.registers,
            shared_bytes: k.shared_bytes - k.shared_reserved.min(k.shared_bytes),
            local_bytes: k.local_bytes(0),
            constant_bytes: module.constant_bytes(),
            barriers: k.barriers,
            max_threads: module.max_threads(function.kernel),
            params: k.params.list.clone(),
        }
    }

    /// How a kernel fits an SM with blocks of `threads` and this much dynamic
    /// shared memory.
    pub fn occupancy(&self, function: FunctionId, threads: u32, dynamic: u32) -> Occupancy {
        let k = self.kernel(function);
        self.chip.occupancy(KernelResources {
            threads,
            registers: k.registers,
            shared_bytes: k.shared_bytes.saturating_add(dynamic),
            barriers: k.barriers,
        })
    }
}
