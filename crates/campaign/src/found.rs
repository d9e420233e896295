//! What a fault-free run told of some bits.

use std::collections::BTreeMap;

use upset_device::Seen;
use upset_trial::Fate;

/// Fates and owners.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Fates of the samples, in their order.
    pub fates: Vec<Fate>,
    /// What bits belonged to, by the numbers of the looks.
    pub seen: BTreeMap<u64, Seen>,
}
