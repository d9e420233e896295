//! Launching a kernel: what it gets, and what it leaves behind.

use upset_compute::LaunchCounters;
use upset_emu::{Counts, Trap, TrapKind, Windows};

use super::bank0::Bank0;
use super::fit::Fit;
use super::ranges::LOCAL_ROOM;
use super::run::Job;
use crate::journal::Event;
use crate::storage::Storage;
use crate::{Args, DevPtr, Device, DeviceError, FunctionId, Launch, LaunchSpan, Near};

impl Device {
    /// Runs a kernel to its end.
    pub fn launch(
        &mut self,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), DeviceError> {
        let module = &self.nvidia.modules[function.module];
        let kernel = &module.kernels[function.kernel];
        let name = kernel.name.clone();
        let bad = |why: String| DeviceError::Launch { kernel: name.clone(), why };

        let fit = Fit::of(&self.chip, kernel, launch)?;
        let params = kernel.params.lay_out(args).map_err(bad)?;
        let workspace = match launch.cooperative {
            true => Some(self.nvidia.syscalls.workspace(&mut self.storage)?),
            false => None,
        };

        self.nvidia.syscalls.prepare(&mut self.storage)?;
        let driver = &self.chip.driver;
        let windows = Windows { shared: driver.shared_window, local: driver.local_window };
        let local_bytes = kernel.local_bytes(self.nvidia.syscalls.stack_bytes());
        let slots = u64::from(self.chip.sm.count) * u64::from(self.chip.sm.threads);
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
            sms: self.chip.sm.count,
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
        self.count(function, launch, &counts, timing, (fit.shared, local_bytes));
        self.note_launch(&name, *launch, args);
        Ok(())
    }

    /// What a trap is to the host.
    fn trapped_in(&self, kernel: &str, trap: Trap, asserted: bool) -> DeviceError {
        let kernel = kernel.to_string();
        match trap.kind {
            TrapKind::TrapInstruction if asserted => DeviceError::Assert { kernel, trap },
            _ => {
                let near = Near::of(&trap.kind, self.allocations(), self.storage.global());
                DeviceError::Trap { kernel, trap, near }
            }
        }
    }

    /// Takes a launch that came to its end into the statistics; `bytes` are those
    /// of shared memory per CTA and of local memory per thread.
    fn count(
        &mut self,
        function: FunctionId,
        launch: &Launch,
        counts: &Counts,
        timing: Option<LaunchCounters>,
        bytes: (u32, u32),
    ) {
        let kernel = &self.nvidia.modules[function.module].kernels[function.kernel];
        self.launches += 1;
        let s = self.stats.of(&kernel.name);
        s.launches += 1;
        s.ctas += counts.ctas;
        s.warp_insts += counts.warp_insts;
        s.thread_insts += counts.thread_insts;
        s.registers = kernel.registers;
        s.shared_bytes = s.shared_bytes.max(bytes.0);
        s.local_bytes = bytes.1;
        s.last = (launch.grid, launch.block);
        if let Some(t) = timing {
            self.spans.push(LaunchSpan {
                kernel: kernel.name.clone(),
                start: t.start,
                end: t.start + t.cycles,
            });
            *s.timing.get_or_insert_default() += &t;
        }
    }

    fn note_launch(&mut self, kernel: &str, launch: Launch, args: &Args) {
        self.note(|d| Event::Launch {
            kernel: kernel.to_string(),
            launch,
            args: args.clone(),
            pointers: args
                .iter()
                .map(|a| {
                    let addr = a.bytes.first_chunk().map(|b| u64::from_le_bytes(*b));
                    addr.filter(|_| a.pointer).map(|p| d.pointer_or_null(DevPtr(p)))
                })
                .collect(),
        });
    }
}
