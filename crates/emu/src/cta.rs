//! A CTA: what its warps share.

use upset_isa::barrier::{BarCounters, CtaBarriers};
use upset_isa::locks::Locks;

/// State shared by the warps of a CTA.
#[derive(Clone, Debug, Default)]
pub struct Cta {
    /// Coordinates in the grid.
    pub id: [u32; 3],
    /// Shared memory.
    pub shared: Vec<u8>,
    /// Named barriers.
    pub barriers: CtaBarriers,
    /// Their counters.
    pub counters: BarCounters,
    /// Locks on words of its shared memory, once code has taken one.
    pub locks: Option<Box<Locks>>,
}

impl Cta {
    /// Prepares for the CTA at `id`.
    pub fn reset(&mut self, id: [u32; 3], shared_bytes: usize) {
        self.id = id;
        self.shared.clear();
        self.shared.resize(shared_bytes, 0);
        self.barriers.clear();
        self.counters = BarCounters::default();
        self.locks = None;
    }
}
