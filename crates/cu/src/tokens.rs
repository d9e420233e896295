//! Numbers that caches give back to whom they answer.

/// Bits of a line's number among those of its access.
pub(crate) const LINE_BITS: u32 = 8;
/// Bits of a wave slot in the number that a fetch waits under; above them is
/// the compute unit's in its group.
pub(crate) const SLOT_BITS: u32 = 8;
/// Above these bits of a scalar read's number is the compute unit's in its group.
pub(crate) const UNIT_SHIFT: u32 = 28;
