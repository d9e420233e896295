//! NVIDIA's compiler for those who have none: [`fetch()`] puts CUDA 11.8 into a
//! folder without touching the system, [`Toolkit`] finds a compiler and knows
//! what it must be told. [`fetch_converter()`] gets what turns PTX into machine code. [`OpenCl`] does the same for LLVM's compiler for AMD's
//! chips.

mod compiler;
mod converter;
mod debian;
mod fetch;
mod files;
mod form;
mod host;
mod opencl;
mod outcome;
mod wheels;

pub use compiler::{CompileTarget, RELEASE, Toolkit, folder, named, prefixes};
pub use converter::{CONVERTER, fetch_converter};
pub use fetch::fetch;
pub use form::Form;
pub use host::require_host_compiler;
pub use opencl::{OPENCL_RELEASE, OpenCl};
pub use outcome::Outcome;
