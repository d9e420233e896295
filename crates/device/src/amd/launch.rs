//! Launching a kernel: what it gets, and what it leaves behind.

use upset_emu::{Trap, TrapKind};
use upset_gcn::container::Abi;
use upset_gcn::trap as gcn;

use super::fit::Fit;
use super::locals::Locals;
use super::run::Job;
use super::{app_sdk, hsa};
use crate::launched::Sizes;
use crate::storage::Storage;
use crate::{Args, Device, DeviceError, FunctionId, Launch};

/// Scratch of a wave is given out in so many bytes.
const SCRATCH_GRANULE: u64 = 1024;

impl Device {
    /// Runs a kernel of AMD's to its end.
    pub(crate) fn launch_waves(
        &mut self,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), DeviceError> {
        let core = self.chip.cu()?.clone();
        let Some(amd) = &mut self.amd else { return Ok(()) };
        let kernel = &amd.modules[function.module].kernels[function.kernel];
        let name = kernel.about.name.clone();
        let bad = |why: String| DeviceError::Launch { kernel: name.clone(), why };
        let locals = Locals::of(&kernel.about, args).map_err(bad)?;
        let fit = Fit::of(&core, &kernel.about, launch, &locals)?;
        let (at, entry, about) = (kernel.block, kernel.entry, kernel.about.clone());
        let per_item = about.abi.scratch_bytes();
        let per_wave = (u64::from(per_item) * 64).next_multiple_of(SCRATCH_GRANULE);
        let slots = u64::from(core.cu.count) * u64::from(core.cu.waves_per_cu());
        let scratch = match per_item {
            0 => 0,
            _ => amd.scratch(slots * per_wave, &mut self.storage)?,
        };
        let module = &amd.modules[function.module];
        let given = (args, &locals);
        let prepared = match &about.abi {
            Abi::Hsa(d) => hsa::prepare(&about, d, launch, given, (at, scratch)).map_err(bad)?,
            Abi::AppSdk(abi) => {
                let data = (&module.module, module.base);
                app_sdk::prepare(&about, abi, launch, given, data, (at, scratch)).map_err(bad)?
            }
        };
        self.storage.write(at, &prepared.bytes)?;
        let job = Job {
            name: &name,
            launch,
            entry,
            abi: &about.abi,
            user: prepared.user,
            fit: &fit,
            scratch: (scratch, if per_item == 0 { 0 } else { per_wave }),
        };
        let ran = match self.storage {
            Storage::Plain(_) => self.run_waves_functional(function, &job),
            Storage::Machine { .. } => self.run_waves_timed(function, &job),
        };
        self.trapped |= ran.is_err();
        let base = self.amd.as_ref().map_or(0, |amd| amd.modules[function.module].base);
        let (counts, timing) =
            ran.map_err(|trap| self.trapped_in(&name, neutral(trap, base), false))?;
        let sizes = Sizes { registers: fit.vgprs, shared_bytes: fit.lds, local_bytes: per_item };
        self.count(&name, launch, &counts, timing, sizes);
        self.note_launch(&name, *launch, args);
        Ok(())
    }
}

/// A trap in the words that the device has for all vendors.
fn neutral(trap: gcn::Trap, base: u64) -> Trap {
    use gcn::TrapKind as Wave;
    let space = upset_isa::Space::Global;
    let kind = match trap.kind {
        Wave::Illegal(_) => TrapKind::IllegalEncoding,
        Wave::Unimplemented(what) => TrapKind::Unimplemented(what),
        Wave::PcOutOfRange(pc) => TrapKind::PcOutOfRange(pc),
        Wave::MemoryViolation(addr) => TrapKind::AddressOutOfRange { space, addr },
        Wave::TrapInstruction(_) => TrapKind::TrapInstruction,
        Wave::Deadlock => TrapKind::Deadlock,
        Wave::InstructionLimit(n) => TrapKind::InstructionLimit(n),
        Wave::CycleLimit(n) => TrapKind::CycleLimit(n),
    };
    Trap { kind, pc: trap.pc.wrapping_sub(base) as u32, cta: trap.group, warp: trap.wave }
}
