//! What only NVIDIA's code needs: modules and their banks, launches of grids,
//! textures, system calls, and what an address or a word of code is called.
//!
//! All of it is in [`Nvidia`], which the device holds, and in methods that the
//! files here add to the device. Nothing outside of this folder takes more from
//! it than that.

mod arch;
mod bank0;
mod explain;
mod fit;
mod functions;
mod kernel;
mod kernel_code;
mod kernel_info;
mod launch;
mod module;
mod modules;
mod ranges;
mod run;
mod state;
mod syscalls;

pub use functions::{Function, Functions};
pub use kernel_code::KernelCode;
pub(crate) use state::Nvidia;
pub use syscalls::Message;
