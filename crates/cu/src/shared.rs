//! Caches that several compute units share.

use upset_mem::FirstLevel;

/// Caches that the compute units of a group share.
#[derive(Clone)]
pub struct Shared {
    /// Scalar reads.
    pub(crate) l1s: FirstLevel,
    /// Instructions.
    pub(crate) l1i: FirstLevel,
}
