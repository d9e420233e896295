//! Arithmetic units as gates: circuits of our own, their stuck-at faults, and
//! operands that find them (docs/grading.md).

#![forbid(unsafe_code)]

mod builder;
mod circuits;
mod fault;
mod faulty;
mod generate;
mod netlist;
mod operands;
mod random;
mod rival;
mod search;
mod set;
mod sim;
mod study;
mod words;

pub use circuits::Unit;
pub use fault::{Fault, Faults, Site};
pub use faulty::{Faulty, fma_with};
pub use generate::{Effort, Generated, generate};
pub use netlist::{Gate, Kind, Netlist, Operands, Port};
pub use operands::draw;
pub use random::Random;
pub use rival::{DCGM, GPU_BURN, Rival};
pub use search::{Verdict, search};
pub use set::OperandSet;
pub use sim::{Simulator, undetected};
pub use study::{OPERATIONS, Reached, Region, Study, compare, study};
