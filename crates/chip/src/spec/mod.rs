//! The chip as the rest of the project sees it: one Spec per component.

mod cache;
mod chip;
mod core;
mod cu;
mod driver;
mod memory;
mod sm;
mod tables;

use serde::{Deserialize, Serialize};

pub use cache::*;
pub use chip::*;
pub use core::*;
pub use cu::*;
pub use driver::*;
pub use memory::*;
pub use sm::*;

use crate::error::ChipError;
use tables::{Tables, needed};

/// A whole chip, validated when built.
///
/// Built by [`ChipSpec::load`], [`ChipSpec::preset`] or [`ChipSpec::parse`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Tables", into = "Tables")]
pub struct ChipSpec {
    /// Identity and technology.
    pub chip: IdentitySpec,
    /// Clock domains.
    pub clock: ClockSpec,
    /// SMs or compute units.
    pub core: CoreSpec,
    /// Caches, nearest to the cores first by convention.
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
    pub driver: DriverSpec,
    /// Switches of the model.
    pub model: ModelSpec,
}

impl TryFrom<Tables> for ChipSpec {
    type Error = String;

    fn try_from(mut tables: Tables) -> Result<Self, String> {
        Ok(ChipSpec {
            core: tables.take_core()?,
            chip: needed(tables.chip, "chip")?,
            clock: needed(tables.clock, "clock")?,
            caches: tables.caches.unwrap_or_default(),
            memory: needed(tables.memory, "memory")?,
            dram: needed(tables.dram, "dram")?,
            interconnect: needed(tables.interconnect, "interconnect")?,
            launch: needed(tables.launch, "launch")?,
            driver: tables.driver.unwrap_or_default(),
            model: needed(tables.model, "model")?,
        })
    }
}

impl From<ChipSpec> for Tables {
    fn from(spec: ChipSpec) -> Tables {
        let ChipSpec {
            chip,
            clock,
            core,
            caches,
            memory,
            dram,
            interconnect,
            launch,
            driver,
            model,
        } = spec;
        let mut tables = Tables {
            chip: Some(chip),
            clock: Some(clock),
            caches: Some(caches),
            memory: Some(memory),
            dram: Some(dram),
            interconnect: Some(interconnect),
            launch: Some(launch),
            driver: Some(driver),
            model: Some(model),
            ..Tables::default()
        };
        tables.put_core(core);
        tables
    }
}

impl ChipSpec {
    /// The cache of that name.
    pub fn cache(&self, name: &str) -> Option<&CacheSpec> {
        self.caches.iter().find(|c| c.name == name)
    }

    /// Its SMs; a chip with compute units is an error that says so.
    pub fn sm(&self) -> Result<&SmCore, ChipError> {
        match &self.core {
            CoreSpec::Sm(core) => Ok(core),
            CoreSpec::Cu(_) => Err(self.other_core("compute units", "SMs (NVIDIA's)")),
        }
    }

    /// Its compute units; a chip with SMs is an error that says so.
    pub fn cu(&self) -> Result<&CuCore, ChipError> {
        match &self.core {
            CoreSpec::Cu(core) => Ok(core),
            CoreSpec::Sm(_) => Err(self.other_core("SMs", "compute units (AMD's)")),
        }
    }

    fn other_core(&self, has: &'static str, needs: &'static str) -> ChipError {
        ChipError::OtherCore { chip: self.chip.name.clone(), has, needs }
    }

    /// The number in `sm_NN`; none for other vendors.
    pub fn sm_number(&self) -> Option<u32> {
        self.chip.arch.strip_prefix("sm_")?.parse().ok()
    }

    /// Compute capability, e.g. (7, 5).
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        self.sm_number().map(|n| (n / 10, n % 10))
    }

    /// What the memory system knows as cores, each with ways into the crossbar
    /// of its own: SMs, or groups of compute units that share caches.
    pub fn cores(&self) -> u32 {
        match &self.core {
            CoreSpec::Sm(core) => core.sm.count,
            CoreSpec::Cu(core) => core.cu.groups(),
        }
    }

    /// SMs or compute units.
    pub fn processors(&self) -> u32 {
        match &self.core {
            CoreSpec::Sm(core) => core.sm.count,
            CoreSpec::Cu(core) => core.cu.count,
        }
    }

    /// Sub-cores of an SM, or SIMD units of a compute unit.
    pub fn subcores(&self) -> u32 {
        match &self.core {
            CoreSpec::Sm(core) => core.sm.subcores,
            CoreSpec::Cu(core) => core.cu.simds,
        }
    }

    /// Whether warps meet by a stack, and hardware checks hazards (before Volta).
    pub fn has_stack(&self) -> bool {
        matches!(&self.core, CoreSpec::Sm(core) if core.sm.convergence_barriers == 0)
    }

    /// Resident warps of an SM, or wavefronts of a compute unit.
    pub fn warps(&self) -> u32 {
        match &self.core {
            CoreSpec::Sm(core) => core.sm.warps,
            CoreSpec::Cu(core) => core.cu.waves_per_cu(),
        }
    }

    /// Registers of 32 bits of an SM's threads, or of a compute unit's lanes.
    pub fn registers(&self) -> u32 {
        match &self.core {
            CoreSpec::Sm(core) => core.registers.per_sm,
            CoreSpec::Cu(core) => {
                let per_simd = core.vgpr.per_simd.saturating_mul(core.cu.wave_size);
                per_simd.saturating_mul(core.cu.simds)
            }
        }
    }

    /// Shared memory of an SM, or local data share of a compute unit.
    pub fn shared_bytes(&self) -> u32 {
        match &self.core {
            CoreSpec::Sm(core) => core.shared.bytes,
            CoreSpec::Cu(core) => core.lds.bytes,
        }
    }

    /// L2 slices of the whole chip.
    pub fn slices(&self) -> u32 {
        self.memory.partitions.saturating_mul(self.memory.slices_per_partition)
    }

    /// Instances of something that sits somewhere; none where the chip has no
    /// such place.
    pub fn instances(&self, per: Per) -> u32 {
        match (per, &self.core) {
            (Per::Slice, _) => self.slices(),
            (Per::Subcore, CoreSpec::Sm(core)) => core.sm.count.saturating_mul(core.sm.subcores),
            (Per::Sm, CoreSpec::Sm(core)) => core.sm.count,
            (Per::Cu, CoreSpec::Cu(core)) => core.cu.count,
            (Per::Group, CoreSpec::Cu(core)) => core.cu.groups(),
            (Per::Subcore | Per::Sm, CoreSpec::Cu(_)) | (Per::Cu | Per::Group, CoreSpec::Sm(_)) => {
                0
            }
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
