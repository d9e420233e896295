//! One run with faults, seen from the process that owns the device.
//!
//! A run is armed with changes of bits ([`arm`]), comes to an [`End`], and is
//! judged against the fault-free run ([`judge`]). The fault-free run also gives
//! what a campaign plans with: who was where when ([`residency`]), and the fate
//! of every bit that was chosen for a fault ([`lifetimes`]). Many runs are made
//! in one [`walk`] of it.

mod cause;
mod converge;
pub mod doors;
pub mod driven;
mod end;
mod fate;
pub mod follow;
mod layouts;
pub mod lifetimes;
mod lines;
pub mod notes;
pub mod order;
mod outcome;
pub mod residency;
pub mod run_files;
mod shape;
pub mod story;
pub mod underway;
pub mod walk;

pub use cause::cause_kind;
pub use doors::{Door, Doors, Passage};
pub use driven::{Driven, Stuck};
pub use end::End;
pub use fate::Fate;
pub use follow::Follow;
pub use layouts::Layouts;
pub use lifetimes::{Lifetimes, Sample};
pub use notes::{Notes, Recorder};
pub use outcome::{Outcome, Reference, judge};
pub use shape::{Element, shape};
pub use story::Story;

use upset_device::Device;
use upset_fault::Experiment;

/// Plans an experiment's changes and the run's last cycle.
pub fn arm(device: &mut Device, experiment: &Experiment, limit: u64) {
    device.limit_cycles(limit);
    for (cycle, change) in experiment.changes() {
        device.plan(cycle, change);
    }
}
