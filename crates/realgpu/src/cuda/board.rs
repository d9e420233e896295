//! A real GPU as a board: modules, memory, launches, and waiting that ends.
//!
//! Nothing here blocks in the driver while the GPU works: copies go through
//! page-locked memory on one stream, and every wait asks the stream whether it
//! is done until a limit. A kernel that never ends is then a finding; the board
//! is dead from there on, because the driver would wait for it everywhere.

use std::collections::BTreeMap;
use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use upset_burn::{About, Arg, Board, BoardError, Buffer, Image, ModuleId, Sensors, Shape, Tpcs};

use super::api::{FUNCTION_MAX_DYNAMIC_SHARED, Handle};
use super::context::{Context, Sms};
use super::driver::{Driver, NOT_READY};
use super::{identity, jit};
use crate::nvml::Card;

/// Page-locked memory that copies go through.
const STAGE: usize = 8 << 20;
/// Dynamic shared memory that needs no leave.
const FREELY_SHARED: u32 = 48 << 10;
/// How long NVML is given to tell of an Xid behind a failure, in milliseconds.
const XID_PATIENCE: u32 = 500;

/// What a board is opened with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of the device, as the driver counts.
    pub device: u32,
    /// SMs that may be used.
    pub sms: Sms,
    /// A launch or copy that takes longer hangs.
    pub hang_after: Duration,
    /// Compile PTX even where there is machine code.
    pub jit: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { device: 0, sms: Sms::All, hang_after: Duration::from_secs(120), jit: false }
    }
}

/// A GPU behind CUDA's driver.
pub struct CudaBoard {
    driver: Driver,
    options: Options,
    about: About,
    sm: u32,
    context: Context,
    card: Result<Card, String>,
    stage: *mut c_void,
    modules: Vec<Handle>,
    /// Modules by the name of their image: tests that run again and again do not
    /// load them again and again.
    loaded: BTreeMap<&'static str, ModuleId>,
    functions: BTreeMap<(ModuleId, String), Handle>,
    opened: Instant,
    /// Who finds out which SMs share a TPC.
    find_tpcs: Option<fn(u32) -> Tpcs>,
    /// Set once the GPU failed or hangs: nothing can be asked of this context
    /// any more.
    dead: Option<String>,
    /// It hangs: the driver would wait for it in any context.
    hangs: bool,
}

impl CudaBoard {
    /// Has somebody find out which SMs share a TPC, where that is asked for.
    pub fn finding_tpcs(mut self, find: fn(u32) -> Tpcs) -> CudaBoard {
        self.find_tpcs = Some(find);
        self
    }

    /// Opens a device.
    pub fn open(options: Options) -> Result<CudaBoard, BoardError> {
        let driver = Driver::open()?;
        let device = driver.device(options.device)?;
        let sm = driver.capability(device)?;
        let (about, card) = identity::of(&driver, device)?;
        let context = Context::open(&driver, device, &options.sms)?;
        let mut board = CudaBoard {
            driver,
            options,
            about,
            sm,
            context,
            card,
            stage: null_mut(),
            modules: Vec::new(),
            loaded: BTreeMap::new(),
            functions: BTreeMap::new(),
            opened: Instant::now(),
            find_tpcs: None,
            dead: None,
            hangs: false,
        };
        board.take_stage()?;
        Ok(board)
    }

    /// Memory for copies, in the current context.
    fn take_stage(&mut self) -> Result<(), BoardError> {
        // SAFETY: a context is current; the pointer is written.
        let status = unsafe { (self.driver.api.host_alloc)(&mut self.stage, STAGE, 0) };
        self.driver.could(status, "cuMemHostAlloc")
    }

    /// Gives the context up, with all that was in it, and makes a new one that
    /// does as it is told.
    fn open_anew(&mut self) -> Result<(), BoardError> {
        self.modules.clear();
        self.loaded.clear();
        self.functions.clear();
        self.stage = null_mut();
        self.context.close(&self.driver);
        let device = self.driver.device(self.options.device)?;
        self.context = Context::open(&self.driver, device, &self.options.sms)?;
        self.take_stage()?;
        let word = self.alloc(4)?;
        let (sent, mut came) = ([0x5a; 4], [0; 4]);
        self.write(word, 0, &sent)?;
        self.read(word, 0, &mut came)?;
        self.free(word)?;
        match came == sent {
            true => Ok(()),
            false => Err(BoardError::CannotRun("a word came back changed".into())),
        }
    }

    /// Makes its context the thread's own again, after another board was there.
    pub fn make_current(&self) -> Result<(), BoardError> {
        self.context.make_current(&self.driver)
    }

    /// Seconds that a launch takes, asked for without a pause.
    pub fn time(
        &mut self,
        module: ModuleId,
        kernel: &str,
        shape: Shape,
        args: &[Arg],
    ) -> Result<f64, BoardError> {
        self.sync()?;
        let begun = Instant::now();
        self.launch(module, kernel, shape, args)?;
        loop {
            // SAFETY: the stream is alive as long as the board.
            let status = unsafe { (self.driver.api.stream_query)(self.context.stream) };
            let took = begun.elapsed();
            if status != NOT_READY || took >= self.options.hang_after {
                // What is wrong is told as ever.
                self.wait("a kernel")?;
                return Ok(took.as_secs_f64());
            }
            std::hint::spin_loop();
        }
    }

    /// Why NVML tells nothing, in one sentence; `None` where it is open.
    pub fn without_nvml(&self) -> Option<&str> {
        self.card.as_ref().err().map(String::as_str)
    }

    fn alive(&self) -> Result<(), BoardError> {
        match &self.dead {
            None => Ok(()),
            Some(why) => Err(BoardError::Failed(why.clone())),
        }
    }

    /// What a status says, with the Xid behind it, if NVML tells of one.
    fn did(&mut self, status: c_int, call: &str) -> Result<(), BoardError> {
        match self.driver.did(status, call) {
            Err(BoardError::Failed(why)) => {
                let why = format!("{why}{}", self.xids_behind());
                self.dead = Some(format!("the GPU had failed before: {why}"));
                Err(BoardError::Failed(why))
            }
            other => other,
        }
    }

    fn xids_behind(&mut self) -> String {
        let Ok(card) = &mut self.card else { return String::new() };
        card.collect_events(XID_PATIENCE);
        let list: Vec<String> = card.xids().iter().map(|x| format!("Xid {x}")).collect();
        if list.is_empty() { String::new() } else { format!("; {}", list.join(", ")) }
    }

    /// Waits until the stream is empty.
    fn wait(&mut self, what: &str) -> Result<(), BoardError> {
        let begun = Instant::now();
        let mut pause = Duration::from_micros(10);
        loop {
            // SAFETY: the stream is alive as long as the board.
            let status = unsafe { (self.driver.api.stream_query)(self.context.stream) };
            if status != NOT_READY {
                return self.did(status, what);
            }
            if begun.elapsed() >= self.options.hang_after {
                let why = format!(
                    "{what} hangs: it did not end within {} s{}",
                    self.options.hang_after.as_secs_f64(),
                    self.xids_behind()
                );
                self.dead = Some(format!("the GPU had failed before: {why}"));
                self.hangs = true;
                return Err(BoardError::Failed(why));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }

    fn function(&mut self, module: ModuleId, kernel: &str) -> Result<Handle, BoardError> {
        let key = (module, kernel.to_string());
        if let Some(&f) = self.functions.get(&key) {
            return Ok(f);
        }
        let no = || BoardError::CannotRun(format!("there is no kernel {kernel:?}"));
        let handle = *self.modules.get(module.0 as usize).ok_or_else(no)?;
        let name = CString::new(kernel).map_err(|_| no())?;
        let mut function = null_mut();
        // SAFETY: the module is loaded; the name ends with a zero.
        let status =
            unsafe { (self.driver.api.module_function)(&mut function, handle, name.as_ptr()) };
        self.did(status, &format!("cuModuleGetFunction({kernel})"))?;
        self.functions.insert(key, function);
        Ok(function)
    }
}

impl Board for CudaBoard {
    fn about(&self) -> &About {
        &self.about
    }

    fn tpcs(&mut self) -> Tpcs {
        self.alive().ok()?;
        (self.find_tpcs?)(self.options.device)
    }

    fn load(&mut self, image: &Image) -> Result<ModuleId, BoardError> {
        self.alive()?;
        if let Some(module) = self.loaded.get(image.name) {
            return Ok(*module);
        }
        let ready = image.machine_code(self.sm).filter(|_| !self.options.jit);
        let compiled;
        let bytes = match ready {
            Some(bytes) => bytes,
            None => {
                compiled = jit::compile(&self.driver, image, self.sm)?;
                &compiled
            }
        };
        let mut module = null_mut();
        // SAFETY: a whole cubin, whose header tells the driver its size; the
        // driver copies it.
        let status = unsafe { (self.driver.api.module_load)(&mut module, bytes.as_ptr().cast()) };
        self.did(status, &format!("cuModuleLoadData({})", image.name))?;
        let number = ModuleId(self.modules.len() as u32);
        self.modules.push(module);
        self.loaded.insert(image.name, number);
        Ok(number)
    }

    fn alloc(&mut self, bytes: u64) -> Result<Buffer, BoardError> {
        self.alive()?;
        let mut handle = 0;
        // SAFETY: the address is written.
        let status = unsafe { (self.driver.api.mem_alloc)(&mut handle, bytes.max(1) as usize) };
        self.did(status, &format!("cuMemAlloc of {bytes} bytes"))?;
        Ok(Buffer { handle, bytes })
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), BoardError> {
        self.sync()?;
        // SAFETY: the address came from the driver; a second time is an error
        // that the driver tells.
        let status = unsafe { (self.driver.api.mem_free)(buffer.handle) };
        self.did(status, "cuMemFree")
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), BoardError> {
        self.alive()?;
        buffer.holds(offset, bytes.len())?;
        for (i, part) in bytes.chunks(STAGE).enumerate() {
            let to = buffer.handle + offset + (i * STAGE) as u64;
            // SAFETY: the stage has room for a part, and no copy from or to it
            // is under way: each is waited for below.
            let status = unsafe {
                std::ptr::copy_nonoverlapping(part.as_ptr(), self.stage.cast(), part.len());
                let api = &self.driver.api;
                (api.copy_to_device)(to, self.stage, part.len(), self.context.stream)
            };
            self.did(status, "cuMemcpyHtoDAsync")?;
            self.wait("copying to the GPU")?;
        }
        Ok(())
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), BoardError> {
        self.alive()?;
        buffer.holds(offset, bytes.len())?;
        for (i, part) in bytes.chunks_mut(STAGE).enumerate() {
            let from = buffer.handle + offset + (i * STAGE) as u64;
            // SAFETY: as above.
            let status = unsafe {
                let api = &self.driver.api;
                (api.copy_to_host)(self.stage, from, part.len(), self.context.stream)
            };
            self.did(status, "cuMemcpyDtoHAsync")?;
            self.wait("copying from the GPU")?;
            // SAFETY: the copy has ended, and filled as much of the stage.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    self.stage.cast::<u8>(),
                    part.as_mut_ptr(),
                    part.len(),
                );
            }
        }
        Ok(())
    }

    fn launch(
        &mut self,
        module: ModuleId,
        kernel: &str,
        shape: Shape,
        args: &[Arg],
    ) -> Result<(), BoardError> {
        self.alive()?;
        let function = self.function(module, kernel)?;
        if shape.dynamic_shared > FREELY_SHARED {
            // SAFETY: the function belongs to a loaded module.
            let status = unsafe {
                (self.driver.api.function_set)(
                    function,
                    FUNCTION_MAX_DYNAMIC_SHARED,
                    shape.dynamic_shared as c_int,
                )
            };
            self.did(
                status,
                &format!("{} bytes of shared memory for {kernel}", shape.dynamic_shared),
            )?;
        }
        // The driver reads as many bytes of each as the kernel's parameter has.
        let mut values: Vec<u64> = args
            .iter()
            .map(|arg| match arg {
                Arg::Buffer(b) => b.handle,
                Arg::U32(v) => u64::from(*v),
                Arg::U64(v) => *v,
                Arg::F32(v) => u64::from(v.to_bits()),
            })
            .collect();
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|v| std::ptr::from_mut(v).cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        // SAFETY: one pointer per parameter to at least as many bytes (kernels
        // of ours take words and double words); the driver copies the values
        // before it returns.
        let status = unsafe {
            (self.driver.api.launch)(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shape.dynamic_shared,
                self.context.stream,
                pointers.as_mut_ptr(),
                null_mut(),
            )
        };
        self.did(status, &format!("launching {kernel}"))
    }

    fn sync(&mut self) -> Result<(), BoardError> {
        self.alive()?;
        self.wait("a kernel")
    }

    fn seconds(&self) -> f64 {
        self.opened.elapsed().as_secs_f64()
    }

    fn sensors(&mut self) -> Sensors {
        let at = self.seconds();
        match &mut self.card {
            Ok(card) => card.sensors(at),
            Err(why) => Sensors { at, missing: vec![why.clone()], ..Sensors::default() },
        }
    }

    fn fill(&mut self, buffer: Buffer, word: u32) -> Result<(), BoardError> {
        self.alive()?;
        let words = (buffer.bytes / 4) as usize;
        // SAFETY: as many words as the buffer has.
        let status =
            unsafe { (self.driver.api.fill)(buffer.handle, word, words, self.context.stream) };
        self.did(status, "cuMemsetD32Async")?;
        self.wait("filling memory")
    }

    fn renew(&mut self) -> Result<(), BoardError> {
        if self.hangs {
            return Err(BoardError::CannotRun("it hangs still".into()));
        }
        self.dead = None;
        self.open_anew().map_err(|e| {
            self.dead = Some(format!("the GPU had failed before: no new context: {e}"));
            BoardError::CannotRun(format!("no new context: {e}"))
        })
    }

    fn global(&mut self, module: ModuleId, name: &str) -> Result<Buffer, BoardError> {
        self.alive()?;
        let no = || BoardError::CannotRun(format!("there is no variable {name:?}"));
        let handle = *self.modules.get(module.0 as usize).ok_or_else(no)?;
        let text = CString::new(name).map_err(|_| no())?;
        let (mut address, mut bytes) = (0, 0usize);
        // SAFETY: the module is loaded; the name ends with a zero; both are
        // written to places of their type.
        let status = unsafe {
            (self.driver.api.module_global)(&mut address, &mut bytes, handle, text.as_ptr())
        };
        self.did(status, &format!("cuModuleGetGlobal({name})"))?;
        Ok(Buffer { handle: address, bytes: bytes as u64 })
    }

    fn free_memory(&mut self) -> Result<u64, BoardError> {
        self.alive()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are written to places of their type.
        let status = unsafe { (self.driver.api.mem_info)(&mut free, &mut total) };
        self.did(status, "cuMemGetInfo")?;
        Ok(free as u64)
    }
}

impl Drop for CudaBoard {
    fn drop(&mut self) {
        if self.dead.is_some() {
            // The driver would wait for what hangs; the process ends soon.
            return;
        }
        // SAFETY: each is given back once; nothing uses them afterwards. The
        // stream is empty: every copy was waited for, and launches belong to it.
        unsafe {
            for module in self.modules.drain(..) {
                (self.driver.api.module_unload)(module);
            }
            if !self.stage.is_null() {
                (self.driver.api.host_free)(self.stage);
            }
        }
        self.context.close(&self.driver);
    }
}
