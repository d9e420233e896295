//! Who is told of whole instructions, with the values they work on.
//!
//! Probes hear of accesses to arrays. A witness hears beside that which
//! instruction reads them, and what is in the registers at that moment. It is
//! asked only in watched runs, and changes nothing.

use std::sync::{Arc, Mutex, PoisonError};

use upset_isa::{Inst, Mask};

use crate::kernel::Kernel;
use crate::view::View;

/// An instruction that reads its operands now.
pub struct Issued<'a> {
    /// When.
    pub cycle: u64,
    /// The SM.
    pub sm: u32,
    /// Warp slot.
    pub slot: u32,
    /// Number of the warp in its CTA.
    pub warp: u32,
    /// CTA slot of the SM.
    pub place: u32,
    /// Number of the CTA in its grid.
    pub cta: u64,
    /// First row of the warp in its register file.
    pub first_row: u32,
    /// First byte of the CTA's shared memory.
    pub shared: u32,
    /// Byte offset in the program.
    pub pc: u32,
    /// The instruction.
    pub inst: &'a Inst,
    /// Lanes at this place.
    pub active: Mask,
    /// Those of them that execute it.
    pub mask: Mask,
    /// Registers, predicates and constants.
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
