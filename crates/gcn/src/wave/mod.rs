//! One instruction of one wave: from operands to results, over whatever
//! storage holds the registers.
//!
//! An engine implements [`Operands`] for its registers and [`Destinations`] for
//! where results go. Everything between is here, so that the functional and
//! the timing engine cannot disagree about it: [`evaluate()`] for everything
//! that needs no memory, [`write()`] for its results, [`share`], [`buffer`] and
//! [`scalar_read`] for what LDS, vector and scalar memory are asked. [`uses`]
//! tells what an instruction touches.

pub mod buffer;
mod each;
pub mod evaluate;
mod fetch;
mod flow;
mod hwreg;
mod lane;
pub mod memory;
mod modify;
mod outcome;
mod reg;
mod returned;
pub mod scalar_read;
pub mod share;
#[doc(hidden)]
pub mod testing;
pub mod uses;
mod value;
mod waits;
mod write;

pub use buffer::execute as execute_buffer;
pub use each::each;
pub use evaluate::evaluate;
pub use memory::Memory;
pub use outcome::{Next, Outcome, Rows, ScalarWrites};
pub use reg::{Destinations, Operands, Reg, WAVE};
pub use returned::Returned;
pub use scalar_read::ScalarAddress;
pub use share::execute as execute_share;
pub use value::{scalar32, scalar64};
pub use waits::Waits;
pub use write::write;
