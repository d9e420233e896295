//! A probe that ghosts follow.

use crate::{ArrayId, By, Event, Force, Ghosts, Place, Probe};

/// Says where the bytes that are stored next come from.
#[inline]
pub fn comes_from<P: Probe>(p: &mut P, source: Option<(Place, u32)>) {
    if P::GHOSTS
        && let Some(g) = p.ghosts()
    {
        g.from(source);
    }
}

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
