//! What a kernel needs.

use upset_chip::{KernelResources, Occupancy, SmCore};

use crate::{Device, FunctionId, KernelInfo};

impl Device {
    /// What a kernel needs.
    pub(crate) fn cuda_kernel(&self, function: FunctionId) -> KernelInfo {
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

    /// The SMs that kernels run on.
    pub fn sm_core(&self) -> &SmCore {
        &self.nvidia.core
    }

    /// How a kernel fits an SM with blocks of `threads` and this much dynamic
    /// shared memory.
    pub fn occupancy(&self, function: FunctionId, threads: u32, dynamic: u32) -> Occupancy {
        let k = self.kernel(function);
        self.nvidia.core.occupancy(KernelResources {
            threads,
            registers: k.registers,
            shared_bytes: k.shared_bytes.saturating_add(dynamic),
            barriers: k.barriers,
        })
    }
}
