//! What a store holds, as plain data.
//!
//! A campaign is about one or more *subjects* (an application on a chip). For
//! each it has *strata*: a structure under a kernel (or the whole run) with one
//! kind of fault. A stratum has *experiments*, numbered from 0; what number n
//! is follows from the campaign's seed alone.

use serde::{Deserialize, Serialize};
use upset_metrics::Class;
pub use upset_metrics::{FirstAlarm, Noticed, Sdc};

use crate::shard::Shard;

/// What the campaign was asked to do and with what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the program that made the store.
    pub tool: String,
    /// The specification, complete (defaults filled in), as TOML.
    pub spec: String,
    /// Seed of the samples.
    pub seed: u64,
    /// Confidence of the intervals, 0.95 for 95 %.
    pub confidence: f64,
}

/// An application on a chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Number in the campaign, from 0.
    pub id: u32,
    /// Application: `hs`, or the program's file name.
    pub app: String,
    /// `small`, `paper`; empty for a program.
    pub scale: String,
    /// Program and arguments; empty for a built-in application.
    pub command: Vec<String>,
    /// Chip name.
    pub chip: String,
    /// The whole chip description, as TOML.
    pub chip_toml: String,
    /// Digests of what ran: name and digest of each binary.
    pub binaries: Vec<(String, String)>,
    /// What the fault-free run was like.
    pub profile: Profile,
}

/// The fault-free run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Cycles from start to end.
    pub cycles: u64,
    /// Core clock, in MHz.
    pub core_mhz: f64,
    /// Cycle limit of faulty runs.
    pub limit: u64,
    /// Every launch in order.
    pub launches: Vec<LaunchSpan>,
    /// Every static kernel, in order of first launch.
    pub kernels: Vec<KernelProfile>,
    /// Every kind of array of the chip.
    pub structures: Vec<StructureSize>,
    /// Digest of the bytes copied to the host.
    pub output_digest: String,
    /// Bytes copied to the host.
    pub output_bytes: u64,
    /// SMs of the chip.
    pub sms: u32,
    /// Registers per SM.
    pub registers_per_sm: u32,
    /// Shared bytes per SM.
    pub shared_per_sm: u32,
    /// Whether every access of kernels and host to a memory was of whole words of
    /// 32 bits.
    pub whole_words: bool,
}

/// One launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchSpan {
    /// Kernel.
    pub kernel: String,
    /// First cycle.
    pub start: u64,
    /// One past the last cycle.
    pub end: u64,
}

/// One static kernel over all its launches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelProfile {
    /// Name as in the binary.
    pub name: String,
    /// Launches.
    pub launches: u64,
    /// Cycles over all launches.
    pub cycles: u64,
    /// Registers per thread.
    pub registers: u32,
    /// Shared bytes per CTA.
    pub shared_bytes: u32,
    /// Local bytes per thread.
    pub local_bytes: u32,
    /// Mean live threads per SM in use, over the cycles it has work.
    pub threads_per_sm: f64,
    /// Mean CTAs per SM in use.
    pub ctas_per_sm: f64,
    /// Mean share of warp slots in use, of SMs that have work.
    pub occupancy: f64,
    /// Share of the cycles of all SMs of the chip in which they have work.
    #[serde(default = "all")]
    pub busy: f64,
    /// SMs that had work.
    pub sms_used: u32,
    /// Thread instructions.
    pub thread_insts: u64,
}

/// Stores that do not say so are taken to be of kernels that fill the chip.
fn all() -> f64 {
    1.0
}

/// Bits of a kind of array, over the whole chip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureSize {
    /// `rf`, `l2`, `l2.tag`, …: kinds, and parts of caches.
    pub name: String,
    /// Bits.
    pub bits: u64,
    /// Arrays.
    pub instances: u32,
}

/// Experiments of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stratum {
    /// Number in the campaign, from 0.
    pub id: u32,
    /// Its subject.
    pub subject: u32,
    /// Static kernel (all its launches), or `None` for the whole run.
    pub kernel: Option<String>,
    /// What of it, where it is less than that: `launch 3`, `cycles 100..200`; else empty.
    pub window: String,
    /// Structure, or several joined by `+` when one experiment hits them all.
    pub structure: String,
    /// Bits per experiment.
    pub bits: u32,
    /// `flip`, `stuck0`, `stuck1`, `burst`…
    pub model: String,
    /// How several bits lie: `entry`, `adjacent`, `2x3`…
    pub spread: String,
    /// `physical` or `active`.
    pub sampling: String,
    /// Cycles of the window.
    pub cycles: u64,
    /// Bits of the structure over the whole chip.
    pub structure_bits: u64,
    /// Bits x cycles that were sampled from, as a share of the structure's
    /// bits x the window's cycles: 1 for physical sampling of a whole chip.
    /// The rate of failures times this is the AVF.
    pub derating: f64,
    /// Share of the structure's bits x the window's cycles that were in use in the
    /// fault-free run; `None` where that is not counted.
    pub occupancy: Option<f64>,
    /// Experiments that are planned (sequential plans: the most).
    pub planned: u64,
    /// Sequential plans end with the experiment that is this failure; 0: by no number.
    pub stop_at_failures: u64,
    /// Sequential plans end as soon as the rate of failures is known within this,
    /// at the header's confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at_margin: Option<f64>,
}

impl Stratum {
    /// Whether its results decide where it ends.
    pub fn is_sequential(&self) -> bool {
        self.stop_at_failures > 0 || self.stop_at_margin.is_some()
    }
}

/// One experiment and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Its stratum.
    pub stratum: u32,
    /// Number in the stratum, from 0.
    pub number: u64,
    /// The fault's name: replays with `upset inject --fault`.
    pub fault: String,
    /// What it hit.
    pub hit: Hit,
    /// Outcome.
    pub class: Class,
    /// Why it crashed, timed out, or what went wrong with us; else empty.
    pub cause: String,
    /// The cause without numbers: equal kinds are one cause.
    pub cause_kind: String,
    /// Cycles of the run (the fault-free run's, where nothing had to be simulated).
    pub cycles: u64,
    /// Whether a wrong bit left its array (read, written back, copied out);
    /// `None` where that cannot be told.
    pub reached: Option<bool>,
    /// How it was found out: `simulated`, `dead`, …
    pub how: String,
    /// Digest of the bytes copied to the host; empty when the run did not end.
    pub output_digest: String,
    /// What the wrong outputs look like, for an SDC.
    pub sdc: Option<Sdc>,
    /// Times it was tried: 2 after a failure of ours.
    pub attempts: u32,
    /// What performance counters noticed, where somebody watched them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noticed: Option<Noticed>,
}

/// The first bit that a fault changes: where it is, and what it was to the
/// program at that cycle of the fault-free run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// `rf`, `l2`, …
    pub structure: String,
    /// Part of a cache's line: `data`, `tag`, `state`; else empty.
    pub part: String,
    /// SM.
    pub sm: Option<u64>,
    /// Sub-core of the SM.
    pub subcore: Option<u64>,
    /// Slice of a cache that all SMs share.
    pub slice: Option<u64>,
    /// Warp slot of the SM.
    pub warp: Option<u64>,
    /// Row of a register file, byte of a memory, or what else counts the entries
    /// of an array: predicate, buffer entry, barrier, counter.
    pub row: Option<u64>,
    /// Set of a cache.
    pub set: Option<u64>,
    /// Way of the set.
    pub way: Option<u64>,
    /// Lane.
    pub lane: Option<u64>,
    /// Bit of the entry.
    pub bit: Option<u64>,
    /// Bits that the fault changes in all.
    pub bits: u64,
    /// The cycle.
    pub cycle: u64,
    /// Whether it belonged to a warp, a CTA or a valid line; `None` where nobody
    /// looked.
    pub allocated: Option<bool>,
    /// Kernel that ran.
    pub kernel: String,
    /// Number of the launch.
    pub launch: Option<u64>,
    /// Function of `instruction`.
    pub function: String,
    /// Byte offset in the function: the instruction that was hit where the bits
    /// hold code, else the one at which the owner's warp stood.
    pub instruction: Option<u64>,
    /// Register, as programs call it: `R7`, `P2`, `UR4`.
    pub register: String,
}

/// What a campaign set out to do with a structure of a subject. It is written
/// before anything runs, so without what fault-free runs tell: what is missing of
/// a subject that was never begun is known from here alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// Number in the campaign, from 0.
    pub id: u32,
    /// Number of the subject.
    pub subject: u32,
    /// Application as it was named.
    pub app: String,
    /// `small`, `paper`; empty for a program.
    pub scale: String,
    /// Chip as it was named.
    pub chip: String,
    /// `each` kernel for itself, the whole `app`, or a kernel's name.
    pub kernel: String,
    /// What of it, where it is less than that; else empty.
    pub window: String,
    /// Structure, or several joined by `+`.
    pub structure: String,
    /// Bits per experiment.
    pub bits: u32,
    /// Fault model.
    pub model: String,
    /// `physical` or `active`.
    pub sampling: String,
    /// Most experiments of each kernel.
    pub planned: u64,
    /// Sequential plans end with the experiment that is this failure; 0: by no number.
    pub stop_at_failures: u64,
    /// Sequential plans end as soon as the rate of failures is known within this,
    /// at the header's confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at_margin: Option<f64>,
}

impl Intent {
    /// Whether its results decide where it ends.
    pub fn is_sequential(&self) -> bool {
        self.stop_at_failures > 0 || self.stop_at_margin.is_some()
    }
}

/// Everything that a store holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The store's path, as it was given.
    pub file: String,
    /// Whether the campaign came to its end.
    pub complete: bool,
    /// What was asked.
    pub header: Header,
    /// What the campaign set out to do, by number.
    pub intents: Vec<Intent>,
    /// The part of it that is this store's, where that is not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Subjects by number.
    pub subjects: Vec<Subject>,
    /// Strata by number.
    pub strata: Vec<Stratum>,
    /// Experiments by stratum and number.
    pub experiments: Vec<Experiment>,
}
