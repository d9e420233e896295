//! The API that hosts use: modules, memory, textures, launches, copies.
//!
//! A host (a Rust application, later a real CUDA process) drives a
//! [`Device`]; the device owns a chip's memory and runs kernels on the
//! functional engine, or on the machine, cycle by cycle.

mod amd;
mod args;
mod attending;
mod carried;
mod checks;
mod counting;
mod dev_ptr;
mod device;
mod digest;
mod error;
mod explain;
mod ghosts_of_host;
mod history;
mod ids;
pub mod journal;
mod kernel_info;
mod launch;
mod launched;
mod limit;
mod luggage;
mod machine;
mod memory;
mod mode;
mod near;
mod nvidia;
mod observe;
mod outputs;
mod pauses;
mod stats;
mod storage;
pub mod trace_file;
mod vendor;

pub use args::{Arg, Args};
pub use carried::Carried;
pub use checks::Checks;
pub use dev_ptr::DevPtr;
pub use device::{Device, Progress};
pub use error::DeviceError;
pub use explain::{Hit, Instruction, Memory};
pub use history::History;
pub use ids::{FunctionId, ModuleId};
pub use kernel_info::KernelInfo;
pub use launch::{Launch, LaunchSpan};
pub use limit::Limit;
pub use machine::Machine;
pub use mode::Mode;
pub use near::Near;
pub use nvidia::{Function, Functions, KernelCode, Message};
pub use outputs::Outputs;
pub use pauses::Pauses;
pub use stats::{KernelStats, Stats};
pub use upset_compute::{
    Change, Code, CoreCounters, InUse, Issued, Kernel, LaunchCounters, Look, Reason, Seen,
    SharedLooker, SharedWitness, Span, Strikes, Trace, View, Witness,
};
pub use upset_emu::texture::{
    AddressMode, BLOCK, BLOCK_ROWS, BLOCK_RUN, Level, TexFormat, TexelKind, Texels, Texture,
};
pub use upset_emu::{Limits, Trap, TrapKind};
pub use upset_machine::{Stands, laws, pmu};
pub use upset_mem::{FirstLevelCounters, MemoryCounters};
