//! The SM: limits, schedulers, front end, registers, shared memory, units.

use serde::{Deserialize, Serialize};

use super::cache::Per;

/// Streaming multiprocessors and their limits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmSpec {
    /// SMs on the chip.
    pub count: u32,
    /// Sub-cores per SM, each with its own register file.
    pub subcores: u32,
    /// Threads per warp.
    pub warp_size: u32,
    /// Resident warps per SM.
    pub warps: u32,
    /// Resident threads per SM.
    pub threads: u32,
    /// Resident CTAs per SM.
    pub ctas: u32,
    /// Largest CTA.
    pub threads_per_cta: u32,
    /// Named barriers per CTA.
    pub barriers_per_cta: u32,
    /// Convergence-barrier registers per warp.
    pub convergence_barriers: u32,
    /// Dependence counters per warp; 0 = hardware checks hazards.
    pub scoreboards: u32,
    /// Uniform registers per warp.
    pub uniform_registers: u32,
    /// SMs that share a TPC, neighbours by number, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_tpc: Option<u32>,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Warp schedulers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchedulerSpec {
    /// Warp schedulers per SM.
    pub per_sm: u32,
    /// Which eligible warp issues.
    pub policy: SchedulerPolicy,
    /// Instructions of a warp that one scheduler issues per cycle.
    pub issue_width: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Instruction fetch and decode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontEndSpec {
    /// Instructions fetched at a time.
    pub fetch_instructions: u32,
    /// Decoded instructions held per warp.
    pub buffer_entries: u32,
    /// Cycles from fetch to earliest issue.
    pub fetch_to_issue: u32,
    /// Lines fetched ahead after an instruction miss.
    pub prefetch_lines: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Register file and its allocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterSpec {
    /// 32-bit registers per SM.
    pub per_sm: u32,
    /// 32-bit registers one CTA may hold.
    pub per_cta: u32,
    /// Most registers a thread may use.
    pub per_thread: u32,
    /// A warp's registers are rounded up to a multiple of this.
    pub granule: u32,
    /// Parts the file is divided into when warps are placed.
    pub partitions: u32,
    /// Banks per sub-core.
    pub banks: u32,
    /// Read ports per bank.
    pub ports: u32,
    /// Operand slots of the reuse cache per bank; 0 = no reuse cache.
    pub reuse_slots: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Shared memory and its allocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedSpec {
    /// Shared memory per SM.
    pub bytes: u32,
    /// Most a CTA may ask for.
    pub per_cta: u32,
    /// A CTA's share is rounded up to a multiple of this.
    pub granule: u32,
    /// Bytes the system takes per CTA.
    pub reserved_per_cta: u32,
    /// Banks.
    pub banks: u32,
    /// Width of a bank.
    pub bank_bytes: u32,
    /// Cycles from issue to result without conflicts.
    pub latency: u32,
    /// Sizes the hardware can choose, KiB, for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carveouts_kib: Option<Vec<u32>>,
    /// Array shared between shared memory and L1, KiB, for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unified_kib: Option<u32>,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Load/store path of an SM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadStoreSpec {
    /// Memory instructions waiting per scheduler.
    pub queue: u32,
    /// Cycles between memory instructions of one scheduler.
    pub address_interval: u32,
    /// Cycles between accesses of one scheduler to shared memory, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_interval: Option<u32>,
    /// Cycles between memory instructions of one SM.
    pub sm_interval: u32,
    /// Bytes returned to the register file per cycle.
    pub return_bytes: u32,
    /// Cycles of stores that may wait at the crossbar before the pipe stops.
    pub store_backlog: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// One kind of execution unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitSpec {
    /// Its name.
    pub name: String,
    /// Where it sits.
    pub per: Per,
    /// How many sit there.
    pub count: u32,
    /// Threads one of them starts per cycle.
    pub lanes: u32,
    /// Cycles before it can take the next warp, where they are more than its lanes need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiation: Option<u32>,
    /// Cycles from issue until the result is there.
    pub latency: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Cycles of single operations that no unit's latency says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingSpec {
    /// Pause after stall 0 with the yield flag.
    pub pause_long: u32,
    /// Pause after stall 1 with the yield flag, and after stalls from 12 on without it.
    pub pause_short: u32,
    /// Until operands are read.
    pub read: u32,
    /// Cycles until the unit of transcendentals has read its operands.
    pub read_mufu: u32,
    /// By which a store reads its data later than its address.
    pub read_store: u32,
    /// Cycles more where a store does not go to shared memory.
    pub read_store_far: u32,
    /// Cycles more for each word of a store after the first.
    pub read_store_word: u32,
    /// Until a special register is read.
    pub special: u32,
    /// Until a convergence barrier is moved.
    pub barrier_move: u32,
    /// Until a clock of 64 bits is read.
    pub clock: u32,
    /// Until a clock of 32 bits is read.
    pub clock_word: u32,
    /// Until the address of code is there.
    pub code_address: u32,
    /// Until a vote is counted.
    pub vote: u32,
    /// From the lanes to a uniform register.
    pub to_uniform: u32,
    /// A uniform move or constant load.
    pub uniform_move: u32,
    /// The longest of other uniform results.
    pub uniform_most: u32,
    /// For which an integer product keeps its pipe, at least; a wide one twice as long.
    pub integer_product: u32,
    /// After which a wide multiply-add takes its addend.
    pub wide_read: u32,
    /// By which a wide multiply-add keeps its warp and the issue port longer.
    pub wide_hold: u32,
    /// Between indexed constant loads.
    pub constant_load: u32,
    /// By which a reconvergence takes longer than a taken branch.
    pub join: u32,
    /// Cycles more than a taken branch for each group of a divided warp that is gathered.
    pub gather: u32,
    /// Cycles more than a taken branch where the target is in a register.
    pub indirect: u32,
    /// Until a cache without room is asked again.
    pub retry: u32,
    /// Between looks at a fence that waits for stores.
    pub fence_poll: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Which eligible warp issues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchedulerPolicy {
    /// The last one as long as it can, then the oldest (GPGPU-Sim).
    #[default]
    GreedyThenOldest,
    /// The last one as long as it can, then the youngest (measured on Turing and later).
    GreedyThenYoungest,
    /// In turn, skipping those that cannot.
    LooseRoundRobin,
    /// Always the oldest.
    OldestFirst,
}
