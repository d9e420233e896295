//! The device.

use upset_chip::{ChipSpec, KernelResources};
use upset_emu::texture::Textures;
use upset_emu::{ConstBanks, Counts, GlobalMemory, Grid, Limits, Windows};
use upset_sass::Arch;

use crate::banks::Bank0;
use crate::journal::{Event, Pointer};
use crate::module::{LoadedModule, SymbolAt};
use crate::{Args, DeviceError, Outputs, Stats, Texture};

/// Generic addresses of shared and local memory. Far above global memory, so
/// that no pointer to it is taken for one of these.
const SHARED_WINDOW: u64 = 0x7f00_0000_0000;
const LOCAL_WINDOW: u64 = 0x7f00_0100_0000;
/// Local bytes per thread for calls whose depth the compiler does not know,
/// as the CUDA runtime's default stack limit.
const DEFAULT_STACK: u32 = 1024;

/// A device address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DevPtr(pub u64);

impl DevPtr {
    /// The address `bytes` further on.
    pub fn offset(self, bytes: u64) -> DevPtr {
        DevPtr(self.0.wrapping_add(bytes))
    }
}

/// A loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleId(usize);

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionId {
    module: usize,
    kernel: usize,
}

/// Geometry of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// CTAs in x, y, z.
    pub grid: [u32; 3],
    /// Threads per CTA in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per CTA.
    pub shared_bytes: u32,
}

/// Called now and then during a launch: kernel name and counts so far.
pub type Progress = Box<dyn FnMut(&str, &Counts)>;

/// A GPU as its host sees it.
pub struct Device {
    chip: ChipSpec,
    arch: Arch,
    memory: GlobalMemory,
    modules: Vec<LoadedModule>,
    textures: Textures,
    outputs: Outputs,
    stats: Stats,
    limits: Limits,
    launches: u64,
    progress: Option<Progress>,
    journal: Option<Vec<Event>>,
    /// Start and length of each allocation ever made, for the journal.
    allocations: Vec<(u64, u64)>,
}

impl Device {
    /// A device of the given chip.
    pub fn new(chip: &ChipSpec) -> Result<Device, DeviceError> {
        let unsupported = |why| DeviceError::UnsupportedArch {
            chip: chip.chip.name.clone(),
            arch: chip.chip.arch.clone(),
            why,
        };
        let number = chip.sm_number().ok_or_else(|| unsupported(""))?;
        let arch = Arch::from_number(number).ok_or_else(|| {
            unsupported(if number < 70 {
                ": it needs PTX support, which is not there yet; use an sm_70 or newer chip"
            } else {
                "; supported are sm_70, sm_75, sm_80 and sm_90"
            })
        })?;
        Ok(Device {
            memory: GlobalMemory::new(chip.memory.bytes),
            chip: chip.clone(),
            arch,
            modules: Vec::new(),
            textures: Textures::default(),
            outputs: Outputs::default(),
            stats: Stats::default(),
            limits: Limits::default(),
            launches: 0,
            progress: None,
            journal: None,
            allocations: Vec::new(),
        })
    }

    /// The chip.
    pub fn chip(&self) -> &ChipSpec {
        &self.chip
    }

    /// Compute capability as a number: 70, 75, 80, 90.
    pub fn arch_number(&self) -> u32 {
        self.chip.sm_number().unwrap_or(self.arch.number())
    }

    /// Installs a progress callback.
    pub fn on_progress(&mut self, f: Progress) {
        self.progress = Some(f);
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

    fn pointer_or_null(&self, p: DevPtr) -> Pointer {
        self.pointer(p.0).unwrap_or(Pointer { allocation: u32::MAX, offset: p.0 })
    }

    /// Allocates device memory.
    pub fn malloc(&mut self, bytes: u64) -> Result<DevPtr, DeviceError> {
        let addr = self.memory.allocate(bytes)?;
        self.allocations.push((addr, bytes));
        self.note(|_| Event::Malloc { bytes });
        Ok(DevPtr(addr))
    }

    /// Frees device memory.
    pub fn free(&mut self, p: DevPtr) -> Result<(), DeviceError> {
        Ok(self.memory.free(p.0)?)
    }

    /// Copies to the device.
    pub fn upload(&mut self, to: DevPtr, bytes: &[u8]) -> Result<(), DeviceError> {
        self.memory.bytes_mut(to.0, bytes.len() as u64)?.copy_from_slice(bytes);
        self.note(|d| Event::Upload { to: d.pointer_or_null(to), bytes: bytes.to_vec() });
        Ok(())
    }

    /// Copies from the device. The bytes count as output of the run.
    pub fn download(&mut self, from: DevPtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        bytes.copy_from_slice(self.memory.bytes(from.0, bytes.len() as u64)?);
        self.outputs.copied(bytes);
        self.note(|d| Event::Download { from: d.pointer_or_null(from), bytes: bytes.to_vec() });
        Ok(())
    }

    /// Sets bytes.
    pub fn memset(&mut self, to: DevPtr, value: u8, len: u64) -> Result<(), DeviceError> {
        self.memory.bytes_mut(to.0, len)?.fill(value);
        self.note(|d| Event::Memset { to: d.pointer_or_null(to), value, len });
        Ok(())
    }

    /// Loads a cubin or fat binary.
    pub fn load_module(&mut self, image: &[u8]) -> Result<ModuleId, DeviceError> {
        let module = LoadedModule::load(image, &self.chip, self.arch, &mut self.memory)?;
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
                self.memory.bytes_mut(addr, bytes.len() as u64)?.copy_from_slice(bytes);
            }
            SymbolAt::Bank(bank, at) => self.modules[module.0].bank_mut(bank)
                [at as usize..at as usize + bytes.len()]
                .copy_from_slice(bytes),
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
                bytes.copy_from_slice(self.memory.bytes(addr, bytes.len() as u64)?);
            }
            SymbolAt::Bank(bank, at) => bytes.copy_from_slice(
                &self.modules[module.0].bank_mut(bank)[at as usize..at as usize + bytes.len()],
            ),
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
        self.modules[module.0].bind(name, handle)?;
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
        let params = kernel.params.lay_out(args).map_err(bad)?;

        let windows = Windows { shared: SHARED_WINDOW, local: LOCAL_WINDOW };
        let local_bytes = kernel.local_bytes(DEFAULT_STACK);
        let mut bank0 = kernel.bank0.clone();
        Bank0 {
            block: launch.block,
            grid: launch.grid,
            windows,
            stack: local_bytes,
            dynamic_shared: launch.shared_bytes,
            grid_id: self.launches,
            sms: self.chip.sm.count,
            params: (kernel.params.base, &params),
        }
        .write(&mut bank0);
        let mut banks: ConstBanks = module.banks(function.kernel);
        banks.set(0, bank0);
        module.prepare(function.kernel);
        let kernel = &module.kernels[function.kernel];
        let Some(program) = &kernel.program else { unreachable!("prepared above") };

        let grid = Grid {
            program,
            entry: kernel.entry,
            grid: launch.grid,
            block: launch.block,
            registers: kernel.registers,
            shared_bytes: window as u32,
            local_bytes,
            banks: &banks,
            textures: &self.textures,
            windows,
            resident: occupancy.ctas_per_sm.saturating_mul(self.chip.sm.count),
        };
        let progress = &mut self.progress;
        let mut tell = |c: &Counts| {
            if let Some(f) = progress {
                f(&name, c);
            }
        };
        let counts = upset_emu::run(&grid, &mut self.memory, self.limits, &mut tell)
            .map_err(|trap| DeviceError::Trap { kernel: name.clone(), trap })?;

        self.launches += 1;
        let registers = kernel.registers;
        let s = self.stats.of(&name);
        s.launches += 1;
        s.ctas += counts.ctas;
        s.warp_insts += counts.warp_insts;
        s.thread_insts += counts.thread_insts;
        s.registers = registers;
        s.shared_bytes = s.shared_bytes.max(shared as u32);
        s.local_bytes = local_bytes;
        s.last = (launch.grid, launch.block);
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
}
