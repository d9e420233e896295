//! Binaries of AMD's APP SDK 2.x, as `clGetProgramInfo(CL_PROGRAM_BINARIES)` gave
//! them with the Catalyst driver.
//!
//! An outer ELF file has symbols by kernel: text about its arguments, and an
//! inner ELF file with its code and notes about registers. AMD never published
//! the format. What is known of it comes from two readers of it, Multi2Sim 4.2
//! and CLRX (`amdbin/`, `doc/AmdAbi.md`, `doc/ClrxAsmAmd.md`); numbers below are
//! theirs.

pub mod app_sdk;
pub mod chips;
pub mod class;
pub mod elf;
pub mod inner;
pub mod metadata;
pub mod ndrange;
pub mod notes;
pub mod outer;
pub mod program_info;
pub mod types;

pub use app_sdk::{AppSdk, UserData};
pub use class::DataClass;
pub use ndrange::NdRange;
pub use outer::{is_app_sdk, parse};
