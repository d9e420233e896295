//! Counts that depend on the input: ranges learned from inputs, one score per
//! run, and a threshold with a bound on false alarms.
//!
//! The score is the largest distance of any value from its range, in units of
//! its spread. Which ranges and units are learned does not matter for the bound:
//! the calibration's scores are made with the same ones, by other inputs.

mod judge;
mod learn;
mod score;
#[cfg(test)]
mod tests;
mod types;

pub use judge::limit;
pub use learn::Learner;
pub use score::{CYCLES, Distance, LAUNCHES, SHAPE};
pub use types::{LaunchRegions, Regions, UNSEEN};
