//! What is scheduled.

use super::effects::Effects;

/// An instruction with what scheduling needs to know.
pub(crate) struct Item {
    pub effects: Effects,
    /// What its random choices are drawn from.
    pub key: u64,
}
