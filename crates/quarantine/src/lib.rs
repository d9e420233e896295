//! Going on without a GPU's bad unit.
//!
//! [`mapping`] holds the pure rules by which work finds the units that are left,
//! [`wrap()`] and [`tickets`] put them to use for whole SMs, [`machine_code`]
//! says which kernels they may not be used for, and [`plan`] chooses by a
//! [`record`] of `upset burn`. [`replay`] finds groups of SMs on which a program
//! gives another output.

mod cuda_source;
pub mod machine_code;
pub mod mapping;
pub mod plan;
pub mod record;
pub mod replay;
pub mod tickets;
mod wrap;

pub use cuda_source::Refusal;
pub use wrap::wrap;
