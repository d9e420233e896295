//! A GPU under test, whoever runs it.

use serde::{Deserialize, Serialize};

use crate::Sensors;
use crate::topology::{self, MemoryPlace, Tpcs};

/// A GPU under test, whoever runs it: CUDA's driver, OpenCL, or our model.
pub trait Board {
    /// What it is.
    fn about(&self) -> &About;
    /// Loads code; the board picks the form it can run.
    fn load(&mut self, image: &Image) -> Result<ModuleId, BoardError>;
    /// Allocates device memory.
    fn alloc(&mut self, bytes: u64) -> Result<Buffer, BoardError>;
    /// Gives it back.
    fn free(&mut self, buffer: Buffer) -> Result<(), BoardError>;
    /// Copies to the device.
    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), BoardError>;
    /// Copies from the device; waits for what was launched before.
    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), BoardError>;
    /// Starts a kernel. What goes wrong while it runs may be told by [`Board::sync`].
    fn launch(
        &mut self,
        module: ModuleId,
        kernel: &str,
        shape: Shape,
        args: &[Arg],
    ) -> Result<(), BoardError>;
    /// Waits; a launch that ends with an error, an Xid or a hang is told here.
    fn sync(&mut self) -> Result<(), BoardError>;
    /// Seconds since the board was opened; the model: cycles by its clock.
    fn seconds(&self) -> f64;
    /// What the board measures about itself now.
    fn sensors(&mut self) -> Sensors;
    /// Bytes that could be allocated now.
    fn free_memory(&mut self) -> Result<u64, BoardError>;
    /// The channel and slice that an address belongs to, where the board states
    /// it. Real GPUs do not.
    fn memory_place(&self, address: u64) -> Option<MemoryPlace> {
        let _ = address;
        None
    }
    /// Which SMs share a TPC, by `%smid`: probed, or as the model's chip has it.
    /// `None`: not known, and not to be assumed. May take seconds.
    fn tpcs(&mut self) -> Tpcs {
        None
    }
    /// FP32 pipes of a sub-core, of which only the first multiplies integers;
    /// `None` where it is not known.
    fn fp32_pipes(&self) -> Option<u32> {
        let sm = self.about().arch.strip_prefix("sm_")?.parse().ok()?;
        topology::fp32_pipes(sm)
    }
    /// Fills a buffer with a word, up to its last whole one. Boards that can do it
    /// themselves spare the way over the bus.
    fn fill(&mut self, buffer: Buffer, word: u32) -> Result<(), BoardError> {
        let words = usize::try_from((buffer.bytes / 4).min(1 << 20)).unwrap_or(0);
        let part = word.to_le_bytes().repeat(words);
        let end = buffer.bytes & !3;
        let mut at = 0;
        while at < end {
            let bytes = (part.len() as u64).min(end - at);
            self.write(buffer, at, &part[..bytes as usize])?;
            at += bytes;
        }
        Ok(())
    }
    /// After the device failed: a new context, in which nothing of before is
    /// left. Where there can be none, what comes next cannot run.
    fn renew(&mut self) -> Result<(), BoardError> {
        Err(BoardError::CannotRun("this board cannot be opened anew".into()))
    }
    /// A variable of a module (`__constant__`, `__device__`), to be written and
    /// read like other memory, and never freed.
    fn global(&mut self, module: ModuleId, name: &str) -> Result<Buffer, BoardError> {
        let _ = module;
        Err(BoardError::CannotRun(format!("this board has no way to a module's variable `{name}`")))
    }
}

/// Who runs the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// NVIDIA's driver, machine code of ours.
    Cuda,
    /// An OpenCL implementation, kernels as source.
    Opencl,
    /// The simulated chip, the same machine code as CUDA.
    Model,
}

/// What a board is. A record belongs to the board with this identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Marketing name, or the chip file's.
    pub name: String,
    /// Who runs it.
    pub kind: Kind,
    /// `sm_90`; empty where there is no such name.
    pub arch: String,
    /// Streaming multiprocessors (compute units).
    pub sms: u32,
    /// Sub-cores in each, 1 where unknown.
    pub sub_cores: u32,
    /// Threads that execute together.
    pub warp: u32,
    /// Warps that one SM holds at most.
    pub warps_per_sm: u32,
    /// CTAs that one SM holds at most.
    pub ctas_per_sm: u32,
    /// Registers of 32 bits of one SM.
    pub registers_per_sm: u32,
    /// Shared memory a CTA may use at most when it asks in every way there is, and
    /// what an SM has, in bytes.
    pub shared_per_cta: u32,
    /// See above.
    pub shared_per_sm: u32,
    /// Device memory in bytes.
    pub memory: u64,
    /// L2 in bytes, 0 where unknown.
    pub l2: u64,
    /// Clock that [`Board::seconds`] and `clock64` count by, in Hz; 0 where unknown.
    pub clock_hz: f64,
    /// The GPU's own identity.
    pub uuid: Option<String>,
    /// Firmware.
    pub vbios: Option<String>,
    /// Driver.
    pub driver: Option<String>,
    /// Multi-instance state, where it is known.
    pub mig: Option<String>,
    /// Multi-process service state, where it is known.
    pub mps: Option<String>,
}

impl About {
    /// What differs from the board that there is now: a sentence, or none. SMs
    /// may be numbered anew with any of it; what was not known is not compared.
    pub fn differs(&self, now: &About) -> Option<String> {
        let known = [
            ("GPU", &self.uuid, &now.uuid),
            ("VBIOS", &self.vbios, &now.vbios),
            ("driver", &self.driver, &now.driver),
            ("MIG", &self.mig, &now.mig),
            ("MPS", &self.mps, &now.mps),
        ];
        known.into_iter().find_map(|(what, then, now)| match (then, now) {
            (Some(then), Some(now)) if then != now => {
                Some(format!("the record was made with {what} {then}, and now it is {now}"))
            }
            (Some(then), None) => {
                Some(format!("the record was made with {what} {then}, and now it is not known"))
            }
            _ => None,
        })
    }
}

/// Machine code for one architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineCode {
    /// 90 for `sm_90`.
    pub sm: u32,
    /// A cubin.
    pub bytes: &'static [u8],
}

/// Code of one source file, in the forms that boards take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// Name of the source without its ending, and `-inject` for that variant.
    pub name: &'static str,
    /// Machine code, ordered by architecture.
    pub cubins: &'static [MachineCode],
    /// For chips that none of them fits; empty where there is none.
    pub ptx: &'static str,
    /// OpenCL C; empty where the test has no portable form.
    pub opencl: &'static str,
}

impl Image {
    /// The machine code that a chip of compute capability `sm` (90 for 9.0)
    /// runs: same major version, newest minor that is not newer.
    pub fn machine_code(&self, sm: u32) -> Option<&'static [u8]> {
        self.cubins
            .iter()
            .filter(|c| c.sm <= sm && c.sm / 10 == sm / 10)
            .max_by_key(|c| c.sm)
            .map(|c| c.bytes)
    }
}

/// A loaded [`Image`], as its board counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(pub u32);

/// Device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// Its address (CUDA, model) or the board's number for it (OpenCL).
    pub handle: u64,
    /// Its length.
    pub bytes: u64,
}

impl Buffer {
    /// Refuses a copy that does not fit.
    pub fn holds(&self, offset: u64, bytes: usize) -> Result<(), BoardError> {
        match offset.checked_add(bytes as u64) {
            Some(end) if end <= self.bytes => Ok(()),
            _ => Err(BoardError::CannotRun(format!(
                "a copy of {bytes} bytes at {offset} does not fit a buffer of {} bytes",
                self.bytes
            ))),
        }
    }
}

/// Size of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads of each.
    pub block: [u32; 3],
    /// Shared memory asked for at launch, in bytes. A board whose driver wants to
    /// be told first (CUDA above 48 KB) tells it.
    pub dynamic_shared: u32,
}

impl Shape {
    /// A row of CTAs of a row of threads.
    pub fn row(ctas: u32, threads: u32) -> Shape {
        Shape { grid: [ctas, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 }
    }
}

/// An argument of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg {
    /// Address of a buffer.
    Buffer(Buffer),
    /// A 32-bit number.
    U32(u32),
    /// A 64-bit number.
    U64(u64),
    /// A 32-bit floating-point number.
    F32(f32),
}

/// What stands between a test and its answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The test cannot run here: a library, symbol, function, kernel or memory
    /// is missing. Never a pass, never a defect: exit code 3.
    #[error("{0}")]
    CannotRun(String),
    /// The device failed while it ran: an Xid, an illegal address, a hang. A
    /// defect until proved otherwise: exit code 1.
    #[error("{0}")]
    Failed(String),
}
