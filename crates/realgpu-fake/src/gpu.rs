//! The GPU behind the fake driver: a small chip on the model, and what was done
//! with it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use upset_chip::ChipSpec;
use upset_device::{Args, DevPtr, Device, DeviceError, FunctionId, Launch};
use upset_fault::Experiment;
use upset_sass::container::cubin;
use upset_state::Registry;

use crate::behaviour::Behaviour;
use crate::scenario::chosen;

/// SMs of the chip: two, so that one can be told from the other.
pub const SMS: u32 = 2;
/// What it runs.
pub const ARCH: &str = "sm_75";
/// The chip it is a variant of.
const CHIP: &str = "rtx2060";

/// `CUDA_ERROR_LAUNCH_FAILED`.
const LAUNCH_FAILED: i32 = 719;
/// `CUDA_ERROR_INVALID_VALUE`.
const INVALID_VALUE: i32 = 1;

/// Everything there is.
pub struct Gpu {
    /// What goes wrong.
    pub behaviour: Behaviour,
    /// The chip.
    pub device: Device,
    /// Launches so far.
    pub launches: u32,
    /// Allocations so far.
    pub allocations: u32,
    /// Copies to the host so far.
    pub copies: u32,
    /// What the next question about the stream is answered.
    pub pending: i32,
    /// It never ends.
    pub hung: bool,
    /// Kernels by handle: the function and the sizes of its parameters.
    functions: BTreeMap<usize, (FunctionId, Vec<usize>)>,
    /// Parameters' sizes by module and kernel.
    modules: BTreeMap<usize, (upset_device::ModuleId, BTreeMap<String, Vec<usize>>)>,
    /// Xids that were not asked for yet.
    pub xids: Vec<u64>,
    /// SMs that launches may use, by green context; here only their number.
    pub handles: usize,
}

static GPU: Mutex<Option<Gpu>> = Mutex::new(None);

/// The GPU, made when it is first asked for.
pub fn with<R>(work: impl FnOnce(&mut Gpu) -> R) -> R {
    let mut held: MutexGuard<'_, Option<Gpu>> = GPU.lock().unwrap_or_else(PoisonError::into_inner);
    work(held.get_or_insert_with(Gpu::new))
}

impl Gpu {
    fn new() -> Gpu {
        let behaviour = chosen();
        let chip = ChipSpec::load(CHIP, &[format!("sm.count={SMS}")]).expect("a preset");
        let mut device = Device::timed(&chip).expect("the model runs it");
        if let Some(name) = behaviour.broken {
            let registry = Registry::of(device.machine_mut().expect("timed"));
            let experiment = Experiment::parse(name, &registry).expect("a name of the table");
            for (cycle, change) in experiment.changes() {
                device.plan(cycle, change);
            }
        }
        Gpu {
            behaviour,
            device,
            launches: 0,
            allocations: 0,
            copies: 0,
            pending: 0,
            hung: false,
            functions: BTreeMap::new(),
            modules: BTreeMap::new(),
            xids: Vec::new(),
            handles: 0x1000,
        }
    }

    /// A handle that was not given before.
    pub fn handle(&mut self) -> usize {
        self.handles += 16;
        self.handles
    }

    /// Loads machine code.
    pub fn load(&mut self, image: &[u8]) -> Result<usize, i32> {
        let parsed = cubin::parse(image).map_err(|_| 200)?;
        let sizes = parsed
            .kernels
            .iter()
            .map(|k| {
                (k.name.clone(), k.params.list.iter().map(|p| p.size as usize).collect::<Vec<_>>())
            })
            .collect();
        let module = self.device.load_module(image).map_err(|_| 209)?;
        let handle = self.handle();
        self.modules.insert(handle, (module, sizes));
        Ok(handle)
    }

    /// Finds a kernel.
    pub fn function(&mut self, module: usize, name: &str) -> Result<usize, i32> {
        let (module, sizes) = self.modules.get(&module).ok_or(400)?;
        let sizes = sizes.get(name).ok_or(500)?.clone();
        let function = self.device.function(*module, name).map_err(|_| 500)?;
        let handle = self.handle();
        self.functions.insert(handle, (function, sizes));
        Ok(handle)
    }

    /// Sizes of a kernel's parameters.
    pub fn parameters(&self, function: usize) -> Option<Vec<usize>> {
        self.functions.get(&function).map(|(_, sizes)| sizes.clone())
    }

    /// Runs a kernel; what it ends with is told when the stream is asked.
    pub fn launch(&mut self, function: usize, launch: &Launch, args: &[Vec<u8>]) -> i32 {
        self.launches += 1;
        let now = self.launches;
        let at = |when: Option<(u32, i32)>| when.filter(|(n, _)| *n == now).map(|(_, v)| v);
        if let Some(signal) = at(self.behaviour.signal) {
            // SAFETY: raising a signal in one's own process has no demands.
            unsafe { libc::raise(signal) };
        }
        if let Some((_, xid)) = self.behaviour.nvml.xid.filter(|(n, _)| *n == now) {
            self.xids.push(xid);
        }
        if let Some(status) = at(self.behaviour.launch) {
            return status;
        }
        if self.behaviour.hangs == Some(now) {
            self.hung = true;
            return 0;
        }
        let Some((function, _)) = self.functions.get(&function) else { return 400 };
        let args = args.iter().fold(Args::new(), |all, bytes| all.aligned(bytes));
        match self.device.launch(*function, launch, &args) {
            Ok(()) => self.pending = at(self.behaviour.ends_with).unwrap_or(0),
            Err(DeviceError::Trap { .. } | DeviceError::Assert { .. }) => {
                self.pending = LAUNCH_FAILED;
            }
            Err(_) => return INVALID_VALUE,
        }
        0
    }

    /// Copies out of the chip.
    pub fn read(&mut self, from: u64, bytes: &mut [u8]) -> i32 {
        self.copies += 1;
        let now = self.copies;
        if let Some((_, status)) = self.behaviour.copy_fails.filter(|(n, _)| *n == now) {
            return status;
        }
        if self.device.read(DevPtr(from), bytes).is_err() {
            return INVALID_VALUE;
        }
        let changed = self.behaviour.copy.filter(|(n, _, _)| *n == now);
        if let Some((_, at, bits)) = changed
            && let Some(byte) = bytes.get_mut(at)
        {
            *byte ^= bits;
        }
        0
    }

    /// Whether something that begins with a launch has begun.
    pub fn since(&self, launch: Option<u32>) -> bool {
        launch.is_some_and(|n| self.launches >= n)
    }
}
