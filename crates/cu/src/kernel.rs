//! A launch as compute units see it.

use std::sync::Arc;

use upset_gcn::wave::WAVE;
use upset_lanes::Lanes;
use upset_state::Digest;

use crate::code::Code;

/// Memory of waves beside their registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Address of the first wave slot's.
    pub base: u64,
    /// Bytes of each wave slot.
    pub per_wave: u64,
    /// Bytes of each work-item.
    pub per_item: u32,
}

/// A launch.
#[derive(Clone)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its module's code.
    pub code: Arc<Code>,
    /// Address of the first instruction.
    pub entry: u64,
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Vector registers of a wave.
    pub vgprs: u32,
    /// Scalar registers of a wave, VCC among them.
    pub sgprs: u32,
    /// Bytes of LDS that a work-group takes, granules included.
    pub lds_taken: u32,
    /// MODE that waves begin with.
    pub mode: u32,
    /// Values that the first scalar registers begin with.
    pub user: Vec<u32>,
    /// Which coordinates of the work-group follow them.
    pub group_ids: [bool; 3],
    /// The work-group's size follows those.
    pub group_size: bool,
    /// The wave's offset into scratch follows that.
    pub scratch_offset: bool,
    /// Coordinates of the work-item in vector registers: one to three.
    pub item_ids: u32,
    /// Scratch.
    pub scratch: Scratch,
    /// Whether all accesses are of whole words of 32 bits.
    pub whole_words: bool,
}

impl Kernel {
    /// Work-groups of the grid.
    pub fn groups(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Work-items of a work-group.
    pub fn items(&self) -> u32 {
        self.block.iter().product()
    }

    /// Waves of a work-group.
    pub fn waves(&self) -> u32 {
        self.items().div_ceil(WAVE as u32)
    }

    /// Coordinates of a work-group.
    pub fn group_id(&self, index: u64) -> [u32; 3] {
        let [gx, gy, _] = self.grid.map(|n| u64::from(n.max(1)));
        [(index % gx) as u32, (index / gx % gy) as u32, (index / gx / gy) as u32]
    }

    /// What a wave is told of its work-group's size: waves, and its own number
    /// among them (AMD, Southern Islands manual, "Initial wave state").
    pub fn size_word(&self, wave: u32) -> u32 {
        self.waves() & 63 | (wave & 63) << 6 | u32::from(wave == 0) << 31
    }

    /// Coordinates of the work-items of each wave, in two halves; the same for
    /// all work-groups.
    pub fn item_coordinates(&self) -> Vec<[[Lanes; 2]; 3]> {
        let [bx, by, _] = self.block.map(|n| n.max(1));
        let wave = |wave: u32| {
            let mut ids = [[[0; 32]; 2]; 3];
            for lane in 0..WAVE {
                let t = wave * WAVE as u32 + lane as u32;
                let (half, l) = (lane / 32, lane % 32);
                ids[0][half][l] = t % bx;
                ids[1][half][l] = t / bx % by;
                ids[2][half][l] = t / bx / by;
            }
            ids
        };
        (0..self.waves()).map(wave).collect()
    }
}

impl upset_machine::Kernel for Kernel {
    fn name(&self) -> &str {
        &self.name
    }

    fn base(&self) -> u64 {
        self.code.base
    }

    fn groups(&self) -> u64 {
        Kernel::groups(self)
    }

    fn grid(&self) -> [u32; 3] {
        self.grid
    }

    fn block(&self) -> [u32; 3] {
        self.block
    }

    fn local_bytes(&self) -> u32 {
        self.scratch.per_item
    }

    fn local_memory(&self) -> (u64, u64) {
        (self.scratch.base, self.scratch.per_wave)
    }

    fn accesses_words(&self) -> bool {
        self.whole_words
    }

    fn digest(&self, d: &mut Digest) {
        d.value(&(&self.name, self.entry, self.grid, self.block, self.vgprs, self.sgprs));
        d.value(&(self.lds_taken, self.mode, &self.user, self.scratch.base, self.scratch.per_wave));
    }
}
