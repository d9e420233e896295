//! NVIDIA's GPUs through CUDA's driver.

pub mod api;
mod board;
mod context;
mod driver;
mod exclusion;
mod identity;
mod jit;
mod probe;

pub use board::{CudaBoard, Options};
pub use context::Sms;
pub use driver::{Driver, text_of};
pub use exclusion::{Excluded, without_each};
pub use identity::now;
pub use probe::{Tpcs, lanes, open, places, tpcs};
