//! Which instructions' results carry the vulnerability.

use std::collections::BTreeMap;

/// Where a value came from and where it lay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ValueOrigin {
    pub(crate) kernel: u32,
    /// The instruction that wrote it; none for what was there before.
    pub(crate) pc: Option<u32>,
    /// The register; none for shared memory.
    pub(crate) register: Option<u8>,
}

impl ValueOrigin {
    /// A value in a register.
    pub(crate) fn register(kernel: u32, pc: Option<u32>, register: u8) -> ValueOrigin {
        ValueOrigin { kernel, pc, register: Some(register) }
    }

    /// A value in shared memory.
    pub(crate) fn shared(kernel: u32, pc: Option<u32>) -> ValueOrigin {
        ValueOrigin { kernel, pc, register: None }
    }
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
