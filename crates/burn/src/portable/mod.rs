//! The portable tests: OpenCL source for GPUs of any vendor. They are the three
//! of GPUburn (Defour and Petit, SAMOS 2013) and one of device memory, judged by
//! the host. Where a work-group runs is not known, so places are work-groups and
//! work-items.

mod common;
mod local;
mod mad;
mod memory;
mod registers;

use crate::Test;

pub use common::FOR_OPENCL;

/// The tests of this group.
pub const TESTS: &[&dyn Test] = &[&registers::Registers, &local::Local, &mad::Mad, &memory::Memory];

/// Why OpenCL devices leave the others out.
pub const NOT_PORTABLE: &str = "its kernels are machine code of NVIDIA's";

/// Whether a test is one of them.
pub fn is(name: &str) -> bool {
    TESTS.iter().any(|t| t.about().name == name)
}
