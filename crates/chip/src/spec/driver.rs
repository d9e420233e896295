//! What the driver maps around a program's memory.

use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// How the driver lays out device memory. A chip that says nothing has what
/// was measured on an H200.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DriverSpec {
    /// Which wild accesses are answered.
    pub memory: DriverMemory,
    /// Granule in which memory is mapped.
    pub page_bytes: u32,
    /// Largest allocation that shares its pages with others.
    pub small_bytes: u64,
    /// The driver's block reaches this far below the first small allocation.
    pub below_bytes: u64,
    /// It reaches this far above the first small allocation.
    pub above_bytes: u64,
    /// Offset from the first small allocation at which pockets begin.
    pub pockets_from: u64,
    /// Offset at which pockets end.
    pub pockets_to: u64,
    /// Bytes of a pocket, and of the hole behind it.
    pub pocket_bytes: u64,
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
            small_bytes: MIB,
            below_bytes: 384 * MIB,
            above_bytes: 76 * MIB,
            pockets_from: 96 * MIB,
            pockets_to: 128 * MIB,
            pocket_bytes: 4 * MIB,
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
