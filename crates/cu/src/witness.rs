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
    /// Number of the work-group in its grid.
    pub group: u64,
    /// First byte of the work-group's LDS.
    pub lds: u32,
    /// Byte offset in the program.
    pub pc: u32,
    /// The instruction.
    pub inst: &'a Inst,
    /// Registers.
    pub operands: &'a View<'a>,
}

/// Hears of launches and instructions.
pub trait Witness {
    /// A kernel begins.
    fn launch(&mut self, cycle: u64, kernel: &Kernel);
    /// An instruction reads its operands.
    fn issued(&mut self, issued: &Issued<'_>);
}

/// A witness as the machine holds it.
pub type SharedWitness = Arc<Mutex<dyn Witness + Send>>;

/// Tells a witness, if there is one.
pub(crate) fn tell(to: Option<&SharedWitness>, what: impl FnOnce(&mut dyn Witness)) {
    if let Some(witness) = to {
        what(&mut *witness.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
