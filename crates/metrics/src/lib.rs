//! Numbers about experiments: classes and counts, rates with intervals, sample
//! sizes, and what follows from them (AVF, FIT, MTBF, EIT, EPF).

pub mod class;

pub use class::{Class, Counts};
