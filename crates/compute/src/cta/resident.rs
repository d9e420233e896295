//! What is known of a CTA on an SM.

use upset_isa::barrier::CtaBarriers;

/// A resident CTA.
#[derive(Clone, Debug)]
pub(crate) struct Cta {
    pub index: u64,
    pub id: [u32; 3],
    /// First shared byte.
    pub shared: u32,
    /// Shared bytes taken.
    pub taken: u32,
    /// Warp slots in order of their number.
    pub slots: Vec<u32>,
    /// All its warps have finished.
    pub ended: bool,
    pub threads: u32,
    pub barriers: CtaBarriers,
    pub since: u64,
}
