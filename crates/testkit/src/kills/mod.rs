//! Campaigns that are killed, run out of room or find their store damaged, and
//! have to end with the results of an undisturbed one.
//!
//! Everything is drawn from a seed and the round's number. The moments are
//! those of a real machine: the same seed draws the same disturbances, which
//! hit the campaign at about the same place.

mod campaigns;
mod damage;
mod disk;
mod harness;
mod kind;
mod moment;
mod process;
mod round;

pub use harness::Harness;
pub use round::{Landed, Tally};
