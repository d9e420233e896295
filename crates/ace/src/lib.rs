//! Upper bounds on vulnerability from one fault-free run.
//!
//! A run that is watched tells every access to every modelled bit. From that
//! follows which bits were still needed at which cycle (ACE: needed for
//! architecturally correct execution), and so how often a flip can do harm at
//! most. The rules are in `docs/ace.md`. The refinement also hears of whole
//! instructions with their operands, and leaves out values that feed nothing
//! and bits that arithmetic masks.

mod amd;
mod analysis;
mod arrays;
mod clock;
mod hot;
mod lifetime;
mod listing;
mod live;
mod needs;
mod nvidia;
mod questions;
mod refined;
mod result;
mod rows;
mod tables;

pub use analysis::Listening;
pub use questions::Answer;
pub use result::{Ace, Bound, HotSpot, Timeline};
