//! What a host may ask of a device besides running kernels: kernels' needs,
//! variables' addresses, copies that stay on the device.

use upset_chip::{KernelResources, Occupancy};

use crate::{DevPtr, Device, DeviceError, FunctionId, InUse, ModuleId, Outputs, Stats};

/// Bytes copied at a time within the device.
const CHUNK: usize = 1 << 20;

/// What a kernel needs.
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

/// What a device did, without the device.
#[derive(Clone)]
pub struct History {
    stats: Stats,
    outputs: Outputs,
}

impl History {
    /// Digest of the bytes copied to the host.
    pub fn output_digest(&self) -> String {
        self.outputs.digest()
    }
}

impl Device {
    /// Ends a device; what it did stays.
    pub fn into_history(self) -> History {
        History { stats: self.stats, outputs: self.outputs }
    }

    /// Counts on from what another device did before.
    pub fn continue_from(&mut self, history: History) {
        self.stats = history.stats;
        self.outputs = history.outputs;
    }

    /// How much of the arrays was in use since the trace was started.
    pub fn in_use(&self) -> InUse {
        self.machine().map(|m| m.in_use()).unwrap_or_default()
    }

    /// What a kernel needs.
    pub fn kernel(&self, function: FunctionId) -> KernelInfo {
        let module = &self.modules[function.module];
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

    /// Address and size of a `__device__` or `__constant__` variable.
    pub fn variable(&self, module: ModuleId, name: &str) -> Result<(DevPtr, u64), DeviceError> {
        self.modules[module.0].variable(name).map(|(addr, size)| (DevPtr(addr), size))
    }

    /// File and line of the instruction at a byte offset of a function, if the
    /// code came with a line table.
    pub fn source_line(&self, function: &str, offset: u64) -> Option<(&str, u32)> {
        self.modules.iter().find_map(|m| m.source_line(function, offset))
    }

    /// Whether any code came with a line table.
    pub fn has_source_lines(&self) -> bool {
        self.modules.iter().any(|m| m.has_lines())
    }

    /// Names of a module's kernels.
    pub fn kernel_names(&self, module: ModuleId) -> impl Iterator<Item = &str> {
        self.modules[module.0].kernels.iter().map(|k| k.name.as_str())
    }

    /// Allocates device memory at a multiple of `align` (a power of two).
    pub fn malloc_aligned(&mut self, bytes: u64, align: u64) -> Result<DevPtr, DeviceError> {
        let addr = self.storage.global_mut().allocate_aligned(bytes, align)?;
        self.allocated(addr, bytes);
        Ok(DevPtr(addr))
    }

    /// Whether an address is the device's: global or constant memory.
    pub fn owns_address(&self, p: DevPtr) -> bool {
        self.storage.global().owns(p.0) || self.constant_at(p.0, 0).is_some()
    }

    /// The host was told something that can depend on what kernels did, and that
    /// is no output: where bytes went, a time.
    pub fn tell_host(&mut self, what: &[u8]) {
        self.told.copied(what);
    }

    /// Takes bytes that the host can see as output of the run.
    pub fn count_as_output(&mut self, bytes: &[u8]) {
        self.outputs.copied(bytes);
    }

    /// Copies from the device without counting the bytes as output: the host
    /// asked for them on the program's way, not as its result.
    pub fn read(&mut self, from: DevPtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.fetch(from, bytes)?;
        self.told.copied(bytes);
        Ok(())
    }

    /// Reads bytes for whoever says then what they are to the host.
    pub(crate) fn fetch(&mut self, from: DevPtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        match self.constant_at(from.0, bytes.len() as u64) {
            Some((module, bank, at)) => {
                self.modules[module].read_bank(bank, at, bytes, &mut self.storage)
            }
            None => self.storage.read(from.0, bytes),
        }
    }

    /// Copies within the device. The ranges may overlap.
    pub fn copy(&mut self, to: DevPtr, from: DevPtr, len: u64) -> Result<(), DeviceError> {
        let overlap = to.0 < from.0.saturating_add(len) && from.0 < to.0.saturating_add(len);
        let mut buffer = vec![0; if overlap { len as usize } else { CHUNK.min(len as usize) }];
        let mut done = 0;
        while done < len {
            let n = buffer.len().min((len - done) as usize);
            self.fetch(from.offset(done), &mut buffer[..n])?;
            self.upload(to.offset(done), &buffer[..n])?;
            done += n as u64;
        }
        Ok(())
    }

    /// Live bytes and all bytes of device memory.
    pub fn memory_use(&mut self) -> (u64, u64) {
        (self.storage.global_mut().used(), self.chip.memory.bytes)
    }

    /// Start and length of the live allocation that holds `addr`.
    pub fn allocation(&mut self, addr: DevPtr) -> Option<(DevPtr, u64)> {
        self.storage.global_mut().allocation(addr.0).map(|(start, len)| (DevPtr(start), len))
    }

    /// The module, bank and offset that an address in constant memory names.
    pub(crate) fn constant_at(&self, addr: u64, len: u64) -> Option<(usize, u8, u64)> {
        use crate::ranges::{CODE_BASE, CONSTANT_BASE};
        if !(CONSTANT_BASE..CODE_BASE).contains(&addr) {
            return None;
        }
        let find = |(i, m): (usize, &crate::module::LoadedModule)| {
            m.bank_at(addr, len).map(|(bank, offset)| (i, bank, offset))
        };
        self.modules.iter().enumerate().find_map(find)
    }
}
