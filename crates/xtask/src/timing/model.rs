//! The model's side.

use upset_chip::ChipSpec;
use upset_device::{Device, Mode};

use crate::Outcome;

/// The chip whose timing is compared, and its architecture.
const CHIP: &str = "h200";
pub const ARCH: u32 = 90;

/// A device of that chip.
pub fn device(mode: Mode) -> Outcome<Device> {
    let chip = ChipSpec::preset(CHIP).map_err(|e| e.to_string())?;
    Device::in_mode(&chip, mode).map_err(|e| e.to_string())
}
