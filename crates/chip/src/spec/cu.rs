//! The compute unit of AMD's Southern Islands: limits, registers, LDS, fetch
//! and the cycles of its instructions.

use serde::{Deserialize, Serialize};

/// Compute units, and all tables that say what they are made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CuCore {
    /// Compute units and their limits.
    pub cu: CuSpec,
    /// Vector registers.
    pub vgpr: VgprSpec,
    /// Scalar registers.
    pub sgpr: SgprSpec,
    /// Local data share.
    pub lds: LdsSpec,
    /// Instruction fetch.
    pub fetch: FetchSpec,
    /// Cycles of instructions that touch no memory.
    pub cycles: CyclesSpec,
    /// Scalar memory.
    pub smem: ScalarMemorySpec,
    /// Vector memory.
    pub vmem: VectorMemorySpec,
    /// Counters of outstanding accesses.
    pub counters: CountersSpec,
}

/// Compute units and their limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CuSpec {
    /// Compute units on the chip.
    pub count: u32,
    /// Most compute units that share a scalar and an instruction cache.
    pub group: u32,
    /// SIMD units per compute unit.
    pub simds: u32,
    /// Lanes of a SIMD unit.
    pub lanes: u32,
    /// Work-items per wavefront.
    pub wave_size: u32,
    /// Resident wavefronts per SIMD unit.
    pub waves: u32,
    /// Resident work-groups of more than one wavefront per compute unit.
    pub barriers: u32,
    /// Work-items of the largest work-group.
    pub work_group: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Vector registers and their allocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VgprSpec {
    /// Registers of each lane of a wavefront, per SIMD unit.
    pub per_simd: u32,
    /// A wavefront's registers are rounded up to a multiple of this.
    pub granule: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Scalar registers and their allocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SgprSpec {
    /// Registers per SIMD unit.
    pub per_simd: u32,
    /// A wavefront's registers are rounded up to a multiple of this.
    pub granule: u32,
    /// Most registers that code can name, without VCC.
    pub per_wave: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Local data share: its allocation, and cycles for which an instruction keeps
/// its way there, by 32-bit words per lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LdsSpec {
    /// Bytes per compute unit.
    pub bytes: u32,
    /// Most a work-group may ask for.
    pub per_group: u32,
    /// A work-group's share is rounded up to a multiple of this.
    pub granule: u32,
    /// Banks.
    pub banks: u32,
    /// Width of a bank.
    pub bank_bytes: u32,
    /// Cycles from issue to result without conflicts.
    pub latency: u32,
    /// SIMD units that share one way into it.
    pub simds_per_way: u32,
    /// A read of one word.
    pub read_1: u32,
    /// A read of two words.
    pub read_2: u32,
    /// A read of four words.
    pub read_4: u32,
    /// A write of one word.
    pub write_1: u32,
    /// A write of two words.
    pub write_2: u32,
    /// A write of four words.
    pub write_4: u32,
    /// An atomic on one word.
    pub atomic_1: u32,
    /// An atomic on two words.
    pub atomic_2: u32,
    /// A comparing or masking atomic on one word.
    pub compare_1: u32,
    /// A comparing or masking atomic on two words.
    pub compare_2: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Instruction fetch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FetchSpec {
    /// Words of 32 bits that a wavefront's buffer holds.
    pub buffer_words: u32,
    /// Bytes that a compute unit is given per cycle, for one wavefront.
    pub bytes: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Cycles of instructions that touch no memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CyclesSpec {
    /// A vector instruction of full rate.
    pub valu: u32,
    /// One of a quarter of it: transcendentals, 32-bit products.
    pub quarter: u32,
    /// A fused multiply-add of 32 bits.
    pub fma: u32,
    /// A 64-bit sum, comparison, conversion or shift.
    pub double: u32,
    /// A 64-bit product, fused multiply-add or approximation.
    pub double_product: u32,
    /// A scalar instruction.
    pub salu: u32,
    /// One that saves EXEC or writes a hardware register.
    pub salu_long: u32,
    /// From a vector instruction that writes scalar registers to a scalar one that reads them.
    pub vector_to_scalar: u32,
    /// From a write of SCC, VCC or EXEC to a branch on it, besides.
    pub to_branch: u32,
    /// A branch that is taken.
    pub branch_taken: u32,
    /// One that is not.
    pub branch_untaken: u32,
    /// Each unit of a sleep.
    pub sleep: u32,
    /// From the last wavefront at a barrier until all go on.
    pub barrier: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Scalar memory: cycles for which a load keeps the scalar unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalarMemorySpec {
    /// Of at most four words.
    pub load_4: u32,
    /// Of eight words.
    pub load_8: u32,
    /// Of sixteen words.
    pub load_16: u32,
    /// Bytes that the scalar cache gives a compute unit per cycle.
    pub return_bytes: u32,
    /// Until a cache without room is asked again.
    pub retry: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Vector memory: cycles for which an instruction keeps the address unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorMemorySpec {
    /// A load of at most one word per lane, addresses in a row or alike.
    pub linear: u32,
    /// One with other addresses.
    pub scattered: u32,
    /// A load of two words per lane.
    pub load_2: u32,
    /// A load of four words per lane.
    pub load_4: u32,
    /// A store.
    pub store: u32,
    /// An atomic.
    pub atomic: u32,
    /// A comparing atomic.
    pub compare: u32,
    /// Until the registers of a store's data are read.
    pub read_data: u32,
    /// Cycles of stores that may wait at the crossbar before the unit stops.
    pub store_backlog: u32,
    /// Until a cache without room is asked again.
    pub retry: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The most that counters of outstanding accesses count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountersSpec {
    /// Vector memory.
    pub vmcnt: u32,
    /// Exports, and stores whose data is not read yet.
    pub expcnt: u32,
    /// LDS, GDS, scalar memory and messages.
    pub lgkmcnt: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl CuSpec {
    /// Groups that share a scalar and an instruction cache.
    pub fn groups(&self) -> u32 {
        self.count.div_ceil(self.group.max(1))
    }

    /// Compute units of a group: as even as can be, the first ones larger.
    pub fn group_size(&self, group: u32) -> u32 {
        let groups = self.groups().max(1);
        self.count / groups + u32::from(group < self.count % groups)
    }

    /// First compute unit of a group.
    pub fn first_of_group(&self, group: u32) -> u32 {
        let groups = self.groups().max(1);
        group * (self.count / groups) + group.min(self.count % groups)
    }

    /// Resident wavefronts of a compute unit.
    pub fn waves_per_cu(&self) -> u32 {
        self.simds.saturating_mul(self.waves)
    }
}

impl VgprSpec {
    /// Bits of a SIMD unit's registers, for wavefronts of so many work-items.
    pub fn bits(&self, wave_size: u32) -> u64 {
        u64::from(self.per_simd) * u64::from(wave_size) * 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(count: u32, group: u32) -> CuSpec {
        CuSpec {
            count,
            group,
            simds: 4,
            lanes: 16,
            wave_size: 64,
            waves: 10,
            barriers: 16,
            work_group: 256,
            source: None,
        }
    }

    #[test]
    fn groups_share_out_all_units() {
        let sizes = |count, group| {
            let cu = units(count, group);
            (0..cu.groups()).map(|g| cu.group_size(g)).collect::<Vec<_>>()
        };
        assert_eq!(sizes(32, 4), [4; 8]);
        assert_eq!(sizes(10, 4), [4, 3, 3]);
        assert_eq!(sizes(1, 4), [1]);
        for count in 1..40 {
            for group in 1..=4 {
                let cu = units(count, group);
                let mut next = 0;
                for (g, size) in sizes(count, group).into_iter().enumerate() {
                    assert!((1..=group).contains(&size), "{count} in groups of {group}");
                    assert_eq!(cu.first_of_group(g as u32), next);
                    next += size;
                }
                assert_eq!(next, count);
            }
        }
    }
}
