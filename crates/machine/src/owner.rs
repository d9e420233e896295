//! What a bit belongs to: kernel, CTA, warp, thread, register, line.

use serde::{Deserialize, Serialize};
use upset_mem::LineOwner;

/// The warp that a bit belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpOwner {
    /// SM.
    pub sm: u32,
    /// Warp slot of the SM.
    pub slot: u32,
    /// CTA.
    pub cta: [u32; 3],
    /// Number within the CTA.
    pub warp: u32,
    /// Lane, where the bit is one lane's.
    pub lane: Option<u32>,
    /// Coordinates of that lane's thread.
    pub thread: Option<[u32; 3]>,
    /// Byte offset of the instruction it stands at.
    pub pc: u32,
}

/// What a bit belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Launch number, while one runs.
    pub launch: Option<u64>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// The warp, if one lives there.
    pub warp: Option<WarpOwner>,
    /// What programs call the row: `R7`, `P2`, `UR4`, `B0`, `SB3`.
    pub register: Option<String>,
    /// CTA whose shared memory it is.
    pub cta: Option<[u32; 3]>,
    /// Byte in the CTA's shared memory, or in the thread's local memory.
    pub offset: Option<u64>,
    /// Of a wire: the threads of each warp there whose values pass it; all of
    /// them where the list is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<Vec<u32>>,
    /// Line of a cache, or place in memory.
    pub line: Option<LineOwner>,
    /// Bits of an instruction buffer's entry, and where they came from.
    #[serde(skip)]
    pub instruction: Option<(u128, u32)>,
}

impl Owner {
    /// Whether anybody can still see the bit.
    pub fn is_allocated(&self) -> bool {
        let owned = self.warp.is_some() || self.cta.is_some();
        owned || self.threads.is_some() || self.line.is_some_and(|l| l.valid)
    }
}
