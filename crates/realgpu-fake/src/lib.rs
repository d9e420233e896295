//! A stand-in for `libcuda.so.1` and `libnvidia-ml.so.1` whose GPU is a small
//! simulated chip: kernels really run. The variable [`VARIABLE`] names a
//! [`Scenario`], which says what goes wrong. For tests of `upset burn` only.

#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc)]

mod behaviour;
mod cuda;
mod cuda_green;
mod cuda_link;
mod elf;
mod gpu;
mod nvml;
mod scenario;

pub use behaviour::{Behaviour, Moves, Nth};
pub use gpu::{ARCH, FAULT_VARIABLE, SMS, SMS_VARIABLE};
pub use scenario::{Expected, LIBRARY, SCENARIOS, Scenario, Setting, VARIABLE};
