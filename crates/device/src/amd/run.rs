//! Running a kernel on either engine.

use upset_compute::LaunchCounters;
use upset_cu::{Kernel, Scratch};
use upset_emu::{Counts, WaveGrid};
use upset_gcn::container::Abi;
use upset_gcn::trap::Trap;
use upset_state::Quiet;

use super::fit::Fit;
use crate::attending::Attending;
use crate::machine::Machine;
use crate::storage::Storage;
use crate::{Device, FunctionId, Launch};

/// What both engines need of a launch.
pub(super) struct Job<'a> {
    pub name: &'a str,
    pub launch: &'a Launch,
    pub entry: u64,
    pub abi: &'a Abi,
    pub user: Vec<u32>,
    pub fit: &'a Fit,
    /// Address of scratch, and bytes of it for each wave.
    pub scratch: (u64, u64),
}

impl Job<'_> {
    /// MODE that waves begin with.
    fn mode(&self) -> u32 {
        u32::from(self.abi.float_mode())
            | u32::from(self.abi.dx10_clamp()) << 8
            | u32::from(self.abi.ieee()) << 9
    }
}

/// Counts of a launch, with those of time in timing mode.
pub(super) type Ran = Result<(Counts, Option<LaunchCounters>), Trap>;

impl Device {
    /// On the functional engine.
    pub(super) fn run_waves_functional(&mut self, function: FunctionId, job: &Job<'_>) -> Ran {
        let (Some(amd), Storage::Plain(memory)) = (&mut self.amd, &mut self.storage) else {
            return Ok(Default::default());
        };
        let code = amd.modules[function.module].plain_code();
        let rsrc2 = job.abi.rsrc2();
        let waves = job.launch.block.iter().product::<u32>().div_ceil(64);
        let sizes: Vec<u32> = (0..waves)
            .map(|wave| waves & 63 | (wave & 63) << 6 | u32::from(wave == 0) << 31)
            .collect();
        let grid = WaveGrid {
            code: &code,
            entry: job.entry,
            grid: job.launch.grid,
            block: job.launch.block,
            vgprs: job.fit.vgprs,
            sgprs: job.fit.sgprs,
            lds_bytes: job.fit.lds,
            mode: job.mode(),
            user: &job.user,
            group_ids: rsrc2.group_ids(),
            group_size: rsrc2.has_group_size().then_some(&sizes),
            scratch_offset: rsrc2.has_scratch_offset(),
            item_ids: rsrc2.item_ids(),
            scratch_per_wave: job.scratch.1,
        };
        let progress = &mut self.progress;
        let mut tell = |c: &Counts| {
            if let Some(f) = progress {
                f(job.name, c);
            }
        };
        upset_emu::run_waves(&grid, memory, self.limits, &mut tell).map(|c| (c, None))
    }

    /// On the machine, cycle by cycle.
    pub(super) fn run_waves_timed(&mut self, function: FunctionId, job: &Job<'_>) -> Ran {
        let Some(amd) = &mut self.amd else { return Ok(Default::default()) };
        let Storage::Machine { machine, watch, haunt } = &mut self.storage else {
            return Ok(Default::default());
        };
        let Machine::Cu(machine) = &mut **machine else { return Ok(Default::default()) };
        let code = amd.modules[function.module].timed_code(machine.config());
        let rsrc2 = job.abi.rsrc2();
        let launch = Kernel {
            name: job.name.to_string(),
            code,
            entry: job.entry,
            grid: job.launch.grid,
            block: job.launch.block,
            vgprs: job.fit.vgprs,
            sgprs: job.fit.sgprs,
            lds_taken: job.fit.lds,
            mode: job.mode(),
            user: job.user.clone(),
            group_ids: rsrc2.group_ids(),
            group_size: rsrc2.has_group_size(),
            scratch_offset: rsrc2.has_scratch_offset(),
            item_ids: rsrc2.item_ids(),
            scratch: Scratch {
                base: job.scratch.0,
                per_wave: job.scratch.1,
                per_item: job.abi.scratch_bytes(),
            },
            whole_words: false,
        };
        let mut checks = self.checks.as_deref_mut().filter(|_| !self.trapped);
        if let Some(checks) = &mut checks {
            checks.begin(self.launches, machine.cycle(), launch.code.sees_time());
        }
        let heard = self.outputs.digest128() ^ self.told.digest128().rotate_left(43);
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
