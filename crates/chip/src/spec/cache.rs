//! One cache. Levels are a list: nothing here knows how many there are.

use serde::{Deserialize, Serialize};

/// A cache; there is one instance per [`Per`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheSpec {
    /// Its name.
    pub name: String,
    /// Where an instance sits.
    pub per: Per,
    /// Address spaces whose accesses it sees.
    pub serves: Vec<Space>,
    /// The level below: a cache, or `memory`.
    pub next: String,
    /// Sets, a power of two.
    pub sets: u32,
    /// Lines per set.
    pub ways: u32,
    /// Bytes per line, a power of two.
    pub line_bytes: u32,
    /// Bytes fetched at a time; line_bytes = not sectored.
    pub sector_bytes: u32,
    /// Which line leaves.
    pub replacement: Replacement,
    /// What a store does on a hit.
    pub write: WritePolicy,
    /// What a store to local memory does, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_local: Option<WritePolicy>,
    /// What a store does on a miss.
    pub write_allocate: WriteAllocate,
    /// Set index function.
    pub set_hash: SetHash,
    /// Outstanding misses; from the cache's size without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mshr_entries: Option<u32>,
    /// Requests merged into one miss; 64 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mshr_merge: Option<u32>,
    /// Bytes the data port moves per cycle, where the model counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port_bytes: Option<u32>,
    /// Data banks, interleaved by sector, where the model has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banks: Option<u32>,
    /// Cycles of a hit: issue to result in a first level, inside the slice in L2.
    pub latency: u32,
    /// Tag bits stored per line, as counted in the inventory.
    pub tag_bits: u32,
    /// Where the numbers of this table come from, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Where an instance sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// In each sub-core.
    Subcore,
    /// In each SM.
    Sm,
    /// In each compute unit.
    Cu,
    /// In each group of compute units.
    Group,
    /// In each memory slice.
    Slice,
}

/// Address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// Global and generic.
    Global,
    /// Thread-local.
    Local,
    /// Texture fetches.
    Texture,
    /// Constant banks.
    Constant,
    /// Instruction fetch.
    Instruction,
}

/// Which line leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// Least recently used.
    Lru,
    /// First in, first out.
    Fifo,
}

/// What a store does on a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WritePolicy {
    /// Stores do not come here.
    ReadOnly,
    /// Dirties the line.
    WriteBack,
    /// Updates the line and the level below.
    WriteThrough,
    /// Drops the line and goes below.
    WriteEvict,
}

/// What a store does on a miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteAllocate {
    /// Goes below without a line.
    None,
    /// Goes below and fetches the line.
    WriteAndRead,
    /// Fetches the line, then writes it.
    FetchOnWrite,
    /// Writes a masked line; the rest is fetched when read.
    LazyFetch,
}

/// Set index function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetHash {
    /// Low line-address bits.
    Linear,
    /// Irreducible polynomial over the address.
    Ipoly,
    /// The XOR hash found in Fermi.
    Fermi,
    /// Low bits XOR the next ones.
    Xor,
}
