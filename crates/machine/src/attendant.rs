//! Who stands by while a launch runs, and how long it may take.

use upset_state::Change;

use crate::core::Core;
use crate::digest::Standing;

/// Bounds on a launch.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Cycle (since the machine's start) after which a launch is given up.
    pub cycle: u64,
    /// Warp instructions before a launch is given up.
    pub warp_insts: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { cycle: u64::MAX, warp_insts: u64::MAX }
    }
}

/// Who stands by while a launch runs.
pub trait Attendant<C: Core> {
    /// Called now and then: cycle, and warp instructions of the launch so far.
    fn progress(&mut self, cycle: u64, warp_insts: u64);

    /// The next cycle at which it wants to be asked; `u64::MAX` for never.
    fn next_pause(&self) -> u64 {
        u64::MAX
    }

    /// That cycle has come: what is to be changed and when; what is due happens
    /// before anything else in this cycle. [`Attendant::next_pause`] must move on.
    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        let _ = cycle;
        Vec::new()
    }

    /// The next cycle at which it wants to see the state; `u64::MAX` for never.
    fn next_check(&self) -> u64 {
        u64::MAX
    }

    /// That cycle has come; nothing has happened in it but changes of bits.
    /// [`Attendant::next_check`] must move on. To look changes nothing.
    fn check(&mut self, standing: &Standing<'_, C>) {
        let _ = standing;
    }

    /// A ghost must leave. True: this run becomes that ghost. False: it is
    /// somebody else's from now on.
    fn part(&mut self, ghost: u32, cycle: u64) -> bool {
        let _ = (ghost, cycle);
        false
    }
}
