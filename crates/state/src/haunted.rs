//! A probe that ghosts follow.

use crate::{ArrayId, By, Event, Force, Ghosts, Probe};

/// A machine that is followed by ghosts: nobody watches, no bit is held.
#[derive(Clone, Debug, Default)]
pub struct Haunted {
    /// The ghosts.
    pub ghosts: Ghosts,
}

impl Probe for Haunted {
    const ACTIVE: bool = false;
    const GHOSTS: bool = true;
    fn ghosts(&mut self) -> Option<&mut Ghosts> {
        Some(&mut self.ghosts)
    }
    #[inline(always)]
    fn event(&mut self, _: Event) {}
    #[inline(always)]
    fn acting(&mut self, _: By) {}
    fn hold(&mut self, _: Force) {}
    fn let_go(&mut self, _: Force) {}
    #[inline(always)]
    fn hold_words(&mut self, _: ArrayId, _: u64, _: &mut [u32]) {}
    #[inline(always)]
    fn hold_bytes(&mut self, _: ArrayId, _: u64, _: &mut [u8]) {}
}
