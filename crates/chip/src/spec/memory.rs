//! Below the SMs: crossbar, partitions, DRAM.

use serde::{Deserialize, Serialize};

/// Partitions between crossbar and DRAM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemorySpec {
    /// Device memory.
    pub bytes: u64,
    /// Memory channels.
    pub partitions: u32,
    /// L2 slices per channel.
    pub slices_per_partition: u32,
    /// Consecutive bytes in one channel, a power of two.
    pub partition_bytes: u32,
    /// Channel index function.
    pub partition_hash: PartitionHash,
    /// Address bits inside a channel, highest first: R row, B bank, C column, S column within a
    /// burst, 0 unused.
    pub address_map: String,
    /// Cycles between crossbar and L2 slice.
    pub rop_latency: u32,
    /// Cycles between L2 slice and DRAM, on top of DRAM timing.
    pub dram_latency: u32,
    /// Whether copies from the host leave their data in L2.
    pub copies_fill_l2: bool,
    /// Largest copy that does so; all of them without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies_fill_most: Option<u64>,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// DRAM organisation and timing, in command cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramSpec {
    /// Order of requests.
    pub scheduler: DramScheduler,
    /// Requests the scheduler sees; 0 = unlimited.
    pub queue: u32,
    /// Chips side by side per channel.
    pub chips: u32,
    /// Data bus of one chip.
    pub bus_bytes: u32,
    /// Transfers per access.
    pub burst: u32,
    /// Transfers per command cycle.
    pub data_per_command: u32,
    /// Bank index function.
    pub bank_hash: BankHash,
    /// Which bank bits choose the group.
    pub bank_group_bits: BankGroupBits,
    /// Banks per channel.
    pub banks: u32,
    /// Bank groups per channel.
    pub bank_groups: u32,
    /// Column to column.
    pub ccd: u32,
    /// Activate to activate of another bank.
    pub rrd: u32,
    /// Activate to column.
    pub rcd: u32,
    /// Activate to precharge.
    pub ras: u32,
    /// Precharge to activate.
    pub rp: u32,
    /// Activate to activate of the same bank.
    pub rc: u32,
    /// Read to data.
    pub cl: u32,
    /// Write to data.
    pub wl: u32,
    /// Last write data to read.
    pub cdlr: u32,
    /// Last write data to precharge.
    pub wr: u32,
    /// Column to column in the same bank group.
    pub ccdl: u32,
    /// Read to precharge in the same bank group.
    pub rtpl: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Crossbar between SMs and L2 slices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterconnectSpec {
    /// Bytes per packet and cycle.
    pub flit_bytes: u32,
    /// Bytes of a flit from L2 to the SMs, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_flit_bytes: Option<u32>,
    /// Bytes of a packet besides its data, per sector.
    pub header_bytes: u32,
    /// Ways that each core has into the crossbar and out of it; one without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ports: Option<u32>,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Channel index function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionHash {
    /// Modulo.
    Plain,
    /// XOR with higher bits.
    Xor,
    /// Irreducible polynomial.
    Ipoly,
}

/// Order of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DramScheduler {
    /// Row hits first, then the oldest.
    FrFcfs,
    /// In order.
    Fifo,
}

/// Bank index function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankHash {
    /// The bank bits.
    Plain,
    /// XOR with row bits.
    Xor,
}

/// Which bank bits choose the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankGroupBits {
    /// The high ones.
    High,
    /// The low ones.
    Low,
}
