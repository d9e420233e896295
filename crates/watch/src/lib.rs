//! Performance counters that notice faults while a program runs.
//!
//! A [`Profile`] is learned from fault-free runs of one program on one chip
//! ([`Teacher`]); it says of a run's readings what cannot be right in them
//! ([`Profile::judge`]). Behind an alarm stands one of four layers: a law that
//! holds in every run, a constant that follows from the launch (proved from the
//! code by [`analysis`]), a region learned from inputs with a bound on false
//! alarms ([`statistics::conformal`]), or a difference between SMs with the same
//! work. The method and what it assumes: `docs/in-field.md`.

pub mod alarm;
pub mod analysis;
pub mod between;
pub mod constants;
mod judge;
pub mod laws;
pub mod paper;
pub mod profile;
pub mod region;
pub mod regions;
pub mod run;
pub mod statistics;
mod teacher;

use xxhash_rust::xxh3::xxh3_128;

pub use alarm::{Alarm, Layer, Verdict};
pub use profile::{Lessons, Method, Mismatch, Profile, Subject};
pub use teacher::{LearnError, Teacher, can_learn};

/// A digest as profiles keep it, of code or of a chip's values.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}
