//! How many results were wrong, and in which bits.

use serde::Serialize;

/// Wrong results of one place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// How many.
    pub errors: u64,
    /// Bits that were wrong in any of them.
    pub bits: u64,
}

impl Count {
    pub(super) fn add(&mut self, errors: u64, bits: u64) {
        self.errors += errors;
        self.bits |= bits;
    }

    pub(super) fn join(&mut self, other: Count) {
        self.add(other.errors, other.bits);
    }
}
