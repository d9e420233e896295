//! Tests of a GPU that say which unit fails.
//!
//! A test ([`Test`]) runs our own kernels on a [`Board`], which may be a real
//! GPU or the model, and compares what came back with what the CPU computes,
//! bit for bit. The unit under test never judges itself. What differs is a
//! [`Finding`] with its place; the set of them is classified, and everything
//! goes into one
//! [`record::Record`].

pub mod all;
pub mod bench;
pub mod board;
pub mod chip;
pub mod classify;
pub mod compute;
pub mod control;
pub mod finding;
pub mod images;
pub mod inject;
pub mod judge;
pub mod level;
pub mod march;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod page;
pub mod pipes;
pub mod place;
pub mod portable;
pub mod random;
pub mod raw;
pub mod record;
pub mod sensors;
pub mod stop;
pub mod storage;
pub mod stress;
pub mod suite;
pub mod test;
pub mod text;
pub mod topology;

pub use all::all_tests;
pub use bench::{Bench, Effort};
pub use board::{About, Arg, Board, BoardError, Buffer, Image, Kind, MachineCode, ModuleId, Shape};
pub use finding::{Finding, Findings};
pub use inject::Injection;
pub use level::Level;
pub use place::Place;
pub use sensors::Sensors;
pub use test::{Group, Oracle, Test, TestAbout};
pub use topology::{MemoryPlace, Tpcs};
