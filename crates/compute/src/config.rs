//! The chip's numbers as the cycle loop needs them.

use upset_chip::{
    CacheSpec, ChipError, ChipSpec, Per, SchedulerPolicy, Space, TimingSpec, UNITS as UNIT_NAMES,
};
use upset_isa::Unit;

/// Kinds of execution unit, in the order of [`unit_index`], which is that of
/// their names in chip files.
pub const UNITS: usize = UNIT_NAMES.len();

/// Position of a unit in per-unit tables.
pub const fn unit_index(unit: Unit) -> usize {
    match unit {
        Unit::Alu => 0,
        Unit::Fma => 1,
        Unit::Fp64 => 2,
        Unit::Half => 3,
        Unit::Mufu => 4,
        Unit::Tensor => 5,
        Unit::Uniform => 6,
        Unit::Branch => 7,
        Unit::LoadStore => 8,
        Unit::Texture => 9,
        Unit::System => 10,
    }
}

/// Rates of one kind of unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitTiming {
    /// For the whole SM rather than for one scheduler.
    pub shared: bool,
    /// Cycles an instruction keeps it from taking the next one.
    pub interval: u32,
    /// How many there are.
    pub count: u32,
    /// Threads that one of them starts in a cycle.
    pub lanes: u32,
    /// Cycles from issue until the result is there.
    pub latency: u32,
}

impl UnitTiming {
    /// How many stand side by side for all schedulers of an SM; none where each
    /// scheduler has its own.
    pub fn groups(self) -> u32 {
        if self.shared { self.count } else { 0 }
    }
}

/// What the SMs need to know of a chip.
#[derive(Clone, Debug)]
pub struct Config {
    /// SMs.
    pub sms: u32,
    /// Sub-cores per SM: register files.
    pub subcores: u32,
    /// Warp schedulers per SM.
    pub schedulers: u32,
    /// Instructions of one warp that a scheduler issues per cycle.
    pub issue_width: u32,
    /// Warp slots per SM.
    pub warps: u32,
    /// Threads per SM.
    pub threads: u32,
    /// CTA slots per SM.
    pub ctas: u32,
    /// Register rows per sub-core.
    pub rows: u32,
    /// Rows given out together.
    pub row_granule: u32,
    /// Register banks per sub-core.
    pub banks: u32,
    /// Read ports per bank.
    pub ports: u32,
    /// Operand slots of the reuse cache.
    pub reuse_slots: u32,
    /// Shared bytes per SM.
    pub shared_bytes: u32,
    /// Shared memory is given out in multiples of this.
    pub shared_granule: u32,
    /// Shared bytes that the system takes per CTA.
    pub shared_reserved: u32,
    /// Shared-memory banks.
    pub shared_banks: u32,
    /// Bytes of one of them.
    pub shared_bank_bytes: u32,
    /// Issue to result of a shared-memory load.
    pub shared_latency: u32,
    /// Which warp issues.
    pub policy: SchedulerPolicy,
    /// Most instructions fetched at a time.
    pub fetch: u32,
    /// Instructions held per warp.
    pub buffer: u32,
    /// Cycles from fetch to earliest issue.
    pub fetch_to_issue: u32,
    /// Instruction lines fetched ahead of a miss.
    pub prefetch_lines: u32,
    /// Memory instructions a sub-core can have waiting, the latch included.
    pub memory_queue: u32,
    /// Cycles between memory instructions of one sub-core.
    pub address_interval: u32,
    /// Cycles between accesses of one sub-core to shared memory.
    pub shared_interval: u32,
    /// Cycles between memory instructions of one SM.
    pub sm_interval: u32,
    /// Bytes returned to the register file per cycle.
    pub return_bytes: u32,
    /// Cycles of stores that may wait at the crossbar before the pipe stops.
    pub store_backlog: u32,
    /// Cycles from issue until a memory instruction has read its registers.
    pub operand_read: u32,
    /// Execution units.
    pub units: [UnitTiming; UNITS],
    /// Single operations.
    pub timing: TimingSpec,
    /// Issue to result of an L1 data hit.
    pub l1d_latency: u32,
    /// Loads of global memory, and of local memory, that go past the L1 data cache.
    pub past_l1d: [bool; 2],
    /// Sectors the L1 data cache delivers per cycle.
    pub l1d_sectors: u32,
    /// Issue to result of a texture hit.
    pub l1t_latency: u32,
    /// Issue to result of an indexed constant load that hits.
    pub l1c_latency: u32,
    /// Extra cycles of an instruction-cache hit.
    pub l1i_latency: u32,
    /// Instruction and constant accesses never wait.
    pub perfect: bool,
    /// Empty the first-level caches at kernel ends.
    pub flush_l1: bool,
    /// Empty L2 at kernel ends.
    pub flush_l2: bool,
    /// Cycles before a kernel's first CTA.
    pub kernel_latency: u32,
    /// Cycles until what a finished CTA held is given to the next.
    pub cta_latency: u32,
    /// Cycles between two CTAs that one SM is given.
    pub cta_interval: u32,
    /// Whether there is a uniform datapath.
    pub has_uniform: bool,
    /// Cycles on the way from L2 back to an SM, for fences.
    pub way_back: u32,
    /// Core clock, for the timer that counts nanoseconds.
    pub core_khz: u64,
}

impl Config {
    /// From a chip description; an error if it has no SMs.
    pub fn new(chip: &ChipSpec) -> Result<Config, ChipError> {
        let core = chip.sm()?;
        let latency = |name: &str, default: u32| chip.cache(name).map_or(default, |c| c.latency);
        let units = std::array::from_fn(|i| match core.unit(UNIT_NAMES[i]) {
            Some(u) => UnitTiming {
                shared: u.per != Per::Subcore,
                interval: u.interval(),
                count: u.count,
                lanes: u.lanes,
                latency: u.latency,
            },
            // Only units that no instruction of the chip is sent to can be left out.
            None => UnitTiming { shared: false, interval: 1, count: 1, lanes: 0, latency: 4 },
        });
        let subcores = core.sm.subcores;
        let l1d = chip.cache("l1d");
        Ok(Config {
            sms: core.sm.count,
            subcores,
            schedulers: core.scheduler.per_sm,
            issue_width: core.scheduler.issue_width,
            warps: core.sm.warps,
            threads: core.sm.threads,
            ctas: core.sm.ctas,
            rows: core.registers.per_sm / subcores / core.sm.warp_size,
            row_granule: core.registers.granule / core.sm.warp_size,
            banks: core.registers.banks,
            ports: core.registers.ports,
            reuse_slots: core.registers.reuse_slots,
            shared_bytes: core.shared.bytes,
            shared_granule: core.shared.granule,
            shared_reserved: core.shared.reserved_per_cta,
            shared_banks: core.shared.banks,
            shared_bank_bytes: core.shared.bank_bytes,
            shared_latency: core.shared.latency,
            policy: core.scheduler.policy,
            fetch: core.frontend.fetch_instructions,
            buffer: core.frontend.buffer_entries,
            fetch_to_issue: core.frontend.fetch_to_issue,
            prefetch_lines: core.frontend.prefetch_lines,
            memory_queue: core.lsu.queue + 1,
            address_interval: core.lsu.address_interval,
            shared_interval: core.lsu.shared_interval.unwrap_or(core.lsu.address_interval),
            sm_interval: core.lsu.sm_interval,
            return_bytes: core.lsu.return_bytes,
            store_backlog: core.lsu.store_backlog,
            has_uniform: core.sm.uniform_registers > 0,
            operand_read: units_latency(&units, Unit::LoadStore),
            units,
            timing: TimingSpec { source: None, ..core.timing.clone() },
            l1d_latency: latency("l1d", 32),
            past_l1d: [Space::Global, Space::Local].map(|space| passes_l1d(chip, space)),
            l1d_sectors: l1d.map_or(4, sectors_per_cycle),
            l1t_latency: latency("l1t", 40),
            l1c_latency: latency("l1c", 26),
            l1i_latency: latency("l1i", 1) - 1,
            perfect: chip.model.perfect_instruction_and_constant,
            flush_l1: chip.model.flush_l1_between_kernels,
            flush_l2: chip.model.flush_l2_between_kernels,
            kernel_latency: chip.launch.kernel_latency,
            cta_latency: chip.launch.cta_latency,
            cta_interval: chip.launch.cta_interval.unwrap_or(1),
            way_back: chip.memory.rop_latency,
            core_khz: (chip.clock.core_mhz * 1000.0).round().max(1.0) as u64,
        })
    }

    /// Rates of a unit.
    pub fn unit(&self, unit: Unit) -> UnitTiming {
        self.units[unit_index(unit)]
    }
}

/// Whether loads of a space go past the L1 data cache. From sm_70 on none do:
/// where the chip has no such cache, a line stands in for it.
fn passes_l1d(chip: &ChipSpec, space: Space) -> bool {
    let is_served = |c: &CacheSpec| c.serves.contains(&space);
    chip.has_stack() && !chip.cache("l1d").is_some_and(is_served)
}

/// Sectors that the ports of all banks deliver together.
fn sectors_per_cycle(c: &CacheSpec) -> u32 {
    c.port_bytes.unwrap_or(c.sector_bytes) * c.banks.unwrap_or(1) / c.sector_bytes
}

fn units_latency(units: &[UnitTiming; UNITS], unit: Unit) -> u32 {
    units[unit_index(unit)].latency
}
