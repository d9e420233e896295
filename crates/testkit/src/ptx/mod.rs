//! PTX that is assembled for two chips, whose results must be the same.
//!
//! What a later chip makes of an instruction was compared with hardware; what
//! sm_35 makes of it was not, for want of one. So both run the same PTX: every
//! instruction of a table on values that provoke corner cases ([`each`]), and
//! random programs with everything that threads do together ([`random`]).
//! `docs/random-programs.md` says how.

pub mod compile;
pub mod each;
mod emit;
mod expand;
mod places;
pub mod random;
pub mod record;
pub mod run;
mod share;
mod table;

pub use compile::{Assembler, CompileError};
pub use expand::{Class, Instruction, Scratch, approximate, exact};

/// What every module begins with.
const HEADER: &str = ".version 7.0\n.target sm_35\n.address_size 64\n";

/// The architectures that PTX is assembled for: the one in question, and the one
/// that is trusted.
pub const ARCHITECTURES: [(u32, &str); 2] = [(35, "titan"), (70, "gv100")];
