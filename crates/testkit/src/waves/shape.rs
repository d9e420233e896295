//! Geometry of a program's launches, and what lies where in memory.

use super::settings;
use crate::Rng;

/// How waits are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Counters are allowed as high as the hazard permits.
    Exact,
    /// Often lower than they would have to be.
    Mixed,
    /// Everything is waited for.
    Drain,
}

/// Launch geometry, registers and sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The chip, a preset.
    pub chip: &'static str,
    /// Work-groups.
    pub grid: [u32; 3],
    /// Work-items of a work-group.
    pub block: [u32; 3],
    /// Vector registers that statements compute with.
    pub vector_pool: u8,
    /// Scalar registers that statements compute with, a multiple of four.
    pub scalar_pool: u8,
    /// Bytes of the input, a power of two.
    pub input: u32,
    /// Bytes of each group of reduction targets, a power of two.
    pub group: u32,
    /// LDS that is asked for and not used.
    pub idle_lds: u32,
    /// Launches, one after the other, each reading what the one before has left.
    pub launches: u32,
    /// MODE's rounding and denormals in the beginning.
    pub float_mode: u32,
    /// How waits are written.
    pub waits: Waits,
    /// All lanes execute in the beginning, those without a work-item too.
    pub all_lanes: bool,
    /// Settings of the chip, on top of the preset.
    pub settings: Vec<String>,
}

/// Bytes of a wave's own part of each buffer in global memory.
pub(crate) const SLOTS: u32 = 2048;
/// Bytes of a wave's own part of each buffer in LDS.
pub(crate) const SHARE: u32 = 1024;
/// Bytes of all accumulators in LDS, and of each group of them.
pub(crate) const ACCUMULATORS: u32 = 512;
pub(crate) const ACCUMULATOR_GROUP: u32 = 64;

impl Shape {
    /// A random shape: mostly small, sometimes many work-groups.
    pub fn random(rng: &mut Rng) -> Shape {
        let waves = 1 + rng.below(4);
        let items = match rng.below(3) {
            0 => 64 * (waves - 1) + 1 + rng.below(64),
            _ => 64 * waves,
        };
        let groups = match rng.below(8) {
            0 => 8 + rng.below(24),
            1..4 => 1,
            _ => 1 + rng.below(6),
        };
        Shape {
            chip: rng.pick(&["hd7970", "hd7970", "hd7870", "hd7770"]),
            grid: dimensions(rng, groups),
            block: dimensions(rng, items),
            vector_pool: rng.pick(&[6, 8, 12, 12, 20, 32, 48]),
            scalar_pool: rng.pick(&[8, 12, 16, 24, 44]),
            input: 1 << (10 + rng.below(6)),
            group: 1 << (3 + rng.below(7)),
            idle_lds: rng.pick(&[0, 0, 0, 256, 4096, 20_000]),
            launches: rng.pick(&[1, 1, 1, 2, 3]),
            float_mode: rng.pick(&[0xc0, 0xc0, 0xf0, 0, rng.clone().below(256)]),
            waits: rng.pick(&[Waits::Exact, Waits::Exact, Waits::Mixed, Waits::Drain]),
            all_lanes: rng.below(2) == 0,
            settings: settings::random(rng),
        }
    }

    /// Work-items of a work-group.
    pub fn items(&self) -> u32 {
        self.block.iter().product()
    }

    /// Waves of a work-group.
    pub fn waves(&self) -> u32 {
        self.items().div_ceil(64)
    }

    /// Work-groups.
    pub fn groups(&self) -> u32 {
        self.grid.iter().product()
    }

    /// Waves of the launch.
    pub fn total(&self) -> u32 {
        self.waves() * self.groups()
    }

    /// Bytes of one of the two buffers of global memory.
    pub(crate) fn slots(&self) -> u32 {
        SLOTS * self.total()
    }

    /// Bytes of one of the two buffers of LDS.
    pub(crate) fn share(&self) -> u32 {
        SHARE * self.waves()
    }

    /// Where the accumulators begin.
    pub(crate) fn accumulators(&self) -> u32 {
        2 * self.share()
    }

    /// LDS of a work-group.
    pub(crate) fn lds(&self) -> u32 {
        self.accumulators() + ACCUMULATORS + self.idle_lds
    }
}

/// `n` as one, two or three dimensions.
fn dimensions(rng: &mut Rng, n: u32) -> [u32; 3] {
    let divisor = |rng: &mut Rng, n: u32| {
        let all: Vec<u32> = (1..=n).filter(|d| n.is_multiple_of(*d)).collect();
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
