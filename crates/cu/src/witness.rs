//! Who is told of whole instructions, with the values they work on.
//!
//! It is asked only in watched runs, and changes nothing.

use std::sync::{Arc, Mutex, PoisonError};

use upset_gcn::inst::Inst;

use crate::kernel::Kernel;
use crate::view::View;

/// An instruction that reads its operands now.
pub struct Issued<'a> {
    /// When.
    pub cycle: u64,
    /// The compute unit.
    pub cu: u32,
    /// Wave slot.
    pub slot: u32,
    /// Number of the wave in its work-group.
    pub wave: u32,
    /// Work-group slot of the compute unit.
    pub place: u32,
    /// Number of the work-group in its grid.
    pub group: u64,
    /// First byte of the work-group's LDS.
    pub lds: u32,
    /// Its registers' SIMD unit, by its number on the chip.
    pub simd: u32,
    /// Byte offset in the program.
    pub pc: u32,
    /// The instruction.
    pub inst: &'a Inst,
    /// Registers.
    pub operands: &'a View<'a>,
}

/// What becomes of a memory instruction after it has issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The newest instruction of a wave slot accesses memory under this number.
    Begun {
        /// Wave slot.
        slot: u32,
    },
    /// The data of a store or an atomic is read from registers.
    Taken,
    /// It accesses LDS.
    Shared,
    /// Its result is written to registers, and the number is free.
    Completed,
}

/// Something happens to a memory instruction.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// When.
    pub cycle: u64,
    /// The compute unit.
    pub cu: u32,
    /// The access's number on the compute unit.
    pub access: u32,
    /// What.
    pub stage: Stage,
}

/// Hears of launches and instructions.
pub trait Witness {
    /// A kernel begins.
    fn launch(&mut self, cycle: u64, kernel: &Kernel);
    /// An instruction reads its operands.
    fn issued(&mut self, issued: &Issued<'_>);
    /// A memory instruction goes on.
    fn stepped(&mut self, step: &Step);
}

/// A witness as the machine holds it.
pub type SharedWitness = Arc<Mutex<dyn Witness + Send>>;

/// Tells a witness, if there is one.
pub(crate) fn tell(to: Option<&SharedWitness>, what: impl FnOnce(&mut dyn Witness)) {
    if let Some(witness) = to {
        what(&mut *witness.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
