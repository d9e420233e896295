//! Launching a kernel: what it gets, and what it leaves behind.

use upset_emu::{Trap, TrapKind, Windows};

use super::bank0::Bank0;
use super::fit::Fit;
use super::ranges::LOCAL_ROOM;
use super::run::Job;
use crate::launched::Sizes;
use crate::storage::Storage;
use crate::{Args, Device, DeviceError, FunctionId, Launch, Near};

impl Device {
    /// Runs a kernel to its end.
    pub(crate) fn launch_cuda(
        &mut self,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), DeviceError> {
        let module = &self.nvidia.modules[function.module];
        let kernel = &module.kernels[function.kernel];
        let name = kernel.name.clone();
        let bad = |why: String| DeviceError::Launch { kernel: name.clone(), why };

        let fit = Fit::of(&self.nvidia.core, kernel, launch)?;
        let params = kernel.params.lay_out(args).map_err(bad)?;
        let workspace = match launch.cooperative {
            true => Some(self.nvidia.syscalls.workspace(&mut self.storage)?),
            false => None,
        };

        self.nvidia.syscalls.prepare(&mut self.storage)?;
        let driver = &self.chip.driver;
        let windows = Windows { shared: driver.shared_window, local: driver.local_window };
        let local_bytes = kernel.local_bytes(self.nvidia.syscalls.stack_bytes());
        let slots = u64::from(self.nvidia.core.sm.count) * u64::from(self.nvidia.core.sm.threads);
        if slots * u64::from(local_bytes) > LOCAL_ROOM {
            return Err(bad(format!(
                "{local_bytes} bytes of local memory per thread are too much"
            )));
        }
        let mut bank0 = kernel.bank0.clone();
        Bank0 {
            block: launch.block,
            grid: launch.grid,
            windows,
            stack: local_bytes,
            dynamic_shared: launch.shared_bytes,
            grid_id: self.launches,
            sms: self.nvidia.core.sm.count,
            sm: kernel.sm,
            workspace,
            constants: module.constants_at(),
            params: (kernel.params.base, &params),
        }
        .write(&mut bank0);
        let job = Job { name: &name, launch, local_bytes, windows, bank0, fit: &fit };
        let ran = match self.storage {
            Storage::Plain(_) => self.run_functional(function, job),
            Storage::Machine { .. } => self.run_timed(function, job),
        };
        let asserted = self.drain()?;
        self.trapped |= ran.is_err();
        let (counts, timing) = ran.map_err(|trap| self.trapped_in(&name, trap, asserted))?;
        let registers = self.nvidia.modules[function.module].kernels[function.kernel].registers;
        let sizes = Sizes { registers, shared_bytes: fit.shared, local_bytes };
        self.count(&name, launch, &counts, timing, sizes);
        self.note_launch(&name, *launch, args);
        Ok(())
    }

    /// What a trap is to the host.
    pub(crate) fn trapped_in(&self, kernel: &str, trap: Trap, asserted: bool) -> DeviceError {
        let kernel = kernel.to_string();
        match trap.kind {
            TrapKind::TrapInstruction if asserted => DeviceError::Assert { kernel, trap },
            _ => {
                let near = Near::of(&trap.kind, self.allocations(), self.storage.global());
                DeviceError::Trap { kernel, trap, near }
            }
        }
    }
}
