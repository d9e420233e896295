//! The storage arrays a chip description sizes, in bits.
//!
//! Counted as gpuFI-4 does: a cache line is its data and its tag (57 bits
//! there); valid, dirty and replacement bits are left out.

use serde::Serialize;

use crate::spec::{ChipSpec, CoreSpec};

/// The structures that gpuFI-4 injects faults into.
pub const GPUFI4: [&str; 5] = ["rf", "smem", "l1d", "l1t", "l2"];

/// One kind of array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArrayBits {
    /// `rf`, `smem`, `vrf`, `srf`, `lds`, or the cache's name.
    pub structure: String,
    /// How many there are.
    pub instances: u64,
    /// Data bits of one.
    pub data_bits: u64,
    /// Tag bits of one.
    pub tag_bits: u64,
}

impl ArrayBits {
    /// True for the structures gpuFI-4 injects faults into. Its totals (18.5 MB
    /// of an RTX 2060, 47 MB of a GV100) are theirs alone: instruction and
    /// constant caches are in its tables but not in its sums.
    pub fn injected_by_gpufi4(&self) -> bool {
        GPUFI4.contains(&self.structure.as_str())
    }

    /// Bits of one instance.
    pub fn bits_each(&self) -> u64 {
        self.data_bits + self.tag_bits
    }

    /// Bits of all instances.
    pub fn bits(&self) -> u64 {
        self.instances.saturating_mul(self.bits_each())
    }

    /// All instances in MiB, the unit of the papers' tables.
    pub fn mebibytes(&self) -> f64 {
        self.bits() as f64 / 8.0 / 1024.0 / 1024.0
    }
}

impl ChipSpec {
    /// The arrays of this chip: registers, shared memory or local data share,
    /// caches.
    pub fn inventory(&self) -> Vec<ArrayBits> {
        let plain = |structure: &str, instances: u32, data_bits: u64| ArrayBits {
            structure: structure.to_owned(),
            instances: u64::from(instances),
            data_bits,
            tag_bits: 0,
        };
        let mut arrays = match &self.core {
            CoreSpec::Sm(core) => {
                let sms = core.sm.count;
                vec![
                    plain("rf", sms, u64::from(core.registers.per_sm) * 32),
                    plain("smem", sms, u64::from(core.shared.bytes) * 8),
                ]
            }
            CoreSpec::Cu(core) => {
                let (units, simds) = (core.cu.count, u64::from(core.cu.simds));
                vec![
                    plain("vrf", units, simds * core.vgpr.bits(core.cu.wave_size)),
                    plain("srf", units, simds * u64::from(core.sgpr.per_simd) * 32),
                    plain("lds", units, u64::from(core.lds.bytes) * 8),
                ]
            }
        };
        arrays.extend(self.caches.iter().map(|c| ArrayBits {
            structure: c.name.clone(),
            instances: u64::from(self.instances(c.per)),
            data_bits: c.bytes() * 8,
            tag_bits: c.lines() * u64::from(c.tag_bits),
        }));
        arrays.retain(|a| a.bits() > 0);
        arrays
    }

    /// Bits of all arrays together.
    pub fn total_bits(&self) -> u64 {
        self.inventory().iter().fold(0, |sum, a| sum.saturating_add(a.bits()))
    }
}
