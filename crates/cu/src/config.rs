//! The chip's numbers, as the compute units need them.

use upset_chip::{ChipError, ChipSpec, CuCore};
use upset_gcn::inst::Inst;
use upset_gcn::row::{Specials, Unit};
use upset_gcn::sem::Does;
use upset_gcn::sem::flow::Flow;
use upset_gcn::sem::vector::Pace;
use upset_mem::{FirstLevel, Port};
use upset_state::Kind;

use crate::ibuf::ROW;

/// Number of the first-level caches in requests: the compute units of a group
/// have theirs by their number in it.
pub mod client {
    /// The scalar cache of a group.
    pub const SCALAR: u8 = 254;
    /// The instruction cache of a group.
    pub const INSTRUCTION: u8 = 255;
}

/// Numbers of a chip.
#[derive(Clone, Debug)]
pub struct Config {
    /// First compute unit and number of them, of each group.
    pub groups: Vec<(u32, u32)>,
    /// SIMD units of a compute unit.
    pub simds: u32,
    /// Wave slots of a SIMD unit.
    pub waves: u32,
    /// Work-group slots of a compute unit.
    pub group_slots: u32,
    /// Work-groups of more than one wave that it can hold.
    pub barriers: u32,
    /// Vector registers of a SIMD unit.
    pub vgprs: u32,
    /// They are given out by so many.
    pub vgpr_granule: u32,
    /// Scalar registers of a SIMD unit.
    pub sgprs: u32,
    /// They are given out by so many.
    pub sgpr_granule: u32,
    /// Bytes of LDS.
    pub lds_bytes: u32,
    /// It is given out by so many bytes.
    pub lds_granule: u32,
    /// Cycles between two turns of a SIMD unit.
    pub turn: u64,
    /// The most that each counter of outstanding operations counts.
    pub most: [u8; 3],
    /// Bytes that one fetch brings at most, from an aligned block.
    pub fetch_bytes: u64,
    /// Rows of an instruction buffer.
    pub buffer_rows: u32,
    /// From the instruction cache to issue.
    pub fetch_latency: u32,
    /// A vector instruction of each pace.
    pace: [u32; 6],
    salu: u32,
    salu_long: u32,
    branch_untaken: u32,
    /// A jump.
    pub branch_taken: u32,
    /// From a vector instruction's scalar result to scalar instructions.
    pub scalar_delay: u32,
    /// From a flag to a jump on it, besides.
    pub flag_delay: u32,
    /// Until a cache without room is asked again.
    pub retry: u32,
    /// Vector memory instructions that may wait for the address unit.
    pub vector_queue: u32,
    /// The tables of the chip.
    pub core: CuCore,
    /// Cycles from the vector cache's answer to the registers.
    pub vector_latency: u32,
    /// The same for scalar reads.
    pub scalar_latency: u32,
    /// Caches of the chip's list: vector, scalar, instructions.
    pub caches: [u8; 3],
    /// Cycles before a kernel's first work-group.
    pub kernel_latency: u32,
    /// Until a finished work-group makes room.
    pub group_latency: u32,
    /// Between two work-groups of one compute unit.
    pub group_interval: u32,
    /// First-level caches are emptied between kernels.
    pub flush_l1: bool,
    /// L2 is emptied between kernels.
    pub flush_l2: bool,
}

/// Vector memory instructions that may wait for the address unit.
const VECTOR_QUEUE: u32 = 32;

/// Names of the caches in chip files: vector, scalar, instructions.
pub(crate) const NAMES: [&str; 3] = ["l1v", "l1s", "l1i"];

impl Config {
    /// The numbers of a chip of compute units; an error if it has other cores.
    pub fn new(chip: &ChipSpec) -> Result<Config, ChipError> {
        let core = chip.cu()?.clone();
        let latency = |name: &str| chip.cache(name).map_or(1, |c| c.latency);
        // A chip without one of them does not pass its checks.
        let index = |name: &str| chip.caches.iter().position(|c| c.name == name).unwrap_or(0);
        let caches = NAMES.map(|name| index(name) as u8);
        let cu = &core.cu;
        let cycles = &core.cycles;
        Ok(Config {
            groups: (0..cu.groups()).map(|g| (cu.first_of_group(g), cu.group_size(g))).collect(),
            simds: cu.simds,
            waves: cu.waves,
            group_slots: cu.waves_per_cu(),
            barriers: cu.barriers,
            vgprs: core.vgpr.per_simd,
            vgpr_granule: core.vgpr.granule,
            sgprs: core.sgpr.per_simd,
            sgpr_granule: core.sgpr.granule,
            lds_bytes: core.lds.bytes,
            lds_granule: core.lds.granule,
            turn: u64::from(cu.wave_size / cu.lanes.max(1)).max(1),
            most: [core.counters.vmcnt, core.counters.expcnt, core.counters.lgkmcnt]
                .map(|n| n.min(15) as u8),
            fetch_bytes: u64::from(core.fetch.bytes).max(ROW),
            buffer_rows: (core.fetch.buffer_words * 4).div_ceil(ROW as u32),
            fetch_latency: latency(NAMES[2]),
            pace: [
                cycles.valu,
                cycles.fma,
                cycles.quarter,
                cycles.double,
                cycles.double,
                cycles.double_product,
            ],
            salu: cycles.salu,
            salu_long: cycles.salu_long,
            branch_untaken: cycles.branch_untaken,
            branch_taken: cycles.branch_taken,
            scalar_delay: cycles.vector_to_scalar,
            flag_delay: cycles.to_branch,
            retry: core.vmem.retry,
            vector_queue: VECTOR_QUEUE,
            vector_latency: latency(NAMES[0]),
            scalar_latency: latency(NAMES[1]),
            caches,
            kernel_latency: chip.launch.kernel_latency,
            group_latency: chip.launch.cta_latency,
            group_interval: chip.launch.cta_interval.unwrap_or(1),
            flush_l1: chip.model.flush_l1_between_kernels,
            flush_l2: chip.model.flush_l2_between_kernels,
            core,
        })
    }

    /// Cycles for which an instruction keeps its unit and its wave.
    pub fn busy(&self, inst: &Inst) -> u32 {
        let row = inst.row;
        let dwords = row.dst.kind.dwords;
        let long = matches!(row.does, Does::SetReg)
            || row.unit == Unit::Salu && row.reads.has(Specials::EXEC);
        let cycles = match row.unit {
            Unit::Valu => match row.pace {
                Pace::Full => self.pace[0],
                Pace::Fma => self.pace[1],
                Pace::Quarter => self.pace[2],
                Pace::Double => self.pace[3],
                Pace::ConvertDouble => self.pace[4],
                Pace::DoubleProduct => self.pace[5],
            },
            Unit::Salu if long => self.salu_long,
            Unit::Salu => self.salu,
            Unit::Branch if matches!(row.does, Does::Flow(Flow::Branch(_))) => self.branch_untaken,
            Unit::Smem if dwords > 8 => self.core.smem.load_16,
            Unit::Smem if dwords > 4 => self.core.smem.load_8,
            Unit::Smem => self.core.smem.load_4,
            _ => 4,
        };
        cycles.max(4)
    }

    /// Which group a compute unit is in.
    pub fn group_of(&self, cu: u32) -> usize {
        let after = self.groups.partition_point(|(first, _)| *first <= cu);
        after.saturating_sub(1)
    }

    /// The cache of a compute unit or group.
    fn cache(&self, chip: &ChipSpec, which: usize, instance: u32, port: Port) -> FirstLevel {
        let number = self.caches[which];
        let spec = &chip.caches[usize::from(number)];
        FirstLevel::with_instance(spec, Kind::Cache(number), instance, port)
    }

    pub(crate) fn vector_cache(&self, chip: &ChipSpec, cu: u32, port: Port) -> FirstLevel {
        self.cache(chip, 0, cu, port)
    }

    pub(crate) fn shared_caches(&self, chip: &ChipSpec, group: u32) -> [FirstLevel; 2] {
        let port = |client| Port { core: group as u16, client };
        [
            self.cache(chip, 1, group, port(client::SCALAR)),
            self.cache(chip, 2, group, port(client::INSTRUCTION)),
        ]
    }
}
