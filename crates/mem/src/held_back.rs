//! What is kept while cores run ahead of each other.

use crate::packet::Request;

/// A request that is not on its way yet.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// When it was sent.
    pub(crate) born: u64,
    /// Its sender's place in that cycle.
    pub(crate) turn: u32,
    /// When it reaches its slice.
    pub(crate) at: u64,
    pub(crate) request: Request,
}

/// What is kept while cores run ahead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// Whose turn it is, while requests are held back.
    pub(crate) turn: Option<u32>,
    pub(crate) held_back: Vec<Sent>,
    /// Storage for their order.
    pub(crate) order: Vec<(u64, u64)>,
    /// Memory goes before the cores.
    pub(crate) goes_first: bool,
    /// The last cycle in which something happened there.
    pub(crate) last: u64,
    /// Writes of cores that it performed while it did, and when.
    pub(crate) performed: Vec<(u16, u64)>,
}

impl Ahead {
    #[inline]
    pub(crate) fn performed(&mut self, core: u16, now: u64) {
        if self.goes_first {
            self.performed.push((core, now));
        }
    }

    /// Writes of a core that are performed, but only after cycle `now`.
    #[inline]
    pub(crate) fn performed_after(&self, core: u16, now: u64) -> u32 {
        self.performed.iter().filter(|(c, at)| *c == core && *at > now).count() as u32
    }
}
