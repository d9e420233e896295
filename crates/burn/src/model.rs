//! The simulated chip as a board: the same machine code, cycle by cycle.

use upset_chip::{ChipSpec, CoreSpec};
use upset_device::{Args, Change, DevPtr, Device, DeviceError, Launch, TrapKind};
use upset_mem::AddressMap;
use upset_state::Registry;

use crate::topology::Tpcs;
use crate::{
    About, Arg, Board, BoardError, Buffer, Image, Kind, MemoryPlace, ModuleId, Sensors, Shape,
};

/// Cycles that a launch may take before it counts as hanging. The longest clean
/// launch of level 1 takes less than a tenth of it.
pub const LAUNCH_LIMIT: u64 = 30_000_000;

/// The simulated chip.
pub struct ModelBoard {
    device: Device,
    about: About,
    addresses: AddressMap,
    memory: (u32, u32),
    per_tpc: Option<u32>,
    fp32_pipes: u32,
    modules: Vec<upset_device::ModuleId>,
    launch_limit: u64,
    hangs: bool,
}

impl ModelBoard {
    /// A chip in perfect order.
    pub fn new(chip: &ChipSpec) -> Result<ModelBoard, BoardError> {
        Device::supports(chip).map_err(|e| BoardError::CannotRun(e.to_string()))?;
        let device = Device::timed(chip).map_err(|e| BoardError::CannotRun(e.to_string()))?;
        let about = about(chip)?;
        let (per_tpc, fp32_pipes) = match &chip.core {
            CoreSpec::Sm(core) => (core.sm.per_tpc, core.unit("fma").map_or(1, |u| u.count)),
            _ => (None, 1),
        };
        Ok(ModelBoard {
            device,
            about,
            addresses: AddressMap::new(chip),
            memory: (chip.memory.partitions, chip.slices()),
            per_tpc,
            fp32_pipes,
            modules: Vec::new(),
            launch_limit: LAUNCH_LIMIT,
            hangs: false,
        })
    }

    /// Breaks it: a change of bits at a cycle, 0 for from the start.
    pub fn plan(&mut self, cycle: u64, change: Change) {
        self.device.plan(cycle, change);
    }

    /// Names of all its bits.
    pub fn registry(&mut self) -> Registry {
        self.device.machine_mut().map(|m| Registry::of(m)).unwrap_or_default()
    }

    /// Cycles that a launch may take before it counts as hanging.
    pub fn limit_launches(&mut self, cycles: u64) {
        self.launch_limit = cycles;
    }

    /// Whether a launch did not come to its end.
    pub fn hangs(&self) -> bool {
        self.hangs
    }

    /// Cycles so far.
    pub fn cycles(&self) -> u64 {
        self.device.cycles().unwrap_or(0)
    }

    /// The device itself, for those who watch it.
    pub fn device_mut(&mut self) -> &mut Device {
        &mut self.device
    }

    fn told(&self, error: DeviceError) -> BoardError {
        match error {
            DeviceError::Trap { kernel, trap, .. } if is_hang(&trap.kind) => {
                BoardError::Failed(format!(
                    "kernel `{kernel}` hangs: not done after {} cycles ({trap})",
                    self.launch_limit
                ))
            }
            DeviceError::Trap { trap, .. } if matches!(trap.kind, TrapKind::Unimplemented(_)) => {
                BoardError::CannotRun(format!("the model: {trap}"))
            }
            DeviceError::Trap { .. } | DeviceError::Assert { .. } => {
                BoardError::Failed(error.to_string())
            }
            other => BoardError::CannotRun(other.to_string()),
        }
    }
}

fn is_hang(kind: &TrapKind) -> bool {
    matches!(kind, TrapKind::CycleLimit(_) | TrapKind::Deadlock)
}

fn about(chip: &ChipSpec) -> Result<About, BoardError> {
    let CoreSpec::Sm(core) = &chip.core else {
        return Err(BoardError::CannotRun(format!(
            "chip `{}` runs other machine code than the tests, which is NVIDIA's: choose a chip \
             of that vendor (`upset chips` lists them)",
            chip.chip.name
        )));
    };
    let l2 = chip.caches.iter().filter(|c| c.next == "memory");
    Ok(About {
        name: format!("model of {}", chip.chip.name),
        kind: Kind::Model,
        arch: chip.chip.arch.clone(),
        sms: core.sm.count,
        sub_cores: core.sm.subcores,
        warp: core.sm.warp_size,
        warps_per_sm: core.sm.warps,
        ctas_per_sm: core.sm.ctas,
        registers_per_sm: core.registers.per_sm,
        shared_per_cta: core.shared.per_cta,
        shared_per_sm: core.shared.bytes,
        memory: chip.memory.bytes,
        l2: l2
            .map(|c| u64::from(c.sets) * u64::from(c.ways) * u64::from(c.line_bytes))
            .sum::<u64>()
            * u64::from(chip.memory.partitions * chip.memory.slices_per_partition),
        clock_hz: chip.clock.core_mhz * 1e6,
        uuid: None,
        vbios: None,
        driver: None,
        mig: None,
        mps: None,
    })
}

impl Board for ModelBoard {
    fn about(&self) -> &About {
        &self.about
    }

    fn load(&mut self, image: &Image) -> Result<ModuleId, BoardError> {
        let sm = self.device.arch_number();
        let code = image.machine_code(sm).ok_or_else(|| {
            BoardError::CannotRun(format!("{} has no machine code for sm_{sm}", image.name))
        })?;
        let module = self.device.load_module(code).map_err(|e| self.told(e))?;
        self.modules.push(module);
        Ok(ModuleId(self.modules.len() as u32 - 1))
    }

    fn alloc(&mut self, bytes: u64) -> Result<Buffer, BoardError> {
        let at = self.device.malloc(bytes).map_err(|e| self.told(e))?;
        Ok(Buffer { handle: at.0, bytes })
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), BoardError> {
        self.device.free(DevPtr(buffer.handle)).map_err(|e| self.told(e))
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), BoardError> {
        let to = DevPtr(buffer.handle).offset(offset);
        self.device.upload(to, bytes).map_err(|e| self.told(e))
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), BoardError> {
        let from = DevPtr(buffer.handle).offset(offset);
        self.device.read(from, bytes).map_err(|e| self.told(e))
    }

    fn launch(
        &mut self,
        module: ModuleId,
        kernel: &str,
        shape: Shape,
        args: &[Arg],
    ) -> Result<(), BoardError> {
        let unknown = || BoardError::CannotRun(format!("module {} was never loaded", module.0));
        let module = *self.modules.get(module.0 as usize).ok_or_else(unknown)?;
        let function = self.device.function(module, kernel).map_err(|e| self.told(e))?;
        let launch = Launch {
            grid: shape.grid,
            block: shape.block,
            shared_bytes: shape.dynamic_shared,
            cooperative: false,
        };
        let args = args.iter().fold(Args::new(), |all, arg| match *arg {
            Arg::Buffer(b) => all.ptr(DevPtr(b.handle)),
            Arg::U32(v) => all.u32(v),
            Arg::U64(v) => all.u64(v),
            Arg::F32(v) => all.f32(v),
        });
        self.device.limit_cycles(self.cycles().saturating_add(self.launch_limit));
        let done = self.device.launch(function, &launch, &args);
        self.hangs |= matches!(&done, Err(DeviceError::Trap { trap, .. }) if is_hang(&trap.kind));
        done.map_err(|e| self.told(e))
    }

    fn sync(&mut self) -> Result<(), BoardError> {
        Ok(())
    }

    fn seconds(&self) -> f64 {
        self.cycles() as f64 / self.about.clock_hz
    }

    fn sensors(&mut self) -> Sensors {
        Sensors {
            at: self.seconds(),
            sm_clock: Some(self.about.clock_hz / 1e6),
            missing: ["temperature", "power", "ecc", "remapped"].map(String::from).to_vec(),
            ..Sensors::default()
        }
    }

    fn memory_place(&self, address: u64) -> Option<MemoryPlace> {
        let at = self.addresses.place(address);
        let (channels, slices) = self.memory;
        Some(MemoryPlace { channel: at.channel, slice: at.slice, channels, slices })
    }

    fn tpcs(&mut self) -> Tpcs {
        let per = self.per_tpc?.max(1);
        let groups = (0..self.about.sms.div_ceil(per))
            .map(|t| (t * per..((t + 1) * per).min(self.about.sms)).collect());
        Some(groups.collect())
    }

    fn fp32_pipes(&self) -> Option<u32> {
        Some(self.fp32_pipes)
    }

    fn global(&mut self, module: ModuleId, name: &str) -> Result<Buffer, BoardError> {
        let unknown = || BoardError::CannotRun(format!("module {} was never loaded", module.0));
        let module = *self.modules.get(module.0 as usize).ok_or_else(unknown)?;
        let (at, bytes) = self.device.variable(module, name).map_err(|e| self.told(e))?;
        Ok(Buffer { handle: at.0, bytes })
    }

    fn free_memory(&mut self) -> Result<u64, BoardError> {
        let (used, all) = self.device.memory_use();
        Ok(all.saturating_sub(used))
    }
}
