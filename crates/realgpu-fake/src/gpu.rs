//! The GPU behind the fake driver: a small chip on the model, and what was done
//! with it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use upset_chip::ChipSpec;
use upset_device::{Args, DevPtr, Device, DeviceError, FunctionId, Launch};
use upset_fault::Experiment;
use upset_sass::container::cubin;
use upset_state::Registry;

use crate::behaviour::{Behaviour, Moves};
use crate::scenario::chosen;

/// SMs of the chip: two, so that one can be told from the other, unless
/// [`SMS_VARIABLE`] says how many.
pub const SMS: u32 = 2;
/// How many SMs there are.
pub const SMS_VARIABLE: &str = "UPSET_FAKE_SMS";
/// Bits that are broken besides those of the scenario, as `upset inject` names
/// them.
pub const FAULT_VARIABLE: &str = "UPSET_FAKE_FAULT";
/// Traps are told on standard error when it is set.
const TRAPS: &str = "UPSET_FAKE_TRAPS";
/// The primary context.
pub const PRIMARY: usize = 0x10;
/// What it runs.
pub const ARCH: &str = "sm_75";
/// The chip it is a variant of.
const CHIP: &str = "rtx2060";

/// `CUDA_ERROR_LAUNCH_FAILED`.
const LAUNCH_FAILED: i32 = 719;
/// `CUDA_ERROR_INVALID_VALUE`.
const INVALID_VALUE: i32 = 1;
/// `CUDA_ERROR_NOT_READY`.
const NOT_READY: i32 = 600;
/// Dynamic shared memory that needs no leave.
const FREELY_SHARED: u32 = 48 << 10;
/// Bytes of a lane's record in the arithmetic tests, and where in it the SM
/// after the work is.
const RECORD: usize = 128;
const SM_AFTER: usize = 8;

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
    /// What every call in this context is answered since a kernel failed.
    pub failed: i32,
    /// Dynamic shared memory that kernels were allowed, by handle.
    allowed: BTreeMap<usize, u32>,
    /// Kernels by handle: the function and the sizes of its parameters.
    functions: BTreeMap<usize, (FunctionId, Vec<usize>)>,
    /// Parameters' sizes by module and kernel.
    modules: BTreeMap<usize, (upset_device::ModuleId, BTreeMap<String, Vec<usize>>)>,
    /// Xids that were not asked for yet.
    pub xids: Vec<u64>,
    /// SMs.
    pub sms: u32,
    /// SMs that launches may use, by green context and by stream of one.
    pub kept: BTreeMap<usize, Vec<usize>>,
    /// The last handle that was given.
    pub handles: usize,
}

static GPU: Mutex<Option<Gpu>> = Mutex::new(None);

thread_local! {
    /// Contexts of this thread, the current one last.
    static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The thread's contexts.
pub fn stack<R>(work: impl FnOnce(&mut Vec<usize>) -> R) -> R {
    STACK.with_borrow_mut(work)
}

/// The thread's current context; 0: none.
pub fn current() -> usize {
    stack(|s| s.last().copied().unwrap_or(0))
}

/// The GPU, made when it is first asked for.
pub fn with<R>(work: impl FnOnce(&mut Gpu) -> R) -> R {
    let mut held: MutexGuard<'_, Option<Gpu>> = GPU.lock().unwrap_or_else(PoisonError::into_inner);
    work(held.get_or_insert_with(Gpu::new))
}

impl Gpu {
    fn new() -> Gpu {
        let behaviour = chosen();
        let said = std::env::var(SMS_VARIABLE).ok().and_then(|text| text.parse().ok());
        let sms = said.filter(|n| (1..=64).contains(n)).unwrap_or(SMS);
        let chip = ChipSpec::load(CHIP, &[format!("sm.count={sms}")]).expect("a preset");
        let mut device = Device::timed(&chip).expect("the model runs it");
        let more = std::env::var(FAULT_VARIABLE).ok().filter(|name| !name.is_empty());
        for name in behaviour.broken.into_iter().chain(more.as_deref()) {
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
            failed: 0,
            allowed: BTreeMap::new(),
            functions: BTreeMap::new(),
            modules: BTreeMap::new(),
            xids: Vec::new(),
            sms,
            kept: BTreeMap::new(),
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
    pub fn launch(
        &mut self,
        function: usize,
        stream: usize,
        launch: &Launch,
        args: &[Vec<u8>],
    ) -> i32 {
        let context = current();
        let kept = self.kept.get(&stream).or_else(|| self.kept.get(&context));
        let kept = kept.cloned().unwrap_or_else(|| (0..self.sms as usize).collect());
        if let Some(machine) = self.device.machine_mut() {
            machine.keep_to(&kept);
        }
        self.launches += 1;
        let now = self.launches;
        let at = |when: Option<(u32, i32)>| when.filter(|(n, _)| *n == now).map(|(_, v)| v);
        if let Some(signal) = at(self.behaviour.signal) {
            // SAFETY: raising a signal in one's own process has no demands.
            unsafe { libc::raise(signal) };
            if self.behaviour.signal_again {
                std::thread::sleep(std::time::Duration::from_millis(20));
                // SAFETY: as above.
                unsafe { libc::raise(signal) };
            }
            // Who handles it does so in a thread of its own.
            std::thread::sleep(std::time::Duration::from_millis(300));
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
        let allowed = self.allowed.get(&function).copied().unwrap_or(FREELY_SHARED);
        if launch.shared_bytes > allowed {
            return INVALID_VALUE;
        }
        let Some((function, _)) = self.functions.get(&function) else { return 400 };
        let args = args.iter().fold(Args::new(), |all, bytes| all.aligned(bytes));
        match self.device.launch(*function, launch, &args) {
            Ok(()) => self.pending = at(self.behaviour.ends_with).unwrap_or(0),
            Err(e @ (DeviceError::Trap { .. } | DeviceError::Assert { .. })) => {
                if std::env::var_os(TRAPS).is_some() {
                    eprintln!("fake driver: {e}");
                }
                self.pending = LAUNCH_FAILED;
            }
            Err(_) => return INVALID_VALUE,
        }
        0
    }

    /// What the stream is answered: not ready, or how the last kernel ended.
    pub fn query(&mut self) -> i32 {
        if self.hung {
            return NOT_READY;
        }
        match std::mem::take(&mut self.pending) {
            0 => self.failed,
            status => {
                self.failed = status;
                status
            }
        }
    }

    /// The context is given up, and its failure with it.
    pub fn forget(&mut self) {
        if !self.behaviour.lost {
            self.failed = 0;
        }
    }

    /// Lets a kernel have dynamic shared memory.
    pub fn allow(&mut self, function: usize, bytes: u32) -> i32 {
        if !self.functions.contains_key(&function) {
            return 400;
        }
        if bytes > self.device.sm_core().shared.per_cta {
            return INVALID_VALUE;
        }
        self.allowed.insert(function, bytes);
        0
    }

    /// A variable of a module: its address and length.
    pub fn variable(&mut self, module: usize, name: &str) -> Result<(u64, usize), i32> {
        let (module, _) = self.modules.get(&module).ok_or(400)?;
        let (at, bytes) = self.device.variable(*module, name).map_err(|_| 500)?;
        Ok((at.0, bytes as usize))
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
        match self.behaviour.moves {
            Some(Moves::First(n)) if n == now => move_warps(bytes, 1),
            Some(Moves::All) => move_warps(bytes, usize::MAX),
            Some(Moves::First(_)) | None => {}
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

/// Lets all lanes of the first warps say that they ended on the other SM.
fn move_warps(bytes: &mut [u8], warps: usize) {
    for record in bytes.chunks_exact_mut(RECORD).take(warps.saturating_mul(32)) {
        record[SM_AFTER] ^= 1;
    }
}
