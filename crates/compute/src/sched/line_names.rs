//! What the scheduler's lines are called.

/// Lines of a warp, in the order of their bits.
pub(crate) const LINES: &[&str] = &["ready", "select"];
/// Place of the ready line.
pub(super) const READY: u32 = 0;
/// Place of the select line.
pub(super) const SELECT: u32 = 1;
