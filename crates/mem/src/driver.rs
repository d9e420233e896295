//! The driver of a chip, as memory knows it.

use upset_chip::{ChipSpec, DriverMemory};
use upset_state::memory::Driver;

/// How a chip's driver lays out device memory.
pub fn driver_of(chip: &ChipSpec) -> Driver {
    let d = &chip.driver;
    Driver {
        answers: match d.memory {
            DriverMemory::Mapped => true,
            DriverMemory::Strict => false,
        },
        page: d.page_bytes.into(),
        small: d.small_bytes,
        block: d.block_bytes,
        small_page: d.small_page,
        area: (d.area_from, d.area_to),
        pockets: d.pockets.chunks_exact(2).map(|p| (p[0], p[1])).collect(),
        fill: d.fill,
    }
}
