//! Which instructions' results carry the vulnerability.

use std::collections::BTreeMap;

use upset_state::Kind;

/// Where a value came from and where it lay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ValueOrigin {
    /// The array it lay in.
    pub(crate) kind: Kind,
    pub(crate) kernel: u32,
    /// The instruction that wrote it; none for what was there before.
    pub(crate) pc: Option<u32>,
    /// The register; none for memory of a CTA.
    pub(crate) register: Option<u8>,
}

/// Bit-cycles of each.
#[derive(Debug, Default)]
pub(crate) struct Hot {
    pub(crate) spent: BTreeMap<ValueOrigin, u64>,
}

impl Hot {
    /// Adds bit-cycles.
    #[inline]
    pub(crate) fn add(&mut self, place: ValueOrigin, bit_cycles: u64) {
        if bit_cycles > 0 {
            *self.spent.entry(place).or_default() += bit_cycles;
        }
    }
}
