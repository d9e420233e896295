//! Whoever changes the machine while it runs.

use upset_compute::Change;

/// Decides at chosen cycles of a launch what is to be changed.
pub trait Pauses {
    /// The next cycle at which it wants to be asked; `u64::MAX` for never.
    fn next(&self) -> u64;
    /// That cycle has come: what is to be changed and when; what is due happens
    /// before anything else in it. [`Pauses::next`] must move on. Stuck bits
    /// need a watch that was there when the launch began.
    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)>;
}
