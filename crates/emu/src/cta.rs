//! A CTA: what its warps share.

use upset_isa::barrier::{BarCounters, CtaBarriers};

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
}

impl Cta {
    /// Prepares for the CTA at `id`.
    pub fn reset(&mut self, id: [u32; 3], shared_bytes: usize) {
        self.id = id;
        self.shared.clear();
        self.shared.resize(shared_bytes, 0);
        self.barriers.clear();
        self.counters = BarCounters::default();
    }
}
