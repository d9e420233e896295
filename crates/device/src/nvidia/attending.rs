//! Standing by while the machine runs a kernel.

use upset_compute::{Attendant, Change, Sm, Standing};
use upset_emu::Counts;

use crate::storage::Part;
use crate::{Checks, Pauses, Progress};

/// Stands by while the machine runs a kernel.
pub(super) struct Attending<'a> {
    pub(super) kernel: &'a str,
    pub(super) progress: &'a mut Option<Progress>,
    pub(super) pauses: &'a mut Option<Box<dyn Pauses + Send>>,
    pub(super) part: Option<&'a mut Part>,
    pub(super) checks: Option<&'a mut (dyn Checks + Send + 'static)>,
    pub(super) heard: u128,
}

impl Attendant<Sm> for Attending<'_> {
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

    fn check(&mut self, standing: &Standing<'_>) {
        if let Some(checks) = &mut self.checks {
            checks.check(standing, self.heard);
        }
    }

    fn part(&mut self, ghost: u32, cycle: u64) -> bool {
        self.part.as_mut().is_some_and(|part| part(ghost, cycle))
    }
}
