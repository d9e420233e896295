//! What the driver maps around a program's memory.

use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// How the driver lays out device memory. Offsets count from the start of the
/// block that it maps for itself. A chip that says nothing has what was measured
/// on an H200.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DriverSpec {
    /// Which wild accesses are answered.
    pub memory: DriverMemory,
    /// Granule in which memory is mapped.
    pub page_bytes: u32,
    /// Largest allocation that shares its pages with others.
    pub small_bytes: u64,
    /// Bytes of the driver's block.
    pub block_bytes: u64,
    /// Offset of the one page of the block in which small allocations are made.
    pub small_page: u64,
    /// Offset at which the program's area begins.
    pub area_from: u64,
    /// Offset at which it ends.
    pub area_to: u64,
    /// Offsets at which pockets of the driver's memory begin and end, by turns.
    pub pockets: Vec<u64>,
    /// Every byte of the driver's own memory before anybody writes to it.
    pub fill: u8,
    /// First address of the shared window.
    pub shared_window: u64,
    /// First address of the local window.
    pub local_window: u64,
    /// Where the numbers of this table come from, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Default for DriverSpec {
    fn default() -> Self {
        DriverSpec {
            memory: DriverMemory::Mapped,
            page_bytes: 2 << 20,
            small_bytes: 2 * MIB,
            block_bytes: 490 * MIB,
            small_page: 414 * MIB,
            area_from: 488 * MIB,
            area_to: 512 * MIB,
            pockets: [512, 526, 528, 544].map(|at| at * MIB).to_vec(),
            fill: 0,
            shared_window: 0x7f00_0000_0000,
            local_window: 0x7f00_0100_0000,
            source: None,
        }
    }
}

/// Which wild accesses are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriverMemory {
    /// Those to pages with allocations and to the driver's own memory.
    Mapped,
    /// Those to pages with allocations only.
    Strict,
}
