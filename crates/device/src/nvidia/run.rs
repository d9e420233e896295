//! Running a kernel on either engine.

use std::sync::Arc;

use upset_compute::{Kernel, LaunchCounters};
use upset_emu::{ConstBanks, Counts, Grid, Tally, Trap, Windows};
use upset_mem::Segment;
use upset_state::Quiet;

use super::fit::Fit;
use super::ranges::LOCAL_BASE;
use super::syscalls::Syscalls;
use crate::attending::Attending;
use crate::machine::Machine;
use crate::storage::Storage;
use crate::{Device, FunctionId, Launch, Outputs};

/// What both engines need of a launch.
pub(super) struct Job<'a> {
    pub(super) name: &'a str,
    pub(super) launch: &'a Launch,
    pub(super) local_bytes: u32,
    pub(super) windows: Windows,
    pub(super) bank0: Vec<u8>,
    pub(super) fit: &'a Fit,
}

/// Counts of a launch, with those of time in timing mode.
pub(super) type Ran = Result<(Counts, Option<LaunchCounters>), Trap>;

impl Device {
    /// On the functional engine.
    pub(super) fn run_functional(&mut self, function: FunctionId, job: Job<'_>) -> Ran {
        let module = &mut self.nvidia.modules[function.module];
        let mut banks: ConstBanks = module.banks(function.kernel);
        banks.set(0, job.bank0);
        let program = module.prepare(function.kernel);
        let kernel = &module.kernels[function.kernel];
        let Storage::Plain(memory) = &mut self.storage else { return Ok(Default::default()) };
        let grid = Grid {
            program: &program,
            entry: kernel.entry,
            grid: job.launch.grid,
            block: job.launch.block,
            registers: kernel.registers,
            shared_bytes: job.fit.window,
            local_bytes: job.local_bytes,
            banks: &banks,
            textures: &self.nvidia.textures,
            windows: job.windows,
            resident: job.fit.occupancy.ctas_per_sm.saturating_mul(self.nvidia.core.sm.count),
            cooperative: job.launch.cooperative,
        };
        let progress = &mut self.progress;
        let mut tell = |c: &Counts| {
            if let Some(f) = progress {
                f(job.name, c);
            }
        };
        let mut tally = self.readings.is_some().then(Tally::default);
        let ran = upset_emu::run(&grid, memory, self.limits, &mut tell, tally.as_mut());
        if let Some(tally) = tally {
            self.keep_reading(job.name, job.launch, &tally, ran.is_ok());
        }
        ran.map(|c| (c, None))
    }

    /// On the machine, cycle by cycle.
    pub(super) fn run_timed(&mut self, function: FunctionId, job: Job<'_>) -> Ran {
        let module = &mut self.nvidia.modules[function.module];
        let Storage::Machine { machine, .. } = &self.storage else { return Ok(Default::default()) };
        let Machine::Sm(machine) = &**machine else { return Ok(Default::default()) };
        let code = module.prepare_code(function.kernel, machine.config());
        let kernel = &module.kernels[function.kernel];
        let banks = module.banks_in_memory(function.kernel);
        let bank0 = banks.first().copied().unwrap_or_default();
        let granule = self.nvidia.core.shared.granule.max(1);
        let launch = Kernel {
            name: job.name.to_string(),
            code,
            entry: kernel.entry,
            grid: job.launch.grid,
            block: job.launch.block,
            registers: kernel.registers,
            shared_bytes: job.fit.window,
            shared_taken: (job.fit.shared + self.nvidia.core.shared.reserved_per_cta)
                .next_multiple_of(granule),
            local_bytes: job.local_bytes,
            local_base: LOCAL_BASE,
            banks,
            textures: Arc::new(self.nvidia.textures.clone()),
            windows: job.windows,
        };
        let slots = u64::from(self.nvidia.core.sm.count) * u64::from(self.nvidia.core.sm.warps);
        if launch.local_bytes > 0 {
            self.storage.map(Segment::Local, LOCAL_BASE, slots * launch.local_per_warp());
        }
        // The range was mapped when the module was loaded.
        let _ = self.storage.write(bank0.addr, &job.bank0);
        let Storage::Machine { machine, watch, haunt } = &mut self.storage else {
            return Ok(Default::default());
        };
        let Machine::Sm(machine) = &mut **machine else { return Ok(Default::default()) };
        let mut checks = self.checks.as_deref_mut().filter(|_| !self.trapped);
        if let Some(checks) = &mut checks {
            checks.begin(self.launches, machine.cycle(), launch.code.sees_time());
        }
        let heard = heard(&self.outputs, &self.told, &self.nvidia.syscalls);
        let mut attendant = Attending {
            kernel: job.name,
            progress: &mut self.progress,
            pauses: &mut self.pauses,
            checks,
            heard,
            part: None,
        };
        let limits =
            upset_compute::Limits { cycle: self.cycle_limit, warp_insts: self.limits.warp_insts };
        let counters = match watch {
            Some(w) => machine.run(&launch, limits, &mut **w, &mut attendant)?,
            None => match haunt {
                Some(h) => {
                    attendant.part = Some(&mut h.part);
                    machine.run(&launch, limits, &mut h.probe, &mut attendant)?
                }
                None => machine.run(&launch, limits, &mut Quiet, &mut attendant)?,
            },
        };
        let counts = Counts {
            warp_insts: counters.cores.sm.warp_insts,
            thread_insts: counters.cores.sm.thread_insts,
            ctas: counters.cores.sm.ctas,
        };
        Ok((counts, Some(counters)))
    }
}

/// Digest of what the host has got: copies, what it was told on its way, and
/// what device code had to say.
fn heard(outputs: &Outputs, told: &Outputs, syscalls: &Syscalls) -> u128 {
    outputs.digest128() ^ told.digest128().rotate_left(43) ^ syscalls.said().rotate_left(1)
}
