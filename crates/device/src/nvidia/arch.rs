//! Which chips have an engine here.

use upset_chip::{ChipSpec, CoreSpec};
use upset_sass::Encoding;

use crate::DeviceError;

/// The machine code of a chip.
pub(super) fn encoding_of(chip: &ChipSpec) -> Result<Encoding, DeviceError> {
    let unsupported = |why| DeviceError::UnsupportedArch {
        chip: chip.chip.name.clone(),
        arch: chip.chip.arch.clone(),
        why,
    };
    if let CoreSpec::Cu(_) = chip.core {
        return Err(DeviceError::OtherVendor {
            chip: chip.chip.name.clone(),
            runs: "AMD's",
            given: "NVIDIA's",
        });
    }
    let number = chip.sm_number().ok_or_else(|| unsupported(""))?;
    Encoding::from_number(number)
        .ok_or_else(|| unsupported("; supported are sm_35, sm_70, sm_75, sm_80 and sm_90"))
}
