//! Standing by while the machine runs a kernel.

use upset_emu::Counts;
use upset_machine::{Attendant, Change, Core, Standing};

use crate::storage::Part;
use crate::{Checks, Pauses, Progress};

/// Stands by while the machine runs a kernel.
pub(crate) struct Attending<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) progress: &'a mut Option<Progress>,
    pub(crate) pauses: &'a mut Option<Box<dyn Pauses + Send>>,
    pub(crate) part: Option<&'a mut Part>,
    pub(crate) checks: Option<&'a mut (dyn Checks + Send + 'static)>,
    pub(crate) heard: u128,
}

impl<C: Core> Attendant<C> for Attending<'_> {
    fn progress(&mut self, _: u64, warp_insts: u64) {
        if let Some(tell) = self.progress {
            tell(self.kernel, &Counts { warp_insts, ..Counts::default() });
        }
    }

    fn next_pause(&self) -> u64 {
        self.pauses.as_ref().map_or(u64::MAX, |p| p.next())
    }

    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        self.pauses.as_mut().map(|p| p.pause(cycle)).unwrap_or_default()
    }

    fn next_check(&self) -> u64 {
        self.checks.as_ref().map_or(u64::MAX, |c| c.next())
    }

    fn check(&mut self, standing: &Standing<'_, C>) {
        if let Some(checks) = &mut self.checks {
            checks.check(standing, self.heard);
        }
    }

    fn part(&mut self, ghost: u32, cycle: u64) -> bool {
        self.part.as_mut().is_some_and(|part| part(ghost, cycle))
    }
}
