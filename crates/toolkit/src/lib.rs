//! NVIDIA's compiler for those who have none: [`fetch()`] puts CUDA 11.8 into a
//! folder without touching the system, [`Toolkit`] finds a compiler and knows
//! what it must be told.

mod compiler;
mod debian;
mod fetch;
mod host;

pub use compiler::{RELEASE, Target, Toolkit, folder, named};
pub use fetch::fetch;
pub use host::require_host_compiler;

/// A result; the error is a sentence for the person at the terminal.
pub type Outcome<T> = Result<T, String>;
