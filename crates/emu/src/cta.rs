//! A CTA: what its warps share.

use upset_isa::barrier::{BarCounter, BarCounters, CtaBarriers, CtaWarps};
use upset_isa::convergence::Convergence;

use crate::warp::Warp;

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

/// The warps of a CTA in the order of their numbers, and its barriers' counters.
pub struct Warps<'a>(pub &'a mut [Warp], pub &'a mut BarCounters);

impl CtaWarps for Warps<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn counter(&mut self, number: u8) -> &mut BarCounter {
        &mut self.1[usize::from(number) % self.1.len()]
    }

    fn control(&mut self, warp: usize) -> &mut Convergence {
        &mut self.0[warp].flow
    }

    fn reduced(&mut self, warp: usize, result: u32) {
        self.0[warp].bar_result = result;
    }
}
