//! Identity, clocks, launches and switches of the model.

use serde::{Deserialize, Serialize};

/// What the chip is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentitySpec {
    /// Short name, as used on the command line; a file without it is called by its file name.
    pub name: String,
    /// Product name.
    pub title: String,
    /// Who makes it.
    pub vendor: Vendor,
    /// Microarchitecture, e.g. Turing.
    pub family: String,
    /// Machine code it runs: sm_NN.
    pub arch: String,
    /// Feature size of the process, nm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_nm: Option<u32>,
    /// Failures in 1e9 hours per bit, before any masking; without it no FIT is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_fit_per_bit: Option<f64>,
    /// Where raw_fit_per_bit comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_fit_source: Option<String>,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Clock domains, MHz.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockSpec {
    /// SM clock.
    pub core_mhz: f64,
    /// Crossbar clock.
    pub interconnect_mhz: f64,
    /// L2 clock.
    pub l2_mhz: f64,
    /// DRAM command clock.
    pub dram_mhz: f64,
    /// Highest SM clock, for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boost_mhz: Option<f64>,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Costs and limits of kernel launches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchSpec {
    /// Cycles before a kernel's first CTA.
    pub kernel_latency: u32,
    /// Cycles until a finished CTA makes room for the next.
    pub cta_latency: u32,
    /// Cycles between two CTAs that one SM is given, where it takes more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cta_interval: Option<u32>,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Switches of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Empty the first-level caches when a kernel ends.
    pub flush_l1_between_kernels: bool,
    /// Empty L2 when a kernel ends.
    pub flush_l2_between_kernels: bool,
    /// Instruction and constant accesses always hit.
    pub perfect_instruction_and_constant: bool,
    /// Whether arrays are protected by ECC.
    pub ecc: bool,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Who makes the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vendor {
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
}
