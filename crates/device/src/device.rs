//! The device.

use std::sync::Arc;

use upset_chip::{ChipSpec, KernelResources, Occupancy};
use upset_compute::{
    Attendant, Change, Kernel, LaunchCounters, Look, Machine, SharedLooker, SharedWitness, Sm,
    Standing, Trace,
};
use upset_emu::texture::Textures;
use upset_emu::{ConstBanks, Counts, Grid, Limits, Trap, TrapKind, Windows};
use upset_mem::Segment;
use upset_sass::Arch;
use upset_state::{Ghosts, Haunted, Quiet, Watch};

use crate::banks::Bank0;
use crate::checks::Checks;
use crate::journal::{Event, Pointer};
use crate::module::{LoadedModule, SymbolAt};
use crate::ranges::{LOCAL_BASE, LOCAL_ROOM, Ranges};
use crate::storage::{Haunting, Part, Storage};
use crate::syscalls::Syscalls;
use crate::{Args, DevPtr, DeviceError, Launch, LaunchSpan, Near, Outputs, Stats, Texture};

/// A loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleId(pub(crate) usize);

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionId {
    pub(crate) module: usize,
    pub(crate) kernel: usize,
}

/// How a device runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Instructions one after the other, without time.
    Functional,
    /// Cycle by cycle, over the chip's arrays.
    Timing,
}

impl Mode {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Functional => "functional",
            Mode::Timing => "timing",
        }
    }
}

/// Called now and then during a launch: kernel name and counts so far.
pub type Progress = Box<dyn FnMut(&str, &Counts) + Send>;

/// Decides at chosen cycles of a launch what is to be changed.
pub trait Pauses {
    /// The next cycle at which it wants to be asked; `u64::MAX` for never.
    fn next(&self) -> u64;
    /// That cycle has come: what is to be changed and when; what is due happens
    /// before anything else in it. [`Pauses::next`] must move on. Stuck bits
    /// need a watch that was there when the launch began.
    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)>;
}

/// A GPU as its host sees it.
pub struct Device {
    pub(crate) chip: ChipSpec,
    arch: Arch,
    pub(crate) storage: Storage,
    pub(crate) modules: Vec<LoadedModule>,
    pub(crate) textures: Textures,
    pub(crate) outputs: Outputs,
    /// What the host was told besides.
    pub(crate) told: Outputs,
    pub(crate) stats: Stats,
    limits: Limits,
    launches: u64,
    ranges: Ranges,
    cycle_limit: u64,
    /// Digest of what freed memory held, for that of the whole device.
    freed: Option<xxhash_rust::xxh3::Xxh3>,
    pub(crate) syscalls: Syscalls,
    progress: Option<Progress>,
    pauses: Option<Box<dyn Pauses + Send>>,
    checks: Option<Box<dyn Checks + Send>>,
    /// A launch ended in a trap.
    trapped: bool,
    spans: Vec<LaunchSpan>,
    journal: Option<Vec<Event>>,
    /// Start and length of each allocation ever made, for the journal.
    allocations: Vec<(u64, u64)>,
}

impl Device {
    /// A device that executes instructions without time.
    pub fn new(chip: &ChipSpec) -> Result<Device, DeviceError> {
        Device::with(chip, Storage::plain(chip))
    }

    /// A device whose kernels run cycle by cycle over the chip's arrays.
    pub fn timed(chip: &ChipSpec) -> Result<Device, DeviceError> {
        Device::with(chip, Storage::machine(chip))
    }

    /// A device in the given mode.
    pub fn in_mode(chip: &ChipSpec, mode: Mode) -> Result<Device, DeviceError> {
        match mode {
            Mode::Functional => Device::new(chip),
            Mode::Timing => Device::timed(chip),
        }
    }

    /// Whether a chip's code can be executed; an error says why not.
    pub fn supports(chip: &ChipSpec) -> Result<(), DeviceError> {
        arch_of(chip).map(|_| ())
    }

    fn with(chip: &ChipSpec, storage: Storage) -> Result<Device, DeviceError> {
        let arch = arch_of(chip)?;
        Ok(Device {
            storage,
            chip: chip.clone(),
            arch,
            modules: Vec::new(),
            textures: Textures::default(),
            outputs: Outputs::default(),
            told: Outputs::default(),
            stats: Stats::default(),
            limits: Limits::default(),
            launches: 0,
            ranges: Ranges::default(),
            cycle_limit: u64::MAX,
            freed: Some(xxhash_rust::xxh3::Xxh3::new()),
            syscalls: Syscalls::default(),
            progress: None,
            pauses: None,
            checks: None,
            trapped: false,
            spans: Vec::new(),
            journal: None,
            allocations: Vec::new(),
        })
    }

    /// The chip.
    pub fn chip(&self) -> &ChipSpec {
        &self.chip
    }

    /// The instruction set.
    pub(crate) fn arch(&self) -> Arch {
        self.arch
    }

    /// Compute capability as a number: 70, 75, 80, 90.
    pub fn arch_number(&self) -> u32 {
        self.chip.sm_number().unwrap_or(self.arch.number())
    }

    /// Installs a progress callback.
    pub fn on_progress(&mut self, f: Progress) {
        self.progress = Some(f);
    }

    /// Asks `pauses` at the cycles it names, in timing mode.
    pub fn on_pause(&mut self, pauses: Box<dyn Pauses + Send>) {
        self.pauses = Some(pauses);
    }

    /// Shows `checks` the state at the cycles it names, in timing mode and until
    /// a launch ends in a trap.
    pub fn on_check(&mut self, checks: Box<dyn Checks + Send>) {
        self.checks = Some(checks);
    }

    /// Every launch that came to its end, in order, in timing mode.
    pub fn launches(&self) -> &[LaunchSpan] {
        &self.spans
    }

    /// Keeps the bytes that are copied to the host from now on.
    pub fn keep_outputs(&mut self) {
        self.outputs.keep();
    }

    /// Gives up launches that run longer.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Starts recording host operations.
    pub fn start_journal(&mut self) {
        self.journal = Some(Vec::new());
    }

    /// The operations recorded so far.
    pub fn take_journal(&mut self) -> Vec<Event> {
        self.journal.take().unwrap_or_default()
    }

    /// What the host has copied back.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// What the kernels did.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    fn note(&mut self, event: impl FnOnce(&Device) -> Event) {
        if self.journal.is_some() {
            let e = event(self);
            if let Some(j) = &mut self.journal {
                j.push(e);
            }
        }
    }

    /// The newest allocation that holds `addr`.
    fn pointer(&self, addr: u64) -> Option<Pointer> {
        let i = self.allocations.iter().rposition(|&(s, n)| addr >= s && addr - s < n.max(1))?;
        Some(Pointer { allocation: i as u32, offset: addr - self.allocations[i].0 })
    }

    /// Start and length of the newest allocation that held an address, freed or not.
    pub(crate) fn last_allocation(&self, addr: u64) -> Option<(u64, u64)> {
        self.pointer(addr).map(|p| self.allocations[p.allocation as usize])
    }

    /// Start and length of each allocation ever made, in order.
    pub(crate) fn allocations(&self) -> &[(u64, u64)] {
        &self.allocations
    }

    fn pointer_or_null(&self, p: DevPtr) -> Pointer {
        self.pointer(p.0).unwrap_or(Pointer { allocation: u32::MAX, offset: p.0 })
    }

    /// Allocates device memory.
    pub fn malloc(&mut self, bytes: u64) -> Result<DevPtr, DeviceError> {
        let addr = self.storage.global_mut().allocate(bytes)?;
        self.allocated(addr, bytes);
        Ok(DevPtr(addr))
    }

    pub(crate) fn allocated(&mut self, addr: u64, bytes: u64) {
        self.allocations.push((addr, bytes));
        self.note(|_| Event::Malloc { bytes });
    }

    /// Frees device memory.
    pub fn free(&mut self, p: DevPtr) -> Result<(), DeviceError> {
        if let Some(freed) = &mut self.freed
            && let Some(&(addr, len)) = self.allocations.iter().rev().find(|(addr, _)| *addr == p.0)
        {
            hash_range(&mut self.storage, freed, addr, len);
        }
        Ok(self.storage.global_mut().free(p.0)?)
    }

    /// Copies to the device.
    pub fn upload(&mut self, to: DevPtr, bytes: &[u8]) -> Result<(), DeviceError> {
        match self.constant_at(to.0, bytes.len() as u64) {
            Some((module, bank, at)) => {
                self.modules[module].write_bank(bank, at, bytes, &mut self.storage)?;
            }
            None => self.storage.write(to.0, bytes)?,
        }
        self.note(|d| Event::Upload { to: d.pointer_or_null(to), bytes: bytes.to_vec() });
        Ok(())
    }

    /// Copies from the device. The bytes count as output of the run.
    pub fn download(&mut self, from: DevPtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.fetch(from, bytes)?;
        self.outputs.copied(bytes);
        self.note(|d| Event::Download { from: d.pointer_or_null(from), bytes: bytes.to_vec() });
        Ok(())
    }

    /// Sets bytes.
    pub fn memset(&mut self, to: DevPtr, value: u8, len: u64) -> Result<(), DeviceError> {
        self.storage.fill(to.0, value, len)?;
        self.note(|d| Event::Memset { to: d.pointer_or_null(to), value, len });
        Ok(())
    }

    /// Loads a cubin or fat binary.
    pub fn load_module(&mut self, image: &[u8]) -> Result<ModuleId, DeviceError> {
        let module = LoadedModule::load(
            image,
            &self.chip,
            self.arch,
            &mut self.storage,
            &mut self.ranges,
            &mut self.syscalls,
        )?;
        self.modules.push(module);
        self.note(|_| Event::Module { image: image.to_vec() });
        Ok(ModuleId(self.modules.len() - 1))
    }

    /// Finds a kernel by its (mangled) name.
    pub fn function(&self, module: ModuleId, name: &str) -> Result<FunctionId, DeviceError> {
        let kernels = &self.modules[module.0].kernels;
        match kernels.iter().position(|k| k.name == name) {
            Some(kernel) => Ok(FunctionId { module: module.0, kernel }),
            None => Err(DeviceError::NoKernel {
                name: name.to_string(),
                available: kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// Writes a `__device__` or `__constant__` variable.
    pub fn upload_symbol(
        &mut self,
        module: ModuleId,
        name: &str,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let at = self.modules[module.0].symbol(name, offset, bytes.len() as u64)?;
        match at {
            SymbolAt::Global(addr) => {
                self.storage.write(addr, bytes)?;
            }
            SymbolAt::Bank(bank, at) => {
                self.modules[module.0].write_bank(bank, at, bytes, &mut self.storage)?;
            }
        }
        self.note(|_| Event::UploadSymbol {
            name: name.to_string(),
            offset,
            bytes: bytes.to_vec(),
        });
        Ok(())
    }

    /// Reads a `__device__` or `__constant__` variable. The bytes count as output.
    pub fn download_symbol(
        &mut self,
        module: ModuleId,
        name: &str,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        match self.modules[module.0].symbol(name, offset, bytes.len() as u64)? {
            SymbolAt::Global(addr) => {
                self.storage.read(addr, bytes)?;
            }
            SymbolAt::Bank(bank, at) => {
                self.modules[module.0].read_bank(bank, at, bytes, &mut self.storage)?;
            }
        }
        self.outputs.copied(bytes);
        Ok(())
    }

    /// Binds a texture reference.
    pub fn bind_texture(
        &mut self,
        module: ModuleId,
        name: &str,
        texture: Texture,
    ) -> Result<(), DeviceError> {
        let (addr, bytes) = (texture.addr, texture.pitch);
        let handle = self.textures.add(texture);
        self.modules[module.0].bind(name, handle, &mut self.storage)?;
        self.note(|d| Event::BindTexture {
            name: name.to_string(),
            at: d.pointer_or_null(DevPtr(addr)),
            bytes,
        });
        Ok(())
    }

    /// Makes a texture object; its handle is passed to kernels as a 64-bit argument.
    pub fn texture_object(&mut self, texture: Texture) -> u64 {
        u64::from(self.textures.add(texture))
    }

    /// Runs a kernel to its end.
    pub fn launch(
        &mut self,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), DeviceError> {
        let module = &mut self.modules[function.module];
        let kernel = &module.kernels[function.kernel];
        let name = kernel.name.clone();
        let bad = |why: String| DeviceError::Launch { kernel: name.clone(), why };

        let threads = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let ctas = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        if threads == 0 || ctas == 0 {
            return Err(bad("grid and block must not be empty".into()));
        }
        if threads > u64::from(self.chip.sm.threads_per_cta) {
            let most = self.chip.sm.threads_per_cta;
            return Err(bad(format!("{threads} threads per block, the chip allows {most}")));
        }
        let window = u64::from(kernel.shared_bytes) + u64::from(launch.shared_bytes);
        let shared = window - u64::from(kernel.shared_reserved);
        if shared > u64::from(self.chip.shared.per_cta) {
            let most = self.chip.shared.per_cta;
            return Err(bad(format!("{shared} bytes of shared memory, the chip allows {most}")));
        }
        let occupancy = self.chip.occupancy(KernelResources {
            threads: threads as u32,
            registers: kernel.registers,
            shared_bytes: shared as u32,
            barriers: kernel.barriers,
        });
        if occupancy.ctas_per_sm == 0 {
            return Err(bad(format!("one block does not fit an SM ({})", occupancy.limit)));
        }
        let resident = u64::from(occupancy.ctas_per_sm) * u64::from(self.chip.sm.count);
        if launch.cooperative && ctas > resident {
            return Err(DeviceError::NotResident { kernel: name, ctas, resident });
        }
        let params = kernel.params.lay_out(args).map_err(bad)?;
        let workspace = match launch.cooperative {
            true => Some(self.syscalls.workspace(&mut self.storage)?),
            false => None,
        };

        self.syscalls.prepare(&mut self.storage)?;
        let driver = &self.chip.driver;
        let windows = Windows { shared: driver.shared_window, local: driver.local_window };
        let local_bytes = kernel.local_bytes(self.syscalls.stack_bytes());
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
        let job = Job {
            name: &name,
            launch,
            window: window as u32,
            shared: shared as u32,
            local_bytes,
            windows,
            bank0,
            occupancy: &occupancy,
        };
        let ran = match self.storage {
            Storage::Plain(_) => self.run_functional(function, job),
            Storage::Machine { .. } => self.run_timed(function, job),
        };
        let asserted = self.drain()?;
        self.trapped |= ran.is_err();
        let (counts, timing) = ran.map_err(|trap| match trap.kind {
            TrapKind::TrapInstruction if asserted => {
                DeviceError::Assert { kernel: name.clone(), trap }
            }
            _ => {
                let near = Near::of(&trap.kind, self.allocations(), self.storage.global());
                DeviceError::Trap { kernel: name.clone(), trap, near }
            }
        })?;

        let registers = self.modules[function.module].kernels[function.kernel].registers;
        self.launches += 1;
        let s = self.stats.of(&name);
        s.launches += 1;
        s.ctas += counts.ctas;
        s.warp_insts += counts.warp_insts;
        s.thread_insts += counts.thread_insts;
        s.registers = registers;
        s.shared_bytes = s.shared_bytes.max(shared as u32);
        s.local_bytes = local_bytes;
        s.last = (launch.grid, launch.block);
        if let Some(t) = timing {
            self.spans.push(LaunchSpan {
                kernel: name.clone(),
                start: t.start,
                end: t.start + t.cycles,
            });
            *s.timing.get_or_insert_default() += &t;
        }
        let launch = *launch;
        self.note(|d| Event::Launch {
            kernel: name.clone(),
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
        Ok(())
    }

    fn run_functional(&mut self, function: FunctionId, job: Job<'_>) -> Ran {
        let module = &mut self.modules[function.module];
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
            shared_bytes: job.window,
            local_bytes: job.local_bytes,
            banks: &banks,
            textures: &self.textures,
            windows: job.windows,
            resident: job.occupancy.ctas_per_sm.saturating_mul(self.chip.sm.count),
            cooperative: job.launch.cooperative,
        };
        let progress = &mut self.progress;
        let mut tell = |c: &Counts| {
            if let Some(f) = progress {
                f(job.name, c);
            }
        };
        upset_emu::run(&grid, memory, self.limits, &mut tell).map(|c| (c, None))
    }

    fn run_timed(&mut self, function: FunctionId, job: Job<'_>) -> Ran {
        let module = &mut self.modules[function.module];
        let Storage::Machine { machine, .. } = &self.storage else { return Ok(Default::default()) };
        let code = module.prepare_code(function.kernel, machine.config());
        let kernel = &module.kernels[function.kernel];
        let banks = module.banks_in_memory(function.kernel);
        let bank0 = banks.first().copied().unwrap_or_default();
        let granule = self.chip.shared.granule.max(1);
        let launch = Kernel {
            name: job.name.to_string(),
            code,
            entry: kernel.entry,
            grid: job.launch.grid,
            block: job.launch.block,
            registers: kernel.registers,
            shared_bytes: job.window,
            shared_taken: (job.shared + self.chip.shared.reserved_per_cta)
                .next_multiple_of(granule),
            local_bytes: job.local_bytes,
            local_base: LOCAL_BASE,
            banks,
            textures: Arc::new(self.textures.clone()),
            windows: job.windows,
        };
        let slots = u64::from(self.chip.sm.count) * u64::from(self.chip.sm.warps);
        if launch.local_bytes > 0 {
            self.storage.map(Segment::Local, LOCAL_BASE, slots * launch.local_per_warp());
        }
        // The range was mapped when the module was loaded.
        let _ = self.storage.write(bank0.addr, &job.bank0);
        let Storage::Machine { machine, watch, haunt } = &mut self.storage else {
            return Ok(Default::default());
        };
        let mut checks = self.checks.as_deref_mut().filter(|_| !self.trapped);
        if let Some(checks) = &mut checks {
            checks.begin(self.launches, machine.cycle(), launch.code.sees_time());
        }
        let heard = heard(&self.outputs, &self.told, &self.syscalls);
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

    /// The chip's arrays, in timing mode.
    pub fn machine(&self) -> Option<&Machine> {
        match &self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { machine, .. } => Some(machine),
        }
    }

    /// The chip's arrays, to be read and changed, in timing mode.
    pub fn machine_mut(&mut self) -> Option<&mut Machine> {
        match &mut self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { machine, .. } => Some(machine),
        }
    }

    /// Tells `watch` of every access to the chip's arrays from now on; stuck
    /// bits need one as well.
    pub fn watch(&mut self, with: Watch) {
        if let Storage::Machine { watch, .. } = &mut self.storage {
            *watch = Some(Box::new(with));
        }
    }

    /// Tells `witness` of every launch and instruction while the arrays are watched.
    pub fn witness(&mut self, witness: SharedWitness) {
        if let Some(machine) = self.machine_mut() {
            machine.witness(witness);
        }
    }

    /// Tells `looker` what bits belong to at their cycles, in timing mode.
    pub fn look(&mut self, looks: Vec<Look>, looker: SharedLooker) {
        if let Some(machine) = self.machine_mut() {
            machine.look(looks, looker);
        }
    }

    /// Follows ghosts from now on, while nobody watches; `part` is asked when
    /// one must leave.
    pub fn haunt(&mut self, ghosts: Ghosts, part: Part) {
        if let Storage::Machine { haunt, .. } = &mut self.storage {
            *haunt = Some(Box::new(Haunting { probe: Haunted { ghosts }, part }));
        }
    }

    /// The ghosts that are followed.
    pub fn ghosts(&self) -> Option<&Ghosts> {
        match &self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { haunt, .. } => haunt.as_ref().map(|h| &h.probe.ghosts),
        }
    }

    /// Stops watching.
    pub fn unwatch(&mut self) -> Option<Watch> {
        match &mut self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { watch, .. } => watch.take().map(|w| *w),
        }
    }

    /// Plans a change of bits at a cycle. Stuck bits get a watch if there is none.
    pub fn plan(&mut self, cycle: u64, change: Change) {
        if let Storage::Machine { machine, watch, .. } = &mut self.storage {
            if !matches!(change, Change::Flip(_)) && watch.is_none() {
                *watch = Some(Box::default());
            }
            machine.plan(cycle, change);
        }
    }

    /// Cycles so far, in timing mode.
    pub fn cycles(&self) -> Option<u64> {
        self.machine().map(Machine::cycle)
    }

    /// Gives up a launch that reaches this cycle.
    pub fn limit_cycles(&mut self, cycle: u64) {
        self.cycle_limit = cycle;
    }

    /// Starts recording what runs where, in timing mode.
    pub fn start_trace(&mut self) {
        if let Some(m) = self.machine_mut() {
            m.start_trace();
        }
    }

    /// What was recorded.
    pub fn trace(&self) -> Option<&Trace> {
        self.machine().and_then(Machine::trace)
    }

    /// Nobody will ask for [`Device::digest`]: what is freed need not be read.
    pub fn forgo_digest(&mut self) {
        self.freed = None;
    }

    /// Digest of everything a run may depend on: memory as the host sees it
    /// (freed memory as it was when it was freed), what was written to the
    /// driver's own memory, cycles, statistics, outputs.
    /// Equal runs have equal digests.
    pub fn digest(&mut self) -> String {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        hash.update(format!("{:?}", self.stats).as_bytes());
        hash.update(self.outputs.digest().as_bytes());
        let freed = self.freed.as_ref().map_or(0, |f| f.digest128());
        hash.update(&freed.to_le_bytes());
        hash.update(&self.cycles().unwrap_or(0).to_le_bytes());
        for range in self.storage.global_mut().mapped_ranges() {
            hash_range(&mut self.storage, &mut hash, range.0, range.1);
        }
        for (line, bytes) in self.storage.written_outside() {
            hash.update(&line.to_le_bytes());
            hash.update(&bytes);
        }
        format!("{:032x}", hash.digest128())
    }
}

/// Stands by while the machine runs a kernel.
struct Attending<'a> {
    kernel: &'a str,
    progress: &'a mut Option<Progress>,
    pauses: &'a mut Option<Box<dyn Pauses + Send>>,
    part: Option<&'a mut Part>,
    checks: Option<&'a mut (dyn Checks + Send + 'static)>,
    heard: u128,
}

/// Digest of what the host has got: copies, what it was told on its way, and
/// what device code had to say.
fn heard(outputs: &Outputs, told: &Outputs, syscalls: &Syscalls) -> u128 {
    outputs.digest128() ^ told.digest128().rotate_left(43) ^ syscalls.said().rotate_left(1)
}

impl Attendant<Sm> for Attending<'_> {
    fn progress(&mut self, _: u64, warp_insts: u64) {
        if let Some(tell) = self.progress {
            tell(self.kernel, &Counts { warp_insts, ..Counts::default() });
        }
    }

    fn next_pause(&self) -> u64 {
        self.pauses.as_ref().map_or(u64::MAX, |p| p.next())
    }

    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        self.pauses.as_mut().map(|p| p.pause(cycle)).unwrap_or_default()
    }

    fn next_check(&self) -> u64 {
        self.checks.as_ref().map_or(u64::MAX, |c| c.next())
    }

    fn check(&mut self, standing: &Standing<'_>) {
        if let Some(checks) = &mut self.checks {
            checks.check(standing, self.heard);
        }
    }

    fn part(&mut self, ghost: u32, cycle: u64) -> bool {
        self.part.as_mut().is_some_and(|part| part(ghost, cycle))
    }
}

/// The instruction set of a chip.
fn arch_of(chip: &ChipSpec) -> Result<Arch, DeviceError> {
    let unsupported = |why| DeviceError::UnsupportedArch {
        chip: chip.chip.name.clone(),
        arch: chip.chip.arch.clone(),
        why,
    };
    let number = chip.sm_number().ok_or_else(|| unsupported(""))?;
    Arch::from_number(number).ok_or_else(|| {
        unsupported(if number < 70 {
            ": it needs PTX support, which is not there yet; use an sm_70 or newer chip"
        } else {
            "; supported are sm_70, sm_75, sm_80 and sm_90"
        })
    })
}

/// Takes a range of memory into a hash, a piece at a time.
fn hash_range(storage: &mut Storage, hash: &mut xxhash_rust::xxh3::Xxh3, addr: u64, len: u64) {
    const PIECE: u64 = 1 << 20;
    let mut bytes = vec![0; PIECE.min(len) as usize];
    let mut done = 0;
    while done < len {
        let piece = &mut bytes[..PIECE.min(len - done) as usize];
        if storage.peek(addr + done, piece).is_err() {
            return;
        }
        hash.update(piece);
        done += piece.len() as u64;
    }
}

/// What both engines need of a launch.
struct Job<'a> {
    name: &'a str,
    launch: &'a Launch,
    /// Shared bytes a CTA can address.
    window: u32,
    /// Shared bytes asked for.
    shared: u32,
    local_bytes: u32,
    windows: Windows,
    bank0: Vec<u8>,
    occupancy: &'a Occupancy,
}

type Ran = Result<(Counts, Option<LaunchCounters>), Trap>;
