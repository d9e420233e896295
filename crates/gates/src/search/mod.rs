//! Directed search: for a fault that random operands did not find, operands that
//! do, or a proof that there are none.

mod encode;
mod solver;

pub use encode::{Verdict, search};
