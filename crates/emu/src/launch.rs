//! A launch: what is launched, within which bounds, and what it executed.

use upset_isa::Unit;
use upset_isa::control::events::Events;
use upset_isa::program::{ConstBanks, Program, Windows};
use upset_isa::texture::Textures;

/// Everything a launch needs to know.
pub struct Grid<'a> {
    /// Code.
    pub program: &'a Program,
    /// Byte offset of the kernel's first instruction.
    pub entry: u32,
    /// Grid dimensions.
    pub grid: [u32; 3],
    /// Block dimensions.
    pub block: [u32; 3],
    /// Registers per thread.
    pub registers: u32,
    /// Shared bytes per CTA, static and dynamic and reserved.
    pub shared_bytes: u32,
    /// Local bytes per thread.
    pub local_bytes: u32,
    /// Constant banks.
    pub banks: &'a ConstBanks,
    /// Textures by handle.
    pub textures: &'a Textures,
    /// Address windows.
    pub windows: Windows,
    /// CTAs that may be resident together.
    pub resident: u32,
    /// All CTAs run side by side.
    pub cooperative: bool,
}

/// Bounds on a launch.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Warp instructions before the launch is given up.
    pub warp_insts: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { warp_insts: u64::MAX }
    }
}

/// What a launch executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Warp instructions issued.
    pub warp_insts: u64,
    /// Thread instructions: active lanes, whether or not their guard held.
    pub thread_insts: u64,
    /// CTAs completed.
    pub ctas: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, o: Counts) {
        self.warp_insts += o.warp_insts;
        self.thread_insts += o.thread_insts;
        self.ctas += o.ctas;
    }
}

/// What a launch's warps did, in more detail: kept where somebody wants to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Warp instructions issued.
    pub warp_insts: u64,
    /// Active lanes of them.
    pub thread_insts: u64,
    /// Lanes of them without an active thread.
    pub inactive: u64,
    /// Warp instructions of each unit, in the order of [`Unit::ALL`].
    pub classes: [u64; Unit::ALL.len()],
    /// What parted and met.
    pub events: Events,
    /// CTAs, warps and threads that began.
    pub launched: [u64; 3],
    /// CTAs and warps that ended.
    pub exited: [u64; 2],
}
