//! What a kernel's counts depend on, from its code alone.
//!
//! Counts of work follow from the ways that threads take through the code. The
//! analysis asks of everything that steers (guards and conditions of jumps,
//! exits and barriers, targets in registers, masks) where its value came from:
//! immediates, numbers of threads and CTAs, and the launch's parameters, or
//! memory that a kernel or the host may fill with anything. Where no data steer,
//! each thread goes the same way whatever the input, and every count of work is
//! a function of the launch. Guards of other instructions do not matter: an
//! instruction is issued, and its lanes counted, whether or not its guard holds.
//!
//! It errs on one side: what it cannot tell is data.

mod effect;
mod kernel;
mod level;
mod successors;

pub use kernel::{Steering, steering};
pub use level::Level;
