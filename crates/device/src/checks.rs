//! Whoever looks at the machine's state while it runs.

use upset_machine::Stands;

/// Looks at the state at chosen cycles of a run.
pub trait Checks {
    /// A launch begins: its number from 0, its first cycle, and whether its
    /// code can read clocks.
    fn begin(&mut self, launch: u64, cycle: u64, sees_time: bool);
    /// The next cycle at which it wants to look; `u64::MAX` for never.
    fn next(&self) -> u64;
    /// That cycle, or a later one, has come. `heard` is a digest of everything
    /// that the host has got from the device so far. [`Checks::next`] must
    /// move on.
    fn check(&mut self, standing: &dyn Stands, heard: u128);
}
