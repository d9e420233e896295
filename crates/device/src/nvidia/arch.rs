//! Which chips have an engine here.

use upset_chip::{ChipSpec, CoreSpec};
use upset_sass::{Arch, Encoding};

use crate::DeviceError;

/// The instruction set of a chip.
pub(super) fn arch_of(chip: &ChipSpec) -> Result<Arch, DeviceError> {
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
    Arch::from_number(number).ok_or_else(|| {
        unsupported(match Encoding::from_number(number) {
            Some(_) => ": it can be disassembled only, so far; use an sm_70 or newer chip",
            None => "; supported are sm_70, sm_75, sm_80 and sm_90",
        })
    })
}
