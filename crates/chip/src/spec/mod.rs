//! The chip as the rest of the project sees it: one Spec per component.

mod cache;
mod chip;
mod driver;
mod memory;
mod sm;

use serde::{Deserialize, Serialize};

pub use cache::*;
pub use chip::*;
pub use driver::*;
pub use memory::*;
pub use sm::*;

/// A whole chip, validated when built.
///
/// Built by [`ChipSpec::load`], [`ChipSpec::preset`] or [`ChipSpec::parse`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipSpec {
    /// Identity and technology.
    pub chip: IdentitySpec,
    /// Clock domains.
    pub clock: ClockSpec,
    /// Streaming multiprocessors.
    pub sm: SmSpec,
    /// Warp schedulers.
    pub scheduler: SchedulerSpec,
    /// Fetch and decode.
    pub frontend: FrontEndSpec,
    /// Register file.
    pub registers: RegisterSpec,
    /// Shared memory.
    pub shared: SharedSpec,
    /// Load/store path.
    pub lsu: LoadStoreSpec,
    /// Execution units.
    #[serde(rename = "unit", default)]
    pub units: Vec<UnitSpec>,
    /// Single operations.
    pub timing: TimingSpec,
    /// Caches, nearest to the SM first by convention.
    #[serde(rename = "cache", default)]
    pub caches: Vec<CacheSpec>,
    /// Memory partitions.
    pub memory: MemorySpec,
    /// DRAM.
    pub dram: DramSpec,
    /// Crossbar.
    pub interconnect: InterconnectSpec,
    /// Launches.
    pub launch: LaunchSpec,
    /// What the driver maps.
    #[serde(default)]
    pub driver: DriverSpec,
    /// Switches of the model.
    pub model: ModelSpec,
}

impl ChipSpec {
    /// The cache of that name.
    pub fn cache(&self, name: &str) -> Option<&CacheSpec> {
        self.caches.iter().find(|c| c.name == name)
    }

    /// The execution unit of that name.
    pub fn unit(&self, name: &str) -> Option<&UnitSpec> {
        self.units.iter().find(|u| u.name == name)
    }

    /// The number in `sm_NN`; none for other vendors.
    pub fn sm_number(&self) -> Option<u32> {
        self.chip.arch.strip_prefix("sm_")?.parse().ok()
    }

    /// Compute capability, e.g. (7, 5).
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        self.sm_number().map(|n| (n / 10, n % 10))
    }

    /// L2 slices of the whole chip.
    pub fn slices(&self) -> u32 {
        self.memory.partitions.saturating_mul(self.memory.slices_per_partition)
    }

    /// Instances of something that sits `per` sub-core, SM or slice.
    pub fn instances(&self, per: Per) -> u32 {
        match per {
            Per::Subcore => self.sm.count.saturating_mul(self.sm.subcores),
            Per::Sm => self.sm.count,
            Per::Slice => self.slices(),
        }
    }
}

impl CacheSpec {
    /// Lines of one instance.
    pub fn lines(&self) -> u64 {
        u64::from(self.sets) * u64::from(self.ways)
    }

    /// Data bytes of one instance.
    pub fn bytes(&self) -> u64 {
        self.lines() * u64::from(self.line_bytes)
    }

    /// Sectors per line.
    pub fn sectors(&self) -> u32 {
        self.line_bytes / self.sector_bytes.max(1)
    }

    /// What a store to local memory does on a hit.
    pub fn local_write(&self) -> WritePolicy {
        self.write_local.unwrap_or(self.write)
    }

    /// Outstanding misses and requests merged into each.
    ///
    /// A cache that does not say is bounded by its lines, as GPGPU-Sim 4 bounds
    /// its streaming caches: four per line, times four when sectored, 64 merged.
    pub fn mshr_limits(&self) -> (u64, u32) {
        let sectored = if self.sector_bytes < self.line_bytes { 4 } else { 1 };
        let entries = self.lines() * 4 * sectored;
        (self.mshr_entries.map_or(entries, u64::from), self.mshr_merge.unwrap_or(64))
    }
}

impl UnitSpec {
    /// Threads of an instruction: one value serves a whole warp in the uniform datapath.
    pub fn threads(&self) -> u32 {
        if self.name == "uniform" { 1 } else { 32 }
    }

    /// Cycles before one of them can take the next warp.
    pub fn interval(&self) -> u32 {
        self.threads().div_ceil(self.lanes.max(1)).max(self.initiation.unwrap_or(1))
    }
}

impl DramSpec {
    /// Bytes of one access.
    pub fn atom_bytes(&self) -> u64 {
        u64::from(self.burst) * u64::from(self.bus_bytes) * u64::from(self.chips)
    }
}

impl RegisterSpec {
    /// Registers a warp of `warp_size` threads takes at `per_thread` each.
    pub fn per_warp(&self, per_thread: u32, warp_size: u32) -> u64 {
        (u64::from(per_thread) * u64::from(warp_size))
            .next_multiple_of(u64::from(self.granule.max(1)))
    }
}
