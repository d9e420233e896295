//! A probe that ghosts follow.

use crate::{Ghosts, Probe};

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
}
