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
        below: d.below_bytes,
        above: d.above_bytes,
        pockets_from: d.pockets_from,
        pockets_to: d.pockets_to,
        pocket: d.pocket_bytes,
        fill: d.fill,
    }
}
