//! What a program may ask about the device, from the chip file.

use super::image_limits::image_limit;
use super::limits::{DEFAULT_SHARED, MAX_BLOCK, MAX_GRID};
use super::state::Runtime;

impl Runtime {
    /// The value of a `cudaDeviceAttr`; none for numbers that do not exist.
    pub fn attribute(&self, attribute: i32) -> Option<i64> {
        let (chip, core) = (self.device.chip(), self.device.sm_core());
        let number = i64::from(self.device.arch_number());
        let l2: i64 = chip
            .caches
            .iter()
            .filter(|c| c.name == "l2")
            .map(|c| i64::from(c.sets) * i64::from(c.ways) * i64::from(c.line_bytes))
            .sum::<i64>()
            * i64::from(chip.memory.partitions * chip.memory.slices_per_partition);
        let khz = |mhz: f64| (mhz * 1000.0).round() as i64;
        if let Some(most) = image_limit(attribute, number) {
            return Some(most);
        }
        // Of what is there from compute capability 6.0 on, GTX Titan has
        // nothing: global data in L1, kernels that can be interrupted, grids
        // whose blocks wait for each other.
        let since_6 = i64::from(number >= 60);
        Some(match attribute {
            1 => core.sm.threads_per_cta.into(),
            2..=4 => MAX_BLOCK[attribute as usize - 2].into(),
            5..=7 => MAX_GRID[attribute as usize - 5].into(),
            8 => core.shared.per_cta.min(DEFAULT_SHARED).into(),
            9 => 65536,
            10 => core.sm.warp_size.into(),
            11 => 0x7fff_ffff,
            12 => core.registers.per_cta.into(),
            13 => khz(chip.clock.boost_mhz.unwrap_or(chip.clock.core_mhz)),
            14 => 512,
            15 => 1,
            16 => core.sm.count.into(),
            17 | 18 => 0,
            19 => 1,
            20 => 0,
            30 => 512,
            31 => 1,
            32 => chip.model.ecc.into(),
            33 => 1,
            34 | 35 | 50 => 0,
            36 => khz(chip.clock.dram_mhz),
            37 => {
                i64::from(chip.memory.partitions)
                    * i64::from(chip.dram.chips)
                    * i64::from(chip.dram.bus_bytes)
                    * 8
            }
            38 => l2,
            39 => core.sm.threads.into(),
            40 => 2,
            41 => 1,
            51 => 32,
            75 => number / 10,
            76 => number % 10,
            78 | 80 => 1,
            79 => since_6,
            81 => core.shared.bytes.into(),
            82 => core.registers.per_sm.into(),
            83 => 1,
            84..=86 => 0,
            87 => match number {
                35 | 37 => 3,
                70 | 80 | 90 => 2,
                _ => 32,
            },
            // Host and kernels do not run at the same time here.
            88 | 89 => 0,
            90 => since_6,
            91 => 0,
            92..=94 => 0,
            95 => since_6,
            96 => 0,
            97 => core.shared.per_cta.into(),
            98 => 0,
            99 => 1,
            100..=105 => 0,
            106 => core.sm.ctas.into(),
            107..=110 => 0,
            111 => core.shared.reserved_per_cta.into(),
            112..=114 => 0,
            115 => 1,
            116..=118 => 0,
            119 => 0,
            120..=143 => 0,
            _ => return None,
        })
    }
}
