//! Geometry of a program's launches, and what lies where in memory.

use super::settings;
use crate::Rng;

/// What a second launch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// The results of the launch before it.
    Results,
    /// The same buffer, which the host has written anew.
    Rewritten,
}

/// Launch geometry, registers and sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads per CTA.
    pub block: [u32; 3],
    /// Registers that statements compute with, a multiple of four.
    pub pool: u8,
    /// Bytes of a thread's slot in each buffer of shared and global memory.
    pub slot: u32,
    /// Shared memory that is asked for and not used.
    pub idle_shared: u32,
    /// Bytes of the input, a power of two.
    pub input: u32,
    /// Words of constants, a power of two.
    pub constants: u32,
    /// Local bytes per thread, a power of two.
    pub local: u32,
    /// Bytes of each group of reduction targets, a power of two.
    pub group: u32,
    /// Launches, one after the other.
    pub launches: u32,
    /// What launches after the first read.
    pub chain: Chain,
    /// Distances between dependent instructions are often the least possible.
    pub tight: bool,
    /// Results of a thread lie together, not those of a register.
    pub rows: bool,
    /// Settings of the chip, on top of a preset.
    pub settings: Vec<String>,
}

/// Groups of shared accumulators: one commutative operation each.
pub(crate) const SHARED_GROUPS: u32 = 8;

impl Shape {
    /// A random shape: mostly small, sometimes many CTAs or large ones.
    pub fn random(rng: &mut Rng) -> Shape {
        let (ctas, threads) = match rng.below(20) {
            0..8 => (1 + rng.below(8), threads(rng, 256)),
            8..11 => (1 + rng.below(2), threads(rng, 1024)),
            11..13 => (40 + rng.below(60), threads(rng, 64)),
            _ => (1 + rng.below(4), threads(rng, 64)),
        };
        let block = dimensions(rng, threads);
        // Both buffers of the largest CTAs still fit the smallest chip.
        let slots: &[u32] = if threads > 256 { &[16] } else { &[16, 16, 32] };
        Shape {
            grid: dimensions(rng, ctas),
            block,
            pool: rng.pick(&[4, 8, 8, 12, 12, 20, 28, 40]),
            slot: rng.pick(slots),
            idle_shared: rng.pick(&[0, 0, 0, 128, 4096, 20_000]),
            input: 1 << (9 + rng.below(7)),
            constants: 1 << (5 + rng.below(7)),
            local: rng.pick(&[16, 32, 64, 128]),
            group: 1 << (3 + rng.below(7)),
            launches: rng.pick(&[1, 1, 1, 2, 3]),
            chain: rng.pick(&[Chain::Results, Chain::Rewritten]),
            tight: rng.below(2) == 0,
            rows: rng.below(2) == 0,
            settings: settings::random(rng),
        }
    }

    /// Threads per CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// CTAs.
    pub fn ctas(&self) -> u32 {
        self.grid.iter().product()
    }

    /// Threads of the grid.
    pub fn total(&self) -> u32 {
        self.threads() * self.ctas()
    }

    /// Neighbours a thread can name: the largest power of two up to the CTA's threads.
    pub(crate) fn peers(&self) -> u32 {
        1 << self.threads().ilog2()
    }

    /// Bytes of one of the two buffers of shared memory, a power of two.
    pub(crate) fn shared_buffer(&self) -> u32 {
        (self.threads() * self.slot).next_power_of_two()
    }

    /// Bytes of one of the two buffers of global memory, a power of two.
    pub(crate) fn global_buffer(&self) -> u32 {
        (self.total() * self.slot).next_power_of_two()
    }

    /// Words per group of shared accumulators; 0 when the CTA is too small to
    /// set them up with one store per thread.
    pub(crate) fn accumulators(&self) -> u32 {
        match self.threads() / SHARED_GROUPS {
            0 => 0,
            n => 1 << n.ilog2().min(4),
        }
    }

    /// Where the shared accumulators begin.
    pub(crate) fn accumulators_at(&self) -> u32 {
        2 * self.shared_buffer()
    }

    /// Dynamic shared memory of a launch.
    pub fn shared(&self) -> u32 {
        self.accumulators_at() + 4 * SHARED_GROUPS * self.accumulators() + self.idle_shared
    }
}

/// A number of threads up to `most`, half of the time whole warps.
fn threads(rng: &mut Rng, most: u32) -> u32 {
    if rng.below(2) == 0 { 32 * (1 + rng.below(most / 32)) } else { 1 + rng.below(most) }
}

/// `n` as one, two or three dimensions.
fn dimensions(rng: &mut Rng, n: u32) -> [u32; 3] {
    let divisor = |rng: &mut Rng, n: u32| {
        let all: Vec<u32> = (1..=n.min(64)).filter(|d| n.is_multiple_of(*d)).collect();
        rng.pick(&all)
    };
    match rng.below(4) {
        0 => {
            let y = divisor(rng, n);
            let z = divisor(rng, n / y);
            [n / y / z, y, z]
        }
        1 => {
            let y = divisor(rng, n);
            [n / y, y, 1]
        }
        _ => [n, 1, 1],
    }
}
