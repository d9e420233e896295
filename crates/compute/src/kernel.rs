//! A launch as the SMs see it.

use std::sync::Arc;

use upset_isa::program::Windows;
use upset_isa::texture::Textures;
use upset_isa::{Lanes, WARP};
use upset_state::Digest;

use crate::code::Code;

/// A constant bank in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bank {
    /// Address of its first byte.
    pub addr: u64,
    /// Its length; accesses beyond it trap.
    pub len: u32,
}

/// A launch.
#[derive(Clone)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its code.
    pub code: Arc<Code>,
    /// Byte offset of the first instruction.
    pub entry: u32,
    /// CTAs in x, y, z.
    pub grid: [u32; 3],
    /// Threads per CTA in x, y, z.
    pub block: [u32; 3],
    /// Registers per thread.
    pub registers: u32,
    /// Shared bytes a CTA can address, the reserved ones included.
    pub shared_bytes: u32,
    /// Shared bytes a CTA takes, granules and reserve included.
    pub shared_taken: u32,
    /// Local bytes per thread.
    pub local_bytes: u32,
    /// Address of the first warp slot's local memory.
    pub local_base: u64,
    /// Constant banks by number.
    pub banks: Vec<Bank>,
    /// Textures by handle.
    pub textures: Arc<Textures>,
    /// Address windows.
    pub windows: Windows,
}

impl Kernel {
    /// CTAs of the grid.
    pub fn ctas(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a CTA.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(WARP as u32)
    }

    /// Coordinates of a CTA.
    pub fn ctaid(&self, index: u64) -> [u32; 3] {
        let [gx, gy, _] = self.grid.map(|n| u64::from(n.max(1)));
        [(index % gx) as u32, (index / gx % gy) as u32, (index / gx / gy) as u32]
    }

    /// Thread coordinates of each warp of a CTA; the same for all CTAs.
    pub fn thread_ids(&self) -> Vec<[Lanes; 3]> {
        let [bx, by, _] = self.block.map(|n| n.max(1));
        (0..self.warps())
            .map(|warp| {
                let mut tid = [[0; WARP]; 3];
                for lane in 0..WARP {
                    let t = warp * WARP as u32 + lane as u32;
                    tid[0][lane] = t % bx;
                    tid[1][lane] = t / bx % by;
                    tid[2][lane] = t / bx / by;
                }
                tid
            })
            .collect()
    }

    /// Bytes of local memory one warp slot takes.
    pub fn local_per_warp(&self) -> u64 {
        u64::from(self.local_bytes.next_multiple_of(4)) * WARP as u64
    }
}

impl upset_machine::Kernel for Kernel {
    fn name(&self) -> &str {
        &self.name
    }

    fn base(&self) -> u64 {
        self.code.program.base
    }

    fn groups(&self) -> u64 {
        self.ctas()
    }

    fn grid(&self) -> [u32; 3] {
        self.grid
    }

    fn block(&self) -> [u32; 3] {
        self.block
    }

    fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    fn local_memory(&self) -> (u64, u64) {
        (self.local_base, self.local_per_warp())
    }

    fn accesses_words(&self) -> bool {
        self.code.program.accesses_words()
    }

    fn digest(&self, d: &mut Digest) {
        d.value(&(&self.name, self.entry, self.grid, self.block, self.registers));
        d.value(&(self.shared_bytes, self.shared_taken, self.local_bytes, self.local_base));
    }
}
