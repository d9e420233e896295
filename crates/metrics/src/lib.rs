//! Numbers about experiments: classes and counts, rates with intervals, sample
//! sizes, and what follows from them (AVF, FIT, MTBF, EIT, EPF).
//!
//! What is computed and where it comes from: `docs/metrics.md`.

pub mod class;
pub mod cover;
pub mod coverage;
pub mod difference;
pub mod dist;
pub mod equal;
pub mod interval;
pub mod many;
mod noticed;
pub mod paired;
pub mod rate;
pub mod sample;
mod sdc;
pub mod sequential;
pub mod until;
pub mod vulnerability;
pub mod weighted;

pub use class::{Class, Counts};
pub use interval::{Interval, Method};
pub use noticed::{FirstAlarm, Noticed};
pub use rate::{End, Rate};
pub use sdc::Sdc;
pub use weighted::{Estimate, Part, weighted_sum};
