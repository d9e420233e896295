//! Campaigns over CUDA programs.
//!
//! The device lives in the program's process. What is to be broken there, and
//! what is to be found out, goes to it as an order (`upset_trial::order`); what
//! it found comes back beside the order and over the launcher's socket. Every
//! run has a working folder of its own. Where it can be done without harm, runs
//! split from one that walks the fault-free run (`walk`).

mod bench;
mod compare;
mod copy;
mod golden;
mod limits;
mod mirror;
mod ran;
mod run;
mod scratch;
mod walk;
mod work;

pub use bench::ProgramBench;
pub use ran::Ran;
pub(crate) use walk::walk;
pub(crate) use work::{for_worker, one_by_one};
